"""Puts lines together until a batch is full: one of each sensor, high first, then more of each.

What one sensor says keeps its order.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from attendd.engine import render
from attendd.engine.accumulator import Item, total
from attendd.engine.batch import Batch, Line
from attendd.engine.gate import Gate
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

    @property
    def queue(self) -> tuple[str, Lane]:
        """Whose turn it takes: each sensor's events are one queue, its messages another."""
        return self.slot.name, self.item.lane

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


def openers(slots: Sequence[Slot], gate: Gate, settings: Governor) -> list[Candidate]:
    """Return what may be told now; nothing, if nothing may open a batch."""
    said = [] if gate.message() else messages(slots, settings)
    seen = events(slots, settings)
    wakes = any(candidate.item.wakes for candidate in seen)
    if said or (seen and gate.event(wakes=wakes) is None):
        return said + (seen if gate.company() else [])
    return []


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
    candidates: Sequence[Candidate], limits: Lines, allowance: int, room: int, riding: int = 0
) -> tuple[list[Candidate], int]:
    """Choose what goes: a line of each sensor, then a second of each, until the batch is full.

    Args:
        candidates: of both lanes.
        limits: the length of lines.
        allowance: how many messages may go.
        room: UTF-16 units there are, newlines counted.
        riding: units that are left, if they can be, once each sensor has its first line.

    Returns:
        What goes, and the room that is left.
    """
    chosen: list[Candidate] = []
    full: set[tuple[str, Lane]] = set()
    kept = 0
    for turn, candidate in _in_turn(candidates, limits, room):
        if turn and not kept and riding <= room:
            kept = riding
        if candidate.queue in full or (candidate.item.lane is Lane.MESSAGE and not allowance):
            continue
        need = render.units(candidate.line(), limits)
        if need > room - kept:
            full.add(candidate.queue)
            continue
        allowance -= candidate.item.lane is Lane.MESSAGE
        room -= need
        chosen.append(candidate)
    return sorted(chosen, key=_order), room


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


def _in_turn(
    candidates: Sequence[Candidate], limits: Lines, room: int
) -> Iterator[tuple[int, Candidate]]:
    """Yield candidates with their places in their queues: all first ones, all second ones, ….

    Of the first those lead for which the last batches had no room; then come those that take
    no more than their share of the room, so that a long one stands in nobody's way.
    """
    queues = defaultdict[tuple[str, Lane], list[Candidate]](list)
    for candidate in sorted(candidates, key=_order):
        queues[candidate.queue].append(candidate)
    share = room // max(1, len(queues))

    def first(candidate: Candidate) -> tuple[int, bool, tuple[int, bool, int]]:
        waited = candidate.slot.passed_over.get(candidate.item.lane, 0)
        return -waited, render.units(candidate.line(), limits) > share, _order(candidate)

    yield from ((0, each) for each in sorted((q[0] for q in queues.values()), key=first))
    for turn in range(1, max(map(len, queues.values()), default=0)):
        those = (queue[turn] for queue in queues.values() if turn < len(queue))
        yield from ((turn, each) for each in sorted(those, key=_order))


def _order(candidate: Candidate) -> tuple[int, bool, int]:
    """Sort by priority, then by age; what stands for the oldest is the oldest."""
    return _RANK[candidate.priority], not candidate.item.folded, candidate.item.id
