"""What fired too low for a batch of its own: it waits, and goes along with the next one."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from attendd.engine.accumulator import Item
from attendd.engine.batch import Batch, Line
from attendd.engine.settings import Governor
from attendd.model import Priority

COUNTER = "attend"
"""The name of what no sensor says: attend's own remarks, and riders that are only counted."""
_NAMES = 5
"""Sensors named in a count; the others are summed up."""


class Rider(msgspec.Struct, kw_only=True):
    """A low line that waits, and the slot that fired it."""

    slot: str
    item: Item


class Riders(msgspec.Struct, kw_only=True):
    """All riders of an attention.

    Attributes:
        waiting: oldest first, by their last observation.
        counted: how many more there were, by slot, whose text is gone.
    """

    waiting: list[Rider] = []
    counted: dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self.waiting or self.counted)

    def add(self, slot: str, item: Item) -> Item | None:
        """Take in a low line.

        Returns:
            The equal rider it was merged into; ``None`` when it is a new one.
        """
        for rider in self.waiting:
            if rider.slot == slot and rider.item.key == item.key and not item.folded:
                rider.item.count += item.count
                rider.item.magnitude = max(rider.item.magnitude, item.magnitude)
                rider.item.again = item.latest
                self.waiting = [r for r in self.waiting if r is not rider] + [rider]
                return rider.item
        self.waiting = [*self.waiting, Rider(slot=slot, item=item)]
        return None

    def fold(self, settings: Governor) -> list[Rider]:
        """Keep the riders to a number; return those that are now only counted.

        They are the oldest of the sensor that has most.
        """
        excess = []
        while len(self.waiting) > settings.max_riders:
            slot = Counter(rider.slot for rider in self.waiting).most_common(1)[0][0]
            oldest = next(rider for rider in self.waiting if rider.slot == slot)
            self.waiting = [rider for rider in self.waiting if rider is not oldest]
            excess.append(oldest)
        self._count(excess)
        return excess

    def drop(self, slot: str) -> list[Rider]:
        """Let go of a slot's riders and return them."""
        gone = [rider for rider in self.waiting if rider.slot == slot]
        self.waiting = [rider for rider in self.waiting if rider.slot != slot]
        self.counted = {name: n for name, n in self.counted.items() if name != slot}
        return gone

    def lines(self, settings: Governor) -> tuple[list[Line], list[Rider], list[Rider]]:
        """Return the lines that ride, and whom they settle: those shown, those counted.

        The latest are shown, as they are nearest to how things are now: the latest of each
        sensor before a second one of any.
        """
        places = sorted(range(len(self.waiting)), key=self._turns().__getitem__)
        seen = set(places[: settings.max_rider_lines])
        shown = [rider for at, rider in enumerate(self.waiting) if at in seen]
        hidden = [rider for at, rider in enumerate(self.waiting) if at not in seen]
        lines = [
            Line(
                slot=rider.slot,
                priority=Priority.LOW,
                text=rider.item.text,
                count=rider.item.count,
                observations=(rider.item.observation(),),
                items=(rider.item.id,),
                latest=rider.item.latest,
            )
            for rider in shown
        ]
        counts = Counter(self.counted)
        for rider in hidden:
            counts[rider.slot] += rider.item.count
        if counts:
            text = _in_words(counts, alone=not shown)
            ids = tuple(rider.item.id for rider in hidden)
            lines.append(Line(slot=COUNTER, priority=Priority.LOW, text=text, items=ids))
        return lines, shown, hidden

    def settle(self, batch: Batch) -> list[Rider]:
        """Let go of those that are in a batch, and return them."""
        ids = {item for line in batch.lines for item in line.items}
        told = [rider for rider in self.waiting if rider.item.id in ids]
        self.waiting = [rider for rider in self.waiting if rider.item.id not in ids]
        if any(not line.observations for line in batch.lines):  # the count
            self.counted = {}
        return told

    def gone(self) -> None:
        """Take note that all of them rode."""
        self.waiting = []
        self.counted = {}

    def _turns(self) -> list[tuple[int, int]]:
        """Return how many later ones each rider's sensor has, and how many there are of all."""
        later, turns = Counter[str](), list[tuple[int, int]]()
        for rider in reversed(self.waiting):
            turns.append((later[rider.slot], len(turns)))
            later[rider.slot] += 1
        return turns[::-1]

    def _count(self, riders: Iterable[Rider]) -> None:
        counts = Counter(self.counted)
        for rider in riders:
            counts[rider.slot] += rider.item.count
        self.counted = dict(counts)


def _in_words(counts: Counter[str], *, alone: bool) -> str:
    """Say how many there were and from whom: ``and 4 more notes …: git 3, peers 1``."""
    most = counts.most_common(_NAMES)
    named = [f"{name} {count}" for name, count in most]
    total = counts.total()
    others = total - sum(count for _, count in most)
    if others:
        named.append(f"others {others}")
    notes = "note" if total == 1 else "notes"
    start = f"{total} {notes}" if alone else f"and {total} more {notes}"
    return f"{start} of low priority, only counted: {', '.join(named)}"
