"""A running program of ours, and its lines with a deadline."""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable
from typing import IO

DEADLINE_S = 20.0
"""How long anything may take before a test gives up; no test waits for it otherwise."""


class Lines:
    """Reads lines from a pipe, with a deadline."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._rest = b""
        os.set_blocking(pipe.fileno(), False)
        self.seen: list[str] = []

    def line(self, deadline_s: float = DEADLINE_S) -> str:
        """Return the next line without its newline.

        Raises:
            TimeoutError: none came in time; the message has what was seen before.
            EOFError: the pipe was closed.
        """
        found = self.more(deadline_s)
        if found is None:
            raise TimeoutError(f"no line in {deadline_s} s; before it: {self.seen[-20:]}")
        return found

    def more(self, deadline_s: float) -> str | None:
        """Return the next line; ``None`` if none comes in time."""
        until = time.monotonic() + deadline_s
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._pipe, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                left = until - time.monotonic()
                if left <= 0 or not waiting.select(left):
                    return None
                data = self._pipe.read(65536)
                if not data:
                    raise EOFError(f"closed; before it: {self.seen[-20:]}")
                self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        self.seen.append(line.decode("utf-8", "surrogateescape"))
        return self.seen[-1]

    def until(self, text: str, deadline_s: float = DEADLINE_S) -> list[str]:
        """Return lines up to the first that holds a text, that one included."""
        found = [self.line(deadline_s)]
        while text not in found[-1]:
            found.append(self.line(deadline_s))
        return found

    def end(self, deadline_s: float = DEADLINE_S) -> list[str]:
        """Return all lines up to the end of the pipe."""
        found = []
        try:
            while True:
                found.append(self.line(deadline_s))
        except EOFError:
            return found


class Reading:
    """A running `attend run`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        assert process.stdout is not None
        assert process.stderr is not None
        self.out = Lines(process.stdout)
        self.err = Lines(process.stderr)

    def kill(self, number: int = signal.SIGKILL) -> int:
        """Send a signal; return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(DEADLINE_S)

    def end(self) -> None:
        """End it if it runs."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(DEADLINE_S)
        for pipe in (self.process.stdout, self.process.stderr, self.process.stdin):
            if pipe is not None:
                pipe.close()


def eventually(true: Callable[[], bool], deadline_s: float = DEADLINE_S) -> None:
    """Wait until something outside is so, looking often.

    Raises:
        TimeoutError: it was not so in time.
    """
    until = time.monotonic() + deadline_s
    ticks = os.eventfd(0, os.EFD_NONBLOCK)
    try:
        with selectors.DefaultSelector() as waiting:
            waiting.register(ticks, selectors.EVENT_READ)
            while not true():
                if time.monotonic() > until:
                    raise TimeoutError
                waiting.select(0.02)
    finally:
        os.close(ticks)
