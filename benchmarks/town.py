"""Sessions that are written to while things are done to them; all of it real processes."""

import compileall
import contextlib
import itertools
import os
import random
import selectors
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import IO

from benchmarks.place import Home
from benchmarks.process import Process
from benchmarks.tally import Sample, Tally, Wait
from tests.process.installing import Installed

SAMPLE_S = 5.0
"""How often memory is looked at."""
CALM = 30
CALM_S = 0.5
"""So many canaries at such a distance are sent while nothing else is done."""
MOST_SENDING = 4
"""So many sends are under way at once."""


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
        compileall.compile_dir(self.installed.package, quiet=2)  # as pip does
        self.selector: selectors.BaseSelector = selectors.DefaultSelector()
        self.log: IO[bytes] = (folder / "stderr").open("ab")
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

    def calm(self) -> None:
        """Wait until nobody is disturbed any more, and see how long canaries take then."""
        while max(each.disturbed_until for each in self.processes()) > time.monotonic():
            self.live(1.0)
        before = len(self.tally.waits)
        self.live_with(CALM * CALM_S, (CALM_S, self.write))
        self.live(1.0)
        self.tally.calm.append(self.tally.waits[before:])

    def commit(self) -> None:
        """Have somebody else commit something in the project, of which sensors will tell."""
        self._commits += 1
        message = f"commit {self._commits}"
        self.home.git(self.project, "commit", "-q", "--allow-empty", "-m", message)

    def heard(self, who: Process, line: bytes) -> None:
        """Take in what somebody was shown."""
        now = time.monotonic()
        number = self.tally.show(who.name, line, who.process.pid)
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
            waiting = self._sending or self.tally.lost(self.store) or self.outdated()
            if not waiting:
                return

    def outdated(self) -> list[str]:
        """Name the readers that are not of the release that is installed now."""
        file = (self.installed.package / "hot" / "attach.py").read_text()
        release = file.partition('VERSION = "')[2].partition('"')[0]
        sql = "SELECT reader_pid, version FROM attachment WHERE ended_at IS NULL"
        with closing(sqlite3.connect(f"file:{self.store}?mode=ro", uri=True)) as db:
            versions = dict(db.execute(sql).fetchall())
        return [
            f"{name} is of release {versions.get(each.process.pid)}, not {release}"
            for name, each in self.readers.items()
            if versions.get(each.process.pid) != release
        ]

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
