"""Sessions that are written to while they are killed, stopped and robbed: who was told what."""

import contextlib
import os
import random
import re
import selectors
import shutil
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.place import HOT, Home

NAMES = ("ada", "ben", "cleo", "dan")
_SAID = re.compile(rb"canary (\d+)\.")


class Reader:
    """One `attend run --as NAME`, started again whenever it was killed."""

    def __init__(self, home: Home, name: str) -> None:
        self.name = name
        self.stopped_until = 0.0
        self._home = home
        self._rest = b""
        self.process = self._start()

    def _start(self) -> "subprocess.Popen[bytes]":
        words = [sys.executable, "-I", "-S", str(HOT), "run", f"--as={self.name}"]
        return subprocess.Popen(
            words,
            cwd=self._home.path,
            env=self._home.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def read(self) -> list[tuple[int, bool]]:
        """Return the canaries that came since: number, and whether marked as a repeat."""
        assert self.process.stdout is not None  # noqa: S101 - it was started with a pipe
        *lines, self._rest = (self._rest + os.read(self.process.stdout.fileno(), 65536)).split(
            b"\n"
        )
        return [
            (int(found[1]), b"(again)" in line)
            for line in lines
            if (found := _SAID.search(line))
        ]

    def kill(self) -> None:
        """End it as nobody expects, and start another in its place."""
        self.end()
        self._rest = b""
        self.process = self._start()

    def end(self) -> None:
        """End it without a warning."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None  # noqa: S101 - as above
        self.process.stdout.close()


class Town:
    """Some readers, one of them the host, and somebody who writes to them.

    Attributes:
        faults: how often each kind of fault was done.
        sent: when the sending of each accepted canary began, by number.
        shown: how often each was shown, unmarked and marked.
        waits: seconds from there to the line, of those shown unmarked.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.faults: dict[str, int] = {}
        self.sent: dict[int, float] = {}
        self.shown: dict[int, list[int]] = {}
        self.waits: list[float] = []
        self.refused = 0
        self._dice = random.Random(seed)  # noqa: S311 - faults, not secrets
        self._home = Home(folder)
        self._readers = [Reader(self._home, name) for name in NAMES]
        self._selector = selectors.DefaultSelector()
        self._watch_all()

    def live(self, seconds: float) -> None:
        """Let time pass, and hear what is said meanwhile."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            for key, _ in self._selector.select(min(left, 0.5)):
                self._hear(key.data)
            for reader in self._readers:
                if 0 < reader.stopped_until < time.monotonic():
                    self.go_on(reader)

    def write(self) -> None:
        """Send a canary to somebody."""
        number = len(self.sent) + self.refused + 1
        words = ["send", "--as=post", "--to", self._dice.choice(NAMES), f"canary {number}."]
        started = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(HOT), *words],
            env=self._home.env,
            capture_output=True,
            check=False,
        )
        if done.returncode == 0:
            self.sent[number] = started
        else:
            self.refused += 1

    def harm(self) -> None:
        """Do one fault at random."""
        reader = self._dice.choice(self._readers)
        kind = self._dice.choices(("kill", "kill the host", "stop", "log out"), (4, 3, 3, 1))[0]
        if kind == "stop":
            reader.process.send_signal(signal.SIGSTOP)
            reader.stopped_until = time.monotonic() + self._dice.uniform(0.1, 20.0)
        elif kind == "log out":
            shutil.rmtree(self._home.path / "attend" / "run", ignore_errors=True)
        else:
            self._kill(self._host() if kind == "kill the host" else reader)
        self.faults[kind] = self.faults.get(kind, 0) + 1

    def go_on(self, reader: Reader) -> None:
        """Let a stopped reader go on."""
        reader.stopped_until = 0.0
        with contextlib.suppress(ProcessLookupError):
            reader.process.send_signal(signal.SIGCONT)

    def settle(self, seconds: float) -> None:
        """Let everybody go on and hear the rest, at most so long."""
        for reader in self._readers:
            self.go_on(reader)
        until = time.monotonic() + seconds
        while self.lost() and time.monotonic() < until:
            self.live(1.0)

    def lost(self) -> list[int]:
        """Name the accepted canaries that nobody was shown."""
        return [number for number in self.sent if number not in self.shown]

    def doubled(self) -> list[int]:
        """Name those shown twice without a mark, or more than twice."""
        return [n for n, (plain, marked) in self.shown.items() if plain > 1 or marked > 1]

    def latency_ms(self) -> tuple[float, float]:
        """Return the medians of the first and of the last third of the waits."""
        third = max(1, len(self.waits) // 3)
        early, late = self.waits[:third], self.waits[-third:]
        return 1000 * statistics.median(early), 1000 * statistics.median(late)

    def memory_mb(self) -> float:
        """Return what the largest of the processes holds."""
        sizes = []
        for reader in self._readers:
            with contextlib.suppress(OSError):
                status = Path(f"/proc/{reader.process.pid}/status").read_text()
                sizes.append(int(status.partition("VmRSS:")[2].split()[0]) / 1024)
        return max(sizes, default=0.0)

    def end(self) -> None:
        """End everybody."""
        for reader in self._readers:
            reader.end()
        self._selector.close()

    def _host(self) -> Reader:
        lock = self._home.path / "attend" / "state" / "host.lock"
        words = lock.read_text().split() if lock.exists() else []
        for reader in self._readers:
            if words[:1] == [str(reader.process.pid)]:
                return reader
        return self._readers[0]

    def _kill(self, reader: Reader) -> None:
        self._selector.unregister(reader.process.stdout)  # type: ignore[arg-type]
        reader.stopped_until = 0.0
        reader.kill()
        self._selector.register(reader.process.stdout, selectors.EVENT_READ, reader)  # type: ignore[arg-type]

    def _watch_all(self) -> None:
        for reader in self._readers:
            self._selector.register(reader.process.stdout, selectors.EVENT_READ, reader)  # type: ignore[arg-type]

    def _hear(self, reader: Reader) -> None:
        for number, marked in reader.read():
            times = self.shown.setdefault(number, [0, 0])
            times[marked] += 1
            if not marked and number in self.sent:
                self.waits.append(time.monotonic() - self.sent[number])
