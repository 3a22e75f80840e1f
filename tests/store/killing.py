"""Kills or stops a process at one after another of its system calls that change something."""

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

KILLED = (-9, 137)
# fmt: off
TELLING = {
    "write", "pwrite64", "writev", "sendto", "sendmsg", "openat", "fcntl", "flock", "fsync",
    "fdatasync", "ftruncate", "fallocate", "rename", "renameat", "renameat2", "unlink",
    "unlinkat", "link", "linkat", "symlink", "symlinkat", "mkdir", "mkdirat", "rmdir",
    "chmod", "fchmod", "fchmodat", "utimensat",
}
# fmt: on
"""The calls after which somebody else can find something changed. Who dies at another has done
what it would have if it had died at the next of these, and how often memory is asked for differs
from run to run."""

_CALL = re.compile(rb"(?P<thread>\d+) +(?P<name>\w+)\(")


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
    codes = []
    for folder, call in _prepared(task, prepare, workdir, sample):
        done = _strace(_only(call, "KILL"), task(folder))
        assert done.returncode in (0, *KILLED), done.stderr
        codes.append((done.returncode, call))
        yield folder, call
    assert sum(code in KILLED for code, _ in codes) > len(codes) / 2, codes


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
        words = ["strace", "-qq", "-o", str(log), *_only(call, "STOP")]
        words += ["--", *task(folder)]
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


def _only(call: str, signal_name: str) -> list[str]:
    """Return what has strace send a signal at one call, and write of no other."""
    name, _, count = call.partition(" ")
    inject = f"inject={name}:signal={signal_name}:when={count}"
    return ["-e", f"trace={name}", "-e", inject]


def _calls(
    task: Callable[[Path], list[str]], prepare: Callable[[Path], None], folder: Path
) -> list[tuple[str, int]]:
    """Run a task once; name each telling call from its first touch of the folder on, with its count.

    Each thread counts for itself, and the first that comes to a count gets the signal.
    """
    prepare(folder)
    log = folder.parent / "calls"
    for _ in range(2):  # the first run may still write what the compiler made
        shutil.rmtree(folder)
        prepare(folder)
        done = _strace(["-o", str(log)], task(folder))
        if done.returncode:
            pytest.skip(f"strace does not work here: {done.stderr.decode().strip()}")
    seen: Counter[tuple[bytes, str]] = Counter()
    most: Counter[str] = Counter()
    found: list[tuple[str, int]] = []
    begun = False
    for line in log.read_bytes().splitlines():
        call = _CALL.match(line)
        if call is None:
            continue
        name = call["name"].decode()
        mine = call["thread"], name
        seen[mine] += 1
        first = seen[mine] > most[name]
        most[name] = max(most[name], seen[mine])
        begun = begun or (b'"' + os.fsencode(folder) in line and name != "execve")
        if begun and first and name in TELLING and b"O_RDONLY" not in line:
            found.append((name, most[name]))
    assert len(found) > 5, log.read_text()
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
