"""A program of a town: started again whenever it ends, heard, and done things to."""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from pathlib import Path
from typing import IO, Protocol

from benchmarks.place import Home

CALM_S = 2.0
"""A program that something was done to counts as disturbed for so long after it."""


class Around(Protocol):
    """What a program has around it: its town."""

    home: Home
    project: Path
    selector: selectors.BaseSelector
    log: IO[bytes]
    closing: bool

    def heard(self, who: "Process", line: bytes) -> None:
        """Take in what it was shown."""
        ...


class Process:
    """A program of the town that is started again whenever it ends.

    Attributes:
        name: whose it is.
        process: the one that runs.
        stopped_until: when it is to be continued; 0 while it is not stopped.
        disturbed_until: until when what it does tells nothing about speed.
        down_s: how long after its end it is started again.
    """

    def __init__(self, town: Around, name: str, words: list[str], down_s: float = 0.0) -> None:
        self.name = name
        self.stopped_until = 0.0
        self.disturbed_until = 0.0
        self.down_s = down_s
        self._town = town
        self._words = words
        self._rest = b""
        self._again_at = 0.0
        self.process = self._start()

    @property
    def out(self) -> IO[bytes]:
        """Its output."""
        assert self.process.stdout is not None  # noqa: S101 - it was started with a pipe
        return self.process.stdout

    def read(self) -> None:
        """Take in what it has written; at its end, start another in its place."""
        data = os.read(self.out.fileno(), 65536)
        if not data:
            self._ended()
            return
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._town.heard(self, line)

    def send(self, number: int) -> None:
        """Send it a signal."""
        self.disturb(CALM_S)
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)

    def kill(self) -> None:
        """End it as nobody expects; it is started again."""
        self.send(signal.SIGKILL)

    def stop(self, seconds: float) -> None:
        """Have it stand still for so long."""
        self.send(signal.SIGSTOP)
        self.stopped_until = time.monotonic() + seconds
        self.disturb(seconds + CALM_S)

    def go_on(self) -> None:
        """Let it run."""
        self.stopped_until = 0.0
        self.send(signal.SIGCONT)

    def disturb(self, seconds: float) -> None:
        """Take note that something is done to it."""
        self.disturbed_until = max(self.disturbed_until, time.monotonic() + seconds)

    def look(self, now: float) -> None:
        """Continue it, or start it again, when that is due."""
        if 0 < self.stopped_until <= now:
            self.go_on()
        if 0 < self._again_at <= now:
            self._again_at = 0.0
            self.process = self._start()

    def end(self) -> None:
        """End it for good; what it wrote is heard."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()

    def _start(self) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(
            self._words,
            cwd=self._town.project,
            env=self._town.home.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._town.log,
        )
        self._rest = b""
        self._town.selector.register(process.stdout, selectors.EVENT_READ, self.read)  # type: ignore[arg-type]
        return process

    def _ended(self) -> None:
        self._town.selector.unregister(self.out)
        self.out.close()
        self.process.wait()
        self.stopped_until = 0.0
        self.disturb(self.down_s + CALM_S)
        self._again_at = time.monotonic() + self.down_s
        if not self._town.closing:
            self.look(time.monotonic())
