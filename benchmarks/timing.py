"""Starts programs and waits for what they write, with as little in between as can be."""

import os
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

LONGEST_S = 30.0
"""Whatever takes longer has failed."""


def run(words: list[str], env: Mapping[str, str], stdin: str = os.devnull) -> float:
    """Run a program to its end; return the seconds that took.

    Args:
        words: its command line; the first is a path.
        env: its environment.
        stdin: the file it reads.

    Raises:
        RuntimeError: it did not end with 0.
    """
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, stdin, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
    ]
    started = time.perf_counter()
    pid = os.posix_spawn(words[0], words, env, file_actions=actions)
    _, status = os.waitpid(pid, 0)
    taken = time.perf_counter() - started
    if status:
        raise RuntimeError(f"{' '.join(words)} ended with {os.waitstatus_to_exitcode(status)}")
    return taken


class Output:
    """What a running program writes."""

    def __init__(self, fd: int) -> None:
        """Take the end of a pipe to read from."""
        self._fd = fd
        self._poll = select.poll()
        self._poll.register(fd, select.POLLIN)
        self._rest = b""

    def until(self, text: bytes) -> float:
        """Wait for a line that holds a text; return the moment it was read.

        Raises:
            TimeoutError: it did not come.
            EOFError: the program has closed its output.
        """
        seen = self._rest
        deadline = time.perf_counter() + LONGEST_S
        while text not in seen or not seen.endswith(b"\n"):
            left = deadline - time.perf_counter()
            if left <= 0 or not self._poll.poll(1000 * left):
                raise TimeoutError(f"{text!r} did not come; what came: {seen[-2000:]!r}")
            data = os.read(self._fd, 1 << 16)
            if not data:
                raise EOFError(f"closed before {text!r}; what came: {seen[-2000:]!r}")
            seen += data
        return time.perf_counter()

    def drain(self) -> None:
        """Read what is there."""
        while self._poll.poll(0) and os.read(self._fd, 1 << 16):
            pass


class Program:
    """A program that goes on running, and what it writes."""

    def __init__(
        self,
        words: Sequence[str],
        env: Mapping[str, str],
        cwd: Path,
        errors: int = subprocess.DEVNULL,
    ) -> None:
        """Start it."""
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            words,
            env=env,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            bufsize=0,
        )
        assert self.process.stdout is not None  # noqa: S101 - for the type checker
        self.out = Output(self.process.stdout.fileno())

    def end(self) -> None:
        """Ask it to end, and wait until it has."""
        self.process.terminate()
        try:
            self.process.wait(LONGEST_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(LONGEST_S)
        if self.process.stdout is not None:
            self.process.stdout.close()
