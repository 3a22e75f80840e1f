"""Runs commands of the full program in processes that have loaded it already.

Loading is most of what a command takes. So one process for each worker of the tests loads all of
it, once, and forks for each command: a process with an environment, a directory and streams of
its own, which ends as Python ends. What Python goes by at its very start can't be changed in a
fork; a command that needs that, or pipes, is started anew, by `tests.process.box.Box.run`.
"""

import atexit
import functools
import gc
import importlib
import json
import os
import posix
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TextIO

KEPT = {
    name: os.environ[name]
    for name in ("PATH", "LANG", "TZ", "PYTHONPATH")
    if name in os.environ
}
"""What every test's programs have of our environment."""
_AT_START = ("LANG", "LC_", "LOCPATH", "PYTHON")
"""How the names of variables begin that Python reads when it starts."""
_LONGEST = 1 << 17


def fits(env: Mapping[str, str]) -> bool:
    """Tell whether a command with this environment can run in a fork."""
    return _early(env) == _early(KEPT)


def run(
    words: Sequence[str], env: Mapping[str, str], cwd: str, given: str, deadline_s: float
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, its streams being files.

    Args:
        words: of its command line, after the program's name.
        env: its environment, for which `fits` is true.
        cwd: its directory.
        given: what it reads from standard input.
        deadline_s: when it is killed.

    Raises:
        subprocess.TimeoutExpired: it had not ended by then.
    """
    with ExitStack() as stack:
        files = [
            stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8"))
            for _ in range(3)
        ]
        files[0].write(given)
        files[0].seek(0)
        ours = stack.enter_context(start(words, env, cwd, [each.fileno() for each in files]))
        code = ended(ours, deadline_s)
        if code is None:
            raise subprocess.TimeoutExpired(list(words), deadline_s)
        for each in files:
            each.seek(0)
        out, err = (each.read() for each in files[1:])
    return subprocess.CompletedProcess(list(words), code, out, err)


def start(
    words: Sequence[str], env: Mapping[str, str], cwd: str, streams: Sequence[int]
) -> socket.socket:
    """Start a command with descriptors for its streams; return what `ended` is asked with."""
    ours, theirs = socket.socketpair()
    asked = json.dumps([list(words), dict(env), cwd]).encode()
    with theirs:
        socket.send_fds(_server(), [asked], [*streams, theirs.fileno()])
    return ours


def _early(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith(_AT_START)}


def ended(ours: socket.socket, deadline_s: float) -> int | None:
    """Return what a command ended with; kill it, and return ``None``, if it does not end."""
    until = time.monotonic() + deadline_s
    said = b""
    try:
        while said.count(b"\n") < 2:
            ours.settimeout(max(0.01, until - time.monotonic()))
            said += ours.recv(64)
    except TimeoutError:
        os.kill(int(said.split()[0]), signal.SIGKILL)
        return None
    return int(said.split()[1])


@functools.cache
def _server() -> socket.socket:
    """Start the process that forks; it ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server = subprocess.Popen(
        [sys.executable, "-P", __file__, str(theirs.fileno())],
        env=KEPT,
        stdin=subprocess.DEVNULL,
        pass_fds=[theirs.fileno()],
    )
    theirs.close()

    def end() -> None:
        ours.close()
        server.wait()

    atexit.register(end)
    return ours


def _serve(server: socket.socket) -> None:
    """Fork for each command that is asked for; return in the fork, as what is to run it."""
    from attendd.cli import COMMANDS, HOT  # noqa: PLC0415 - nothing of it in the tests' process

    for name in (*(each for each in COMMANDS if each not in HOT), "elsewhere"):
        importlib.import_module(f"attendd.cli.{name}")
    importlib.import_module("attendd.memory.detectors")
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that wait
    while True:
        asked, fds, *_ = socket.recv_fds(server, _LONGEST, 4)
        if not asked:
            sys.exit()
        if os.fork() == 0:
            break
        for fd in fds:
            os.close(fd)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    server.close()
    *streams, told = fds
    if pid := os.fork():
        os.write(told, f"{pid}\n".encode())
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.write(told, f"{code}\n".encode())
        os._exit(0)
    os.close(told)
    for number, fd in enumerate(streams):
        os.dup2(fd, number)
        os.close(fd)
    _become(*json.loads(asked))


def _become(words: list[str], env: dict[str, str], cwd: str) -> None:
    """Have the directory, the environment, the words and the output of a command."""
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    posix.environ.clear()
    posix.environ.update((os.fsencode(name), os.fsencode(env[name])) for name in env)
    time.tzset()
    sys.argv[1:] = words
    sys.stdout = _written(1, sys.stdout, -1)
    sys.stderr = _written(2, sys.stderr, 1)


def _written(fd: int, before: TextIO, buffering: int) -> TextIO:
    """Open a stream as Python does that starts with it: by lines where it is a terminal."""
    return open(fd, "w", buffering, before.encoding, before.errors, "\n", closefd=False)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
    runpy.run_module("attendd", run_name="__main__", alter_sys=True)
