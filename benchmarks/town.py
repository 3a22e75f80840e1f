"""Sessions that are written to while things are done to them; all of it real processes."""

import contextlib
import itertools
import os
import random
import selectors
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

from benchmarks.place import Home
from benchmarks.tally import Sample, Tally, Wait
from tests.process.installing import Installed

SAMPLE_S = 5.0
"""How often memory is looked at."""
MOST_SENDING = 4
"""So many sends are under way at once."""
CALM_S = 2.0
"""A reader that something was done to counts as disturbed for so long after it."""


class Process:
    """A program of the town that is started again whenever it ends.

    Attributes:
        name: whose it is.
        process: the one that runs.
        stopped_until: when it is to be continued; 0 while it is not stopped.
        disturbed_until: until when what it does tells nothing about speed.
        down_s: how long after its end it is started again.
    """

    def __init__(self, town: "Town", name: str, words: list[str], down_s: float = 0.0) -> None:
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


class Town:
    """Readers that are written to, and whoever is the host for them.

    Attributes:
        home: where they live.
        project: the repository that they work in.
        installed: the attend that they run, which can be replaced.
        readers: by name.
        service: `attendd`, if there is one.
        tally: what became of what was sent.
        dice: decides.
    """

    def __init__(self, folder: Path, seed: int, readers: int, *, service: bool = False) -> None:
        self.tally = Tally()
        self.dice = random.Random(seed)  # noqa: S311 - faults, not secrets
        self.home = Home(folder)
        self.project = self.home.repository("project")
        self.installed = Installed(folder / "v")
        self.selector = selectors.DefaultSelector()
        self.log = (folder / "stderr").open("ab")
        self.closing = False
        self._began = time.monotonic()
        self._sampled = 0.0
        self._sending: dict[int, tuple[subprocess.Popen[bytes], int]] = {}
        self._started: dict[int, float] = {}
        self._commits = 0
        daemon = [str(self.installed.python), "-P", "-m", "attendd.daemon"]
        self.service = Process(self, "attendd", daemon, down_s=0.2) if service else None
        names = [f"r{number:02}" for number in range(readers)]
        self.readers = {
            name: Process(self, name, self.installed.run(f"--as={name}")) for name in names
        }
        self._turns = itertools.cycle(self.dice.sample(names, readers))

    @property
    def store(self) -> str:
        """The path of the store."""
        return self.home.store

    @property
    def runtime(self) -> Path:
        """Where bells and locks are."""
        return Path(self.home.env["ATTEND_HOME"]) / "run"

    def live(self, seconds: float) -> None:
        """Let time pass, and hear what is said meanwhile."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            for key, _ in self.selector.select(min(left, 0.1)):
                key.data()
            now = time.monotonic()
            for each in self.processes():
                each.look(now)
            if now - self._sampled > SAMPLE_S:
                self._sampled = now
                self._sample()

    def live_with(self, seconds: float, *rhythm: tuple[float, Callable[[], object]]) -> None:
        """Let time pass, and do each of some things once in so many seconds."""
        began = time.monotonic()
        next_at = [every for every, _ in rhythm]
        while (now := time.monotonic() - began) < seconds:
            for index, (every, action) in enumerate(rhythm):
                if now >= next_at[index]:
                    next_at[index] = now + every
                    action()
            self.live(max(0.001, min(next_at) - (time.monotonic() - began)))

    def processes(self) -> list[Process]:
        """Return all that run."""
        return [*self.readers.values(), *([self.service] if self.service else [])]

    def host(self) -> Process | None:
        """Return whoever is the host now."""
        lock = Path(self.store).parent / "host.lock"
        words = lock.read_text().split() if lock.exists() else []
        found = [each for each in self.processes() if words[:1] == [str(each.process.pid)]]
        return found[0] if found else None

    def write(self, rounds: int = 1) -> None:
        """Begin to send a canary to whoever has not been written to for longest."""
        for _ in range(rounds):
            if len(self._sending) >= MOST_SENDING:
                return
            self._send(next(self._turns))

    def commit(self) -> None:
        """Have somebody else commit something in the project, of which sensors will tell."""
        self._commits += 1
        message = f"commit {self._commits}"
        self.home.git(self.project, "commit", "-q", "--allow-empty", "-m", message)

    def heard(self, who: Process, line: bytes) -> None:
        """Take in what somebody was shown."""
        now = time.monotonic()
        number = self.tally.show(who.name, line)
        if number is not None and number in self._started:
            began = self._started[number]
            disturbed = who.disturbed_until > began
            self.tally.waits.append(Wait(now - self._began, now - began, disturbed))

    def disturb(self, seconds: float) -> None:
        """Take note that something is done to all of them."""
        for each in self.processes():
            each.disturb(seconds)

    def settle(self, seconds: float) -> None:
        """Let everybody go on and hear the rest, at most so long."""
        for each in self.processes():
            if each.stopped_until:
                each.go_on()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.live(1.0)
            if not self._sending and not self.tally.lost(self.store):
                return

    def end(self) -> None:
        """End everybody."""
        self.closing = True
        for each in self.processes():
            each.end()
        self.selector.close()
        self.log.close()

    def _send(self, name: str) -> None:
        number = len(self._started) + 1
        words = ["send", "--as=post", "--to", name, f"canary {number}."]
        self._started[number] = time.monotonic()
        process = subprocess.Popen(
            [str(self.installed.attend), *words],
            cwd=self.home.path,
            env=self.home.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self.log,
        )
        assert process.stdout is not None  # noqa: S101 - as asked for
        out = process.stdout
        self._sending[number] = (process, number)
        self.selector.register(out, selectors.EVENT_READ, lambda: self._sent(number, out))

    def _sent(self, number: int, out: IO[bytes]) -> None:
        if os.read(out.fileno(), 4096):
            return
        self.selector.unregister(out)
        out.close()
        process, _ = self._sending.pop(number)
        if process.wait() == 0:
            self.tally.accepted.add(number)
        else:
            self.tally.refused += 1

    def _sample(self) -> None:
        now = time.monotonic() - self._began
        for each in self.processes():
            with contextlib.suppress(OSError, ValueError, IndexError):
                proc = Path(f"/proc/{each.process.pid}")
                full = b"step_up" in (proc / "cmdline").read_bytes() or each is self.service
                status = (proc / "status").read_text()
                mb = int(status.partition("VmRSS:")[2].split()[0]) / 1024
                files = len(list((proc / "fd").iterdir()))
                role = "host" if full else "reader"
                self.tally.samples.append(Sample(now, role, mb, files))
