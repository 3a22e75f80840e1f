"""From what a sensor reports to what a slot has pending, with a decision for each step."""

from collections.abc import Mapping, Sequence

import msgspec

from attendd.engine.accumulator import Item
from attendd.engine.batch import Code
from attendd.engine.notes import Notes
from attendd.engine.riders import COUNTER, Riders
from attendd.engine.settings import EngineSettings
from attendd.engine.slot import Slot
from attendd.model import Lane, Observation, Priority


def take_all(
    slot: Slot, observations: Sequence[Observation], notes: Notes, settings: EngineSettings
) -> int:
    """Take in what a poll has found.

    Returns:
        How many events it comes to; all that are folded into a count at once are one.
    """
    fade(slot, notes, settings)
    for each in observations:
        take(slot, each, notes, settings)
    forget_noise(slot, notes, settings)
    folded = keep_few(slot, notes, settings)
    events = sum(each.lane is Lane.EVENT and not each.own for each in observations)
    return max(1, events - folded) if events else 0


def take(slot: Slot, observation: Observation, notes: Notes, settings: EngineSettings) -> None:
    """Take in one observation.

    The session's own doings and noise end here. Of an event's text only as much is kept as a
    batch could show; the decision has all of it.
    """
    number = notes.number()
    whole = Item(
        id=number,
        text=observation.text,
        topic=observation.topic,
        lane=observation.lane,
        magnitude=observation.magnitude,
    )
    if observation.own:
        notes.say(Code.OWN, slot.name, whole)
        return
    notes.say(Code.OBSERVED, slot.name, whole)
    most = settings.lines.batch_units
    if observation.lane is Lane.EVENT and len(observation.text) > most:
        observation = msgspec.structs.replace(observation, text=observation.text[:most])
    known = slot.pending.add(observation, number)
    if known is not None:
        notes.say(Code.MERGED, slot.name, whole, detail=f"into {known.id}")


def fade(slot: Slot, notes: Notes, settings: EngineSettings) -> None:
    """Let time pass for a slot's events."""
    for item in slot.fade(notes.now, settings):
        notes.say(Code.FADED, slot.name, item)


def forget_noise(slot: Slot, notes: Notes, settings: EngineSettings) -> None:
    """Let go of events that weigh nothing from the start."""
    for item in slot.pending.fade(1.0, settings.governor.fade_below):
        notes.say(Code.FADED, slot.name, item, detail="noise")


def keep_few(slot: Slot, notes: Notes, settings: EngineSettings) -> int:
    """Fold the oldest events of a slot that has too many; return how many were folded."""
    fold, excess = slot.pending.fold(settings.governor.max_pending, notes.last + 1)
    if fold is not None and fold.id == notes.last + 1:
        notes.number()
    for item in excess:
        notes.say(Code.FOLDED, slot.name, item, detail=f"into {fold.id if fold else 0}")
    return len(excess)


def drop(slot: Slot, items: Sequence[Item], notes: Notes) -> None:
    """Let go of the events of a sensor that is gone."""
    for item in items:
        notes.say(Code.DROPPED_SLOT_GONE, slot.name, item)
    slot.pending.remove(items)


def ripen(
    slots: Mapping[str, Slot], riders: Riders, notes: Notes, settings: EngineSettings
) -> list[Slot]:
    """Let time pass, let low slots fire, and return those that have something pending."""
    for slot in slots.values():
        if slot.pending.events:
            fade(slot, notes, settings)
            slot.ripen(notes.now, settings)
            low = settings.governor.priority(slot.magnitude) is Priority.LOW
            if slot.ripe and low:
                lower(slot, riders, notes, settings)
    return [slot for slot in slots.values() if slot.pending or slot.holds]


def remark(text: str, riders: Riders, notes: Notes, settings: EngineSettings) -> None:
    """Take in a line of attend's own, which no sensor has seen: it rides."""
    item = Item(id=notes.number(), text=text, topic=COUNTER, lane=Lane.EVENT, magnitude=1.0)
    for code in (Code.OBSERVED, Code.LOW):
        notes.say(code, COUNTER, item)
    riders.add(COUNTER, item)
    _fold(riders, notes, settings)


def lower(slot: Slot, riders: Riders, notes: Notes, settings: EngineSettings) -> None:
    """Let a slot fire low: its events become riders."""
    magnitude = slot.magnitude
    loose = slot.pending.loose()
    slot.pending.remove(loose)
    slot.fired(notes.now, magnitude, settings)
    for item in loose:
        known = riders.add(slot.name, item)
        if known is None:
            notes.say(Code.LOW, slot.name, item, magnitude=magnitude)
        else:
            notes.say(Code.MERGED, slot.name, item, detail=f"into rider {known.id}")
    _fold(riders, notes, settings)


def _fold(riders: Riders, notes: Notes, settings: EngineSettings) -> None:
    for rider in riders.fold(settings.governor):
        notes.say(Code.FOLDED, rider.slot, rider.item, detail="counted among the riders")
