"""Kills at one system call after another of becoming the host, and of handing that over.

`tests/store` does the same to sending, claiming and putting. Here the programs are whole ones,
so of their thousands of calls only those are tried that touch attend's own files, its locks and
sockets, or turn one program into another.
"""

import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from benchmarks.place import Home
from tests.process.installing import Installed

DEADLINE_S = 30.0
HANDOVER_S = 10.0
"""Somebody is the host within so long."""

_CALL = re.compile(rb"(?P<pid>\d+) +[\d.]+ (?P<name>\w+)\(")
_STRACE = ("strace", "-D", "-f", "-qq")
"""As the program's grandchild, so that it is the program that is waited for and killed."""
_TELLING = {b"execve", b"flock", b"bind", b"sendto", b"pwrite64", b"ftruncate", b"kill"}
_TAUGHT = b"`attend run` belongs"


class Place:
    """A home, the processes in it, and what `me` was shown in all of them together.

    Attributes:
        home: the home.
        out: what was shown, all in one file.
        reader: the command line of `me`'s reader.
        service: that of `attendd`.
        died: whether the traced program was killed at the call.
    """

    def __init__(self, folder: Path, installed: Installed) -> None:
        self.home = Home(folder)
        self.reader = installed.run("--as=me")
        self.service = [str(installed.python), "-P", "-m", "attendd.daemon"]
        self.out = folder / "out"
        self.out.touch()
        self.died = False
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self, words: list[str], *before: str) -> "subprocess.Popen[bytes]":
        """Start a program; ``before`` are the words of one that becomes it."""
        with self.out.open("ab") as out, (self.home.path / "err").open("ab") as err:
            process = subprocess.Popen(
                [*before, *words],
                cwd=self.home.path,
                env=self.home.env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )
        self._running.append(process)
        return process

    def send(self, number: int) -> None:
        """Send a canary to `me`."""
        words = [self.reader[0], "send", "--as=post", "--to=me", f"canary {number}."]
        subprocess.run(words, cwd=self.home.path, env=self.home.env, check=True, stdout=-3)

    def shown(self, text: bytes) -> int:
        """Count how often something was shown."""
        return self.out.read_bytes().count(text)

    def is_host(self, process: "subprocess.Popen[bytes]") -> bool:
        """Tell whether a process holds the host's lock."""
        return self.host() == process.pid

    def host(self) -> int:
        """Return the process of the host, if it lives; else 0."""
        with contextlib.suppress(OSError, ValueError, IndexError):
            lock = Path(self.home.store).parent / "host.lock"
            pid = int(lock.read_text().split()[0])
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            return 0 if state in "ZX" else pid
        return 0

    def faults(self, number: int) -> list[str]:
        """Judge what became of a canary, and of the store."""
        lines = [x for x in self.out.read_bytes().splitlines() if b"canary %d." % number in x]
        again = sum(b"] (again) " in line for line in lines)
        found = []
        if not lines:
            found.append("lost")
        if len(lines) - again > 1 or again > 1:
            found.append("doubled")
        with closing(sqlite3.connect(self.home.store)) as db:
            said = db.execute("PRAGMA integrity_check").fetchone()[0]
        return found if said == "ok" else [*found, f"integrity: {said}"]

    def end(self) -> None:
        """End everything."""
        for process in self._running:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.wait()
        self._running.clear()


Try = Callable[[Place, tuple[str, ...]], list[str]]
"""Does something with one program under strace, with its words; returns what went wrong."""


def becoming_the_host(place: Place, traced: tuple[str, ...]) -> list[str]:
    """A reader becomes the host, dies on the way, and is started again."""
    place.send(1)
    first = place.start(place.reader, *traced)
    until(lambda: first.poll() is not None or place.shown(_TAUGHT) > 0)
    place.died = first.poll() is not None
    place.end()
    taught = place.shown(_TAUGHT)
    second = place.start(place.reader)
    hosting = until(lambda: place.is_host(second) and place.shown(_TAUGHT) > taught)
    until(lambda: place.shown(b"canary 1.") > 0)
    return place.faults(1) + ([] if hosting else ["nobody was the host"])


def taking_over(place: Place, traced: tuple[str, ...]) -> list[str]:
    """A service takes over from a reader, and dies on the way."""
    reader = place.start(place.reader)
    until(lambda: place.is_host(reader) and place.shown(_TAUGHT) > 0)
    service = place.start(place.service, *traced)
    until(lambda: service.poll() is not None or place.is_host(service))
    place.died = service.poll() is not None
    service.kill()
    service.wait()
    place.send(1)
    hosting = until(lambda: place.is_host(reader), HANDOVER_S)
    until(lambda: place.shown(b"canary 1.") > 0)
    found = place.faults(1) + ([] if hosting else ["the reader did not take it back"])
    return found + ["taught again"] * (place.shown(_TAUGHT) - 1)


def stepping_back(place: Place, traced: tuple[str, ...]) -> list[str]:
    """A reader that is the host steps back for a service, and dies on the way."""
    first = place.start(place.reader, *traced)
    until(lambda: first.poll() is not None or place.shown(_TAUGHT) > 0)
    service = place.start(place.service)
    until(lambda: place.is_host(service))
    place.send(1)
    until(lambda: first.poll() is not None or place.shown(b"canary 1.") > 0)
    place.died = first.poll() is not None
    first.kill()
    first.wait()
    second = place.start(place.reader)
    until(lambda: place.shown(b"canary 1.") > 0 and second.poll() is None)
    return place.faults(1) + ([] if place.is_host(service) else ["the service is not the host"])


SWEEPS: dict[str, Try] = {
    "becoming the host": becoming_the_host,
    "taking over": taking_over,
    "stepping back": stepping_back,
}


def sweep(folder: Path, what: Try, points: int) -> Iterator[tuple[str, bool, list[str]]]:
    """Do something again and again, its traced program killed at another call each time.

    Args:
        folder: where to make homes.
        what: the thing.
        points: how many calls are tried, spread evenly; 0: all.

    Yields:
        The call, whether the program died at it, and what went wrong.
    """
    log, installed = folder / "calls", Installed(folder / "v")
    place = prepared(folder / "all", installed)
    what(place, (*_STRACE, "-ttt", "-s", "256", "-o", str(log), "--"))
    place.end()
    calls = chosen(log.read_bytes(), os.fsencode(folder / "all"))
    step = len(calls) / points if points and len(calls) > points else 1.0
    for at in range(int(len(calls) / step)):
        name, count = calls[int(at * step)]
        place = prepared(folder / f"p{at}", installed)
        inject = f"inject={name}:signal=KILL:when={count}"
        try:
            found = what(place, (*_STRACE, "-o", "/dev/null", "-e", inject, "--"))
            yield f"{name} {count}", place.died, found
        finally:
            place.end()
        shutil.rmtree(folder / f"p{at}")


def chosen(log: bytes, home: bytes) -> list[tuple[str, int]]:
    """Name the calls of a trace that are worth dying at, each with its count in its thread."""
    seen: Counter[tuple[bytes, bytes]] = Counter()
    found = []
    for line in log.splitlines():
        call = _CALL.match(line)
        if call is None:
            continue
        seen[call["pid"], call["name"]] += 1
        if call["name"] in _TELLING or b'"' + home in line:
            found.append((call["name"].decode(), seen[call["pid"], call["name"]]))
    return list(dict.fromkeys(found))


def prepared(folder: Path, installed: Installed) -> Place:
    """Make a home in which `me` is known."""
    place = Place(folder, installed)
    reader = place.start([*place.reader, "--host-after=-1"])
    bells = Path(place.home.env["ATTEND_HOME"]) / "run"
    until(lambda: bool(list(bells.glob("*.bell"))))
    reader.terminate()
    reader.wait()
    return place


def until(true: Callable[[], bool], seconds: float = DEADLINE_S) -> bool:
    """Wait until something is so; false if it was not in time."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
