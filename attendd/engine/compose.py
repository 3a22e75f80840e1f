"""Puts lines together until a batch is full: high first, what one sensor says in its order."""

from collections.abc import Sequence

import msgspec

from attendd.engine import render
from attendd.engine.accumulator import Item, total
from attendd.engine.batch import Batch, Line
from attendd.engine.settings import Governor, Lines
from attendd.engine.slot import Slot
from attendd.model import Lane, Priority

_RANK = {Priority.HIGH: 0, Priority.MEDIUM: 1, Priority.LOW: 2}


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """An item that may be told now.

    Attributes:
        slot: whose it is.
        item: what it is.
        priority: how its line will be labelled.
        magnitude: what it fires with.
    """

    slot: Slot
    item: Item
    priority: Priority
    magnitude: float

    def line(self) -> Line:
        """Return it as a line."""
        return Line(
            slot=self.slot.name,
            priority=self.priority,
            text=self.item.text,
            lane=self.item.lane,
            count=1 if self.item.folded else self.item.count,
            observations=(self.item.observation(),),
            items=(self.item.id,),
            latest=self.item.latest,
        )


def messages(slots: Sequence[Slot], settings: Governor) -> list[Candidate]:
    """Return all messages, each with the priority of what its slot has accumulated."""
    found = []
    for slot in slots:
        magnitude = total(slot.pending.messages)
        priority = settings.priority(magnitude)
        found += [
            Candidate(slot=slot, item=item, priority=priority, magnitude=magnitude)
            for item in slot.pending.messages
        ]
    return found


def events(slots: Sequence[Slot], settings: Governor) -> list[Candidate]:
    """Return the events of ripe slots, and those that had fired and found no room."""
    found = []
    for slot in slots:
        magnitude = slot.magnitude
        priority = settings.priority(magnitude)
        found += [
            Candidate(slot=slot, item=i, priority=i.fired or priority, magnitude=magnitude)
            for i in slot.pending.events
            if slot.ripe or i.fired
        ]
    return found


def pick(
    candidates: Sequence[Candidate], limits: Lines, allowance: int, room: int
) -> tuple[list[Candidate], int]:
    """Choose what goes: in order of priority, then of age, until the batch is full.

    Args:
        candidates: of both lanes.
        limits: the length of lines.
        allowance: how many messages may go.
        room: UTF-16 units there are, newlines counted.

    Returns:
        What goes, and the room that is left.
    """
    chosen: list[Candidate] = []
    for candidate in sorted(candidates, key=_order):
        if candidate.item.lane is Lane.MESSAGE:
            if allowance <= 0:
                continue
            allowance -= 1
        need = render.units(candidate.line(), limits)
        if need > room:
            break
        room -= need
        chosen.append(candidate)
    return chosen, room


def batch(chosen: Sequence[Candidate], riding: Sequence[Line], *, awake: bool) -> Batch | None:
    """Make a batch of what goes; ``None`` of nothing.

    The message lane is what opened it if there is a message in it; otherwise it was, in an
    idle session, the first event that is worth waking it, or the first of all.
    """
    lines = [candidate.line() for candidate in chosen]
    lane = Lane.EVENT
    if any(candidate.item.lane is Lane.MESSAGE for candidate in chosen):
        lane = Lane.MESSAGE
    opening = [c for c in chosen if c.item.lane is lane]
    if lane is Lane.EVENT and not awake:
        opening = [c for c in opening if c.item.wakes] or opening
    lines += riding
    if not lines:
        return None
    first = opening[0].line() if opening else lines[0]
    return Batch(
        lines=tuple(in_order(lines)),
        lane=lane,
        opened_by=first.slot,
        opener=next(iter(first.items), 0),
        wakes=not awake,
    )


def in_order(lines: Sequence[Line]) -> list[Line]:
    """Let each sensor's lines follow one another as what they say did.

    Where a sensor is in the batch its first line decides; what it saw before that, and told
    with less weight, comes right before it. The last line on a thing is how it is now.

    Args:
        lines: those of most weight first.
    """
    placed: list[Line] = []
    for line in lines:
        later = (
            at
            for at, other in enumerate(placed)
            if other.slot == line.slot and other.latest > line.latest
        )
        at = next(later, None) if line.observations else None
        placed.insert(len(placed) if at is None else at, line)
    return placed


def _order(candidate: Candidate) -> tuple[int, bool, int]:
    """Sort by priority, then by age; what stands for the oldest is the oldest."""
    return _RANK[candidate.priority], not candidate.item.folded, candidate.item.id
