"""What the journal takes of one sensor: so many entries each by itself, the rest as sums.

A sensor that floods would within the hour drive out of the journal what all others have left
there. So an observation is either written down at each of its steps, or counted at each. What
was told is always written down.
"""

import math

import msgspec

from attendd.engine.batch import Code, Decision
from attendd.store import JournalRow

ROOM = 300.0
"""So many observations of one sensor in one session are written at once, with what becomes of
them."""
EVERY_S = 5.0
"""After that there is room for one entry more in so many seconds."""
SUM_S = 60.0
"""How often what is only counted is written down, as one entry for each code."""

_BEGINS = (Code.OBSERVED, Code.OWN)


class Sum(msgspec.Struct):
    """Entries that are only counted.

    Attributes:
        row: the last of them.
        count: of how many observations they speak.
        entries: how many they are.
        due_at: when they are written down, on the engine's clock.
    """

    row: JournalRow
    due_at: float
    count: int = 0
    entries: int = 0

    def entry(self) -> JournalRow:
        """Return the entry that stands for all of them."""
        if self.entries == 1:
            return self.row
        about = f"count {self.count}, not written one by one"
        return msgspec.structs.replace(
            self.row,
            text=f"{self.count:,} in all, the last: {self.row.text}",
            magnitude=0.0,
            detail="" if self.row.kind == "health" else about,  # there it is for tracebacks
            correlation="",
        )


class Ration:
    """What of one sensor in one session is written.

    Attributes:
        sums: what is counted, by code and batch.
    """

    __slots__ = ("_at", "_counted", "_left", "sums")

    def __init__(self, now: float) -> None:
        """Begin with all the room there is."""
        self.sums: dict[tuple[str, str], Sum] = {}
        self._left = ROOM
        self._at = now
        self._counted: set[int] = set()

    def writes(self, each: Decision) -> bool:
        """Tell whether a decision is written by itself."""
        if each.code is Code.FIRED or (each.code is Code.RODE and each.detail != "counted"):
            self._counted.discard(each.item)
            return True
        held = each.code.startswith("held.")
        if each.item in self._counted and not held:
            if each.code is not Code.LOW:  # all else is the last that is said of it
                self._counted.discard(each.item)
            return False
        if self.takes(each.at, least=1 if held or each.code in _BEGINS else -math.inf):
            return True
        if each.code is Code.OBSERVED:
            self._counted.add(each.item)
        return False

    def takes(self, now: float, least: float = 1) -> bool:
        """Use room for one entry; false where there is less than the least."""
        self._refill(now)
        if self._left < least:
            return False
        self._left -= 1
        return True

    def count(self, row: JournalRow, observations: int, now: float) -> None:
        """Count an entry that is not written, and of how many observations it speaks."""
        found = self.sums.setdefault((row.code, row.batch), Sum(row=row, due_at=now + SUM_S))
        found.row = row
        found.count += observations
        found.entries += 1

    def full(self, now: float) -> bool:
        """Whether it is as if nothing had ever been written or counted."""
        self._refill(now)
        return self._left >= ROOM and not self.sums

    def _refill(self, now: float) -> None:
        self._left = min(ROOM, self._left + max(0.0, now - self._at) / EVERY_S)
        self._at = max(self._at, now)


class Rations:
    """The rations of all sensors in all sessions, of what they say and of how they fare."""

    def __init__(self) -> None:
        """Begin with none: nothing has been written."""
        self._of: dict[tuple[str, str, str], Ration] = {}

    def decided(self, row: JournalRow, each: Decision) -> bool:
        """Tell whether a decision is written by itself; one that is not is counted.

        Args:
            row: the entry that it is.
            each: the decision.
        """
        ration = self._ration(row, "", each.at)
        if ration.writes(each):
            return True
        ration.count(row, each.count, each.at)
        return False

    def fared(self, row: JournalRow, now: float) -> bool:
        """Tell whether how a sensor fares is written by itself; what is not is counted."""
        ration = self._ration(row, row.kind, now)
        if ration.takes(now):
            return True
        ration.count(row, 1, now)
        return False

    @property
    def due_at(self) -> float:
        """When the next sum is due, on the clock; infinite while nothing is counted."""
        found = (each.due_at for ration in self._of.values() for each in ration.sums.values())
        return min(found, default=math.inf)

    def due(self, now: float) -> list[JournalRow]:
        """Return the sums that are due, once; infinity asks for all."""
        found = []
        for ration in self._of.values():
            ripe = [key for key, each in ration.sums.items() if each.due_at <= now]
            found += [ration.sums.pop(key).entry() for key in ripe]
        self._of = {key: each for key, each in self._of.items() if not each.full(now)}
        return found

    def _ration(self, row: JournalRow, what: str, now: float) -> Ration:
        key = (row.attachment, row.sensor, what)
        if key not in self._of:
            self._of[key] = Ration(now)
        return self._of[key]
