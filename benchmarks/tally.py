"""Who was sent what, was shown what, and how long it took: the judge of soak and torture."""

import re
import sqlite3
from collections import Counter
from contextlib import closing
from typing import NamedTuple

_SAID = re.compile(rb"canary (\d+)\.")
_AGAIN = b"] (again) "
_HEADER = b"[attend "
_TAUGHT = b"[attend sensor=disclosure "
_BATCHES = """SELECT text, delivery.session, state FROM delivery
    JOIN outbox ON outbox.id = delivery.batch"""
_DELIVERIES = """SELECT body, delivery.session, state FROM delivery
    JOIN message ON message.id = delivery.message"""


class Wait(NamedTuple):
    """How long one canary took.

    Attributes:
        at: when it was shown, seconds of the run.
        seconds: since its sending began.
        disturbed: whether something was done to its reader meanwhile, or to all of them.
    """

    at: float
    seconds: float
    disturbed: bool


class Sample(NamedTuple):
    """What a process held at a moment.

    Attributes:
        at: seconds of the run.
        role: ``host`` or ``reader``.
        mb: resident memory.
        files: open descriptors.
    """

    at: float
    role: str
    mb: float
    files: int


class Tally:
    """What happened to numbered messages, called canaries.

    Attributes:
        accepted: numbers that `attend send` accepted.
        refused: how many it refused, and said so.
        shown: how often each was shown by whom, unmarked and marked ``(again)``.
        lines: how often each other line was shown by whom, in the same way.
        taught: how often each process was shown each text that teaches.
        waits: of what was shown unmarked.
        calm: those of each time in which nothing was done but sending, in turn.
        samples: of memory.
        done: how often each thing was done.
    """

    def __init__(self) -> None:
        self.accepted: set[int] = set()
        self.refused = 0
        self.shown: dict[tuple[int, str], list[int]] = {}
        self.lines: dict[tuple[str, bytes], list[int]] = {}
        self.taught: Counter[tuple[str, int, bytes]] = Counter()
        self.waits: list[Wait] = []
        self.calm: list[list[Wait]] = []
        self.samples: list[Sample] = []
        self.done: Counter[str] = Counter()

    def show(self, name: str, line: bytes, pid: int = 0) -> int | None:
        """Take in a line that a process was shown; return the canary that is new in it."""
        found, marked = _SAID.search(line), _AGAIN in line
        if found is None:
            if line.startswith(_HEADER):
                known = self.lines.setdefault((name, line.replace(_AGAIN, b"] ")), [0, 0])
                known[marked] += 1
            if line.startswith(_TAUGHT) and not marked:
                self.taught[name, pid, line] += 1
            return None
        number = int(found[1])
        times = self.shown.setdefault((number, name), [0, 0])
        times[marked] += 1
        return number if times == [1, 0] else None

    def fates(self, store: str) -> dict[tuple[int, str], str]:
        """Read from the store what was accepted for whom: state by number and name."""
        with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as db:
            rows = db.execute(_DELIVERIES).fetchall()
        found = {}
        for body, session, state in rows:
            said = _SAID.search(body if isinstance(body, bytes) else body.encode())
            if said is not None:
                found[int(said[1]), session.removeprefix("as:")] = state
        return found

    def lost(self, store: str) -> list[str]:
        """Name what was accepted and not shown, or is not even in the store."""
        fates = self.fates(store)
        kept = {number for number, _ in fates}
        lost = [f"{number}: not kept" for number in self.accepted - kept]
        lost += [
            f"{number} to {name}: {state}"
            for (number, name), state in fates.items()
            if (number, name) not in self.shown and state != "announced"
        ]
        for key, (offered, _) in self._batches(store).items():
            if sum(self.lines.get(key, (0, 0))) < offered:
                lost.append(f"{key[1].decode()} to {key[0]}")
        return sorted(lost)

    def announced(self, store: str) -> int:
        """Count what was told as part of a number, because too much waited."""
        return sum(state == "announced" for state in self.fates(store).values())

    def doubled(self, store: str) -> list[str]:
        """Name what was shown twice without a mark, or again more than once."""
        doubled = [
            f"{number} to {name}"
            for (number, name), (plain, marked) in sorted(self.shown.items())
            if plain > 1 or marked > 1
        ]
        doubled += [
            f"{line.decode()} to {name}, process {pid}"
            for (name, pid, line), times in self.taught.items()
            if times > 1
        ]
        batches = self._batches(store)
        for key, (plain, marked) in self.lines.items():
            made = batches.get(key, (0, 0))[1]
            if made and max(plain, marked) > made:
                doubled.append(f"{key[1].decode()} to {key[0]}")
        return doubled

    def told(self) -> int:
        """Count the lines of sensors that were shown."""
        return sum(map(sum, self.lines.values()))

    def repeated(self) -> int:
        """Count what was shown again, marked, as it may be after a death."""
        return sum(marked for each in (self.shown, self.lines) for _, marked in each.values())

    def latency_ms(self, which: slice) -> tuple[float, float]:
        """Return median and 99th percentile of the undisturbed waits in a part of the run.

        Args:
            which: of the waits in thirds: ``slice(0, 1)`` is the first.
        """
        calm = [each.seconds * 1000 for each in self.waits if not each.disturbed]
        third = max(1, len(calm) // 3)
        part = sorted(calm[which.start * third : which.stop * third])
        return (part[len(part) // 2], part[int(len(part) * 0.99)]) if part else (0.0, 0.0)

    def calm_ms(self, which: int) -> float:
        """Return the median of the waits of a calm time, by its index."""
        waits = self.calm[which] if self.calm else []
        found = sorted(each.seconds * 1000 for each in waits)
        return found[len(found) // 2] if found else 0.0

    def memory_mb(self, role: str) -> tuple[float, float]:
        """Return the medians of the first and of the last third of a role's samples."""
        held = [each.mb for each in self.samples if each.role == role]
        third = max(1, len(held) // 3)
        first, last = sorted(held[:third]), sorted(held[-third:])
        return (first[len(first) // 2], last[len(last) // 2]) if held else (0.0, 0.0)

    def _batches(self, store: str) -> dict[tuple[str, bytes], tuple[int, int]]:
        """Count how often each line stands in a batch: in those that count as shown, in all."""
        with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as db:
            rows = db.execute(_BATCHES).fetchall()
        found: dict[tuple[str, bytes], tuple[int, int]] = {}
        for text, session, state in rows:
            for line in text.splitlines():
                key = (session.removeprefix("as:"), line.encode())
                offered, made = found.get(key, (0, 0))
                found[key] = (offered + (state == "offered"), made + 1)
        return {key: count for key, count in found.items() if key[1].startswith(_HEADER)}
