"""What telling does: what was told is pending no more, what was not has a reason."""

import math
from collections.abc import Iterable, Sequence

from attendd.engine import render
from attendd.engine.batch import Batch, Code, Line, Mood
from attendd.engine.compose import Candidate
from attendd.engine.gate import Gate, Governors
from attendd.engine.notes import Notes
from attendd.engine.riders import Riders
from attendd.engine.settings import EngineSettings, Lines
from attendd.engine.slot import Slot
from attendd.model import Lane


class Room:
    """What batches shortly after one another leave for the next: a client joins them."""

    __slots__ = ("_at", "_units")

    def __init__(self) -> None:
        self._at = -math.inf
        self._units = 0

    def left(self, now: float, limits: Lines) -> int:
        """Return the UTF-16 units that a batch may take at ``now``."""
        joined = self._units if now < self._at + limits.apart_s else 0
        return max(0, limits.batch_units - joined)

    def taken(self, now: float, batch: Batch, limits: Lines) -> None:
        """Take note of a batch."""
        joined = limits.batch_units - self.left(now, limits)
        self._units = joined + sum(render.units(line, limits) for line in batch.lines)
        self._at = now


def tell(
    chosen: Sequence[Candidate],
    tried: Sequence[Candidate],
    notes: Notes,
    settings: EngineSettings,
) -> None:
    """Take what goes out of its slots.

    A slot of which something goes has fired; what of it found no room keeps its priority and
    goes with the next batch.

    Args:
        chosen: what goes.
        tried: what would have gone, had there been room.
        notes: where the decisions go.
        settings: the numbers.
    """
    went = {candidate.queue for candidate in chosen}
    for candidate in {each.queue: each for each in tried}.values():
        waited, lane = candidate.slot.passed_over, candidate.item.lane
        waited[lane] = 0 if candidate.queue in went else waited.get(lane, 0) + 1
    fired: dict[str, Candidate] = {}
    for candidate in chosen:
        slot, item = candidate.slot, candidate.item
        notes.say(
            Code.FIRED,
            slot.name,
            item,
            magnitude=candidate.magnitude,
            detail=candidate.priority.value,
        )
        slot.pending.remove([item])
        if item.lane is Lane.EVENT and item.fired is None:
            fired[slot.name] = candidate
    for candidate in fired.values():
        candidate.slot.fired(notes.now, candidate.magnitude, settings)
        for left in candidate.slot.pending.loose():
            left.fired = candidate.priority


def taken(batch: Batch, slots: Iterable[Slot], notes: Notes, settings: EngineSettings) -> None:
    """Take what a hook has shown out of its slots; see `tell`."""
    ids = _ids(batch)
    ready = [
        Candidate(
            slot=slot,
            item=item,
            priority=item.fired or settings.governor.priority(slot.magnitude),
            magnitude=slot.magnitude,
        )
        for slot in slots
        for item in slot.pending.items
        if item.id in ids or slot.ripe or item.fired or item.lane is Lane.MESSAGE
    ]
    chosen = [candidate for candidate in ready if candidate.item.id in ids]
    tell(chosen, ready, notes, settings)
    for slot in {candidate.slot.name: candidate.slot for candidate in chosen}.values():
        for lane in Lane:
            if not (slot.pending.events if lane is Lane.EVENT else slot.pending.messages):
                notes.add(slot.hold(lane, None, notes.now))


def riding(riders: Riders, room: int, settings: EngineSettings) -> list[Line]:
    """Return the lines that ride, all of them or, where room is short, none."""
    lines, _, _ = riders.lines(settings.governor)
    return lines if riders_need(riders, settings) <= room else []


def riders_need(riders: Riders, settings: EngineSettings) -> int:
    """Count the UTF-16 units of the lines that ride."""
    lines, _, _ = riders.lines(settings.governor)
    return sum(render.units(line, settings.lines) for line in lines)


def ride(riders: Riders, room: int, notes: Notes, settings: EngineSettings) -> list[Line]:
    """Take the riders along, all of them or, where room is short, none."""
    lines = riding(riders, room, settings)
    if not lines:
        return []
    _, shown, counted = riders.lines(settings.governor)
    for rider in counted:
        notes.say(Code.RODE, rider.slot, rider.item, detail="counted")
    for rider in shown:
        notes.say(Code.RODE, rider.slot, rider.item)
    riders.gone()
    return lines


def rode(batch: Batch, riders: Riders, notes: Notes) -> None:
    """Let go of the riders that a hook has shown, or counted."""
    counts = {item for line in batch.lines if not line.observations for item in line.items}
    for rider in riders.settle(batch):
        detail = "counted" if rider.item.id in counts else ""
        notes.say(Code.RODE, rider.slot, rider.item, detail=detail)


def charge(
    chosen: Sequence[Candidate],
    governors: Governors,
    settings: EngineSettings,
    mood: Mood,
    now: float,
) -> None:
    """Have the governors take note of a batch."""
    messages = sum(candidate.item.lane is Lane.MESSAGE for candidate in chosen)
    if messages:
        governors.messages.told(now, messages, settings.messages)
    if len(chosen) > messages:
        governors.events.told(now, settings.governor)
        if not mood.awake and not messages:
            governors.wakes.spend(now, settings.governor)


def note_holds(
    active: Sequence[Slot], gate: Gate, tried: Sequence[Candidate], notes: Notes
) -> None:
    """Note, where it has changed, why what is still pending is held.

    Args:
        active: the slots.
        gate: as it stands after telling.
        tried: what was to be told; what of it is still pending found no room.
        notes: where the reasons go.
    """
    names = {(candidate.slot.name, candidate.item.lane) for candidate in tried}
    for slot in active:
        for lane in Lane:
            code = gate.holds(slot, lane, tried=(slot.name, lane) in names)
            number = gate.number(slot, lane, code) if code else ""
            opens = gate.opens(slot, lane, code) if code else math.inf
            notes.add(slot.hold(lane, code, notes.now, number, opens))


def note_waits(active: Sequence[Slot], mood: Mood, notes: Notes) -> None:
    """Note, where it has changed, why what is pending waits for a hook."""
    ready = Code.HELD_TURN if mood.prompted else Code.HELD_UNPROMPTED
    for slot in active:
        events = slot.pending.events
        fired = slot.ripe or any(item.fired for item in events)
        event = (ready if fired else slot.unripe) if events else None
        message = Code.HELD_TURN if slot.pending.messages else None
        notes.add(slot.hold(Lane.EVENT, event, notes.now))
        notes.add(slot.hold(Lane.MESSAGE, message, notes.now))


def _ids(batch: Batch) -> set[int]:
    return {item for line in batch.lines for item in line.items}
