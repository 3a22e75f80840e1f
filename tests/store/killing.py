"""Kills or stops a process at one of its system calls after another."""

import os
import re
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.process.reading import eventually
from tests.store import given

SAMPLE = 24
"""How many calls of a task are tried in an ordinary run; with ATTEND_TORTURE=1 all are."""

_CALL = re.compile(rb"\d+ +(?P<name>\w+)\(")


def each_call(
    task: Callable[[Path], list[str]],
    prepare: Callable[[Path], None],
    workdir: Path,
    sample: int = SAMPLE,
) -> Iterator[tuple[Path, str]]:
    """Yield a folder in which a task was killed, once for each of its calls.

    Args:
        task: names the task's command line for a folder.
        prepare: makes a folder what the task finds.
        workdir: where to make folders.
        sample: how many calls are tried in an ordinary run.

    Yields:
        The folder, and the call before which the task was killed in it.
    """
    for folder, call in _prepared(task, prepare, workdir, sample):
        done = _strace(["-e", f"inject={_at(call, 'KILL')}"], task(folder))
        assert done.returncode in (0, -9, 137), done.stderr
        yield folder, call


def each_stop(
    task: Callable[[Path], list[str]],
    prepare: Callable[[Path], None],
    workdir: Path,
    sample: int = SAMPLE,
) -> Iterator[tuple[Path, str, Callable[[], None]]]:
    """Yield a folder in which a task stands still, once for each of its calls, right after it.

    Yields:
        The folder, the call, and what has the task go on and waits for its end.
    """
    for folder, call in _prepared(task, prepare, workdir, sample):
        log = workdir / "stopped"
        words = ["strace", "-qq", "-o", str(log), "-e", f"trace={call.partition(' ')[0]}"]
        words += ["-e", f"inject={_at(call, 'STOP')}", "--", *task(folder)]
        log.write_bytes(b"")
        with subprocess.Popen(words, stdin=subprocess.DEVNULL) as tracer:
            eventually(lambda log=log: b"stopped by SIGSTOP" in log.read_bytes())  # type: ignore[misc]

            def go_on(tracer: subprocess.Popen[bytes] = tracer) -> None:
                _tell_traced(tracer, signal.SIGCONT)
                assert tracer.wait(given.DEADLINE_S) == 0

            try:
                yield folder, call, go_on
            finally:
                _tell_traced(tracer, signal.SIGKILL)


def _prepared(
    task: Callable[[Path], list[str]],
    prepare: Callable[[Path], None],
    workdir: Path,
    sample: int,
) -> Iterator[tuple[Path, str]]:
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    for at, (name, count) in enumerate(_sample(_calls(task, prepare, workdir / "all"), sample)):
        folder = workdir / str(at)
        prepare(folder)
        yield folder, f"{name} {count}"
        shutil.rmtree(folder)


def _tell_traced(tracer: "subprocess.Popen[bytes]", number: int) -> None:
    """Send a signal to what strace runs, if it still does."""
    if tracer.poll() is None:
        children = Path(f"/proc/{tracer.pid}/task/{tracer.pid}/children").read_text().split()
        for child in children:
            os.kill(int(child), number)


def _at(call: str, signal_name: str) -> str:
    name, _, count = call.partition(" ")
    return f"{name}:signal={signal_name}:when={count}"


def _calls(
    task: Callable[[Path], list[str]], prepare: Callable[[Path], None], folder: Path
) -> list[tuple[str, int]]:
    """Run a task once; name each call from its first touch of the folder on, with its count."""
    prepare(folder)
    log = folder.parent / "calls"
    for _ in range(2):  # the first run may still write what the compiler made
        shutil.rmtree(folder)
        prepare(folder)
        done = _strace(["-o", str(log)], task(folder))
        if done.returncode:
            pytest.skip(f"strace does not work here: {done.stderr.decode().strip()}")
    seen: Counter[str] = Counter()
    found: list[tuple[str, int]] = []
    begun = False
    for line in log.read_bytes().splitlines():
        call = _CALL.match(line)
        if call is None:
            continue
        name = call["name"].decode()
        seen[name] += 1
        begun = begun or (b'"' + os.fsencode(folder) in line and name != "execve")
        if begun and name != "exit_group":
            found.append((name, seen[name]))
    assert len(found) > 20, log.read_text()
    return found


def _sample(calls: list[tuple[str, int]], sample: int) -> list[tuple[str, int]]:
    if os.environ.get("ATTEND_TORTURE") == "1":
        return calls
    step = len(calls) / sample
    return [calls[int(at * step)] for at in range(sample)] if step > 1 else calls


def _strace(options: list[str], command: list[str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["strace", "-f", "-qq", *options, "--", *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        timeout=given.DEADLINE_S,
        check=False,
    )
