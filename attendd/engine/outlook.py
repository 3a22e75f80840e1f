"""What is held at this moment, by which rule, and when that may end: for whoever asks."""

import math
from collections.abc import Iterable, Mapping

import msgspec

from attendd.engine.batch import Code, SlotView
from attendd.engine.gate import Gate
from attendd.engine.riders import Riders
from attendd.engine.settings import EngineSettings
from attendd.engine.slot import Slot
from attendd.model import Lane


class Hold(msgspec.Struct, frozen=True, kw_only=True):
    """Why what a slot has pending in one lane is not told now.

    Attributes:
        slot: the sensor.
        lane: which of its two.
        code: the reason.
        text: the latest of what is held.
        count: how many observations are.
        number: what decides how long, in a few words.
        opens_at: when it may go if nothing else happens; ``None`` if time alone frees nothing.
    """

    slot: str
    lane: Lane
    code: Code
    text: str
    count: int
    number: str
    opens_at: float | None


def views(
    slots: Iterable[Slot], riders: Riders, settings: EngineSettings, now: float
) -> list[SlotView]:
    """Return every slot as people may see it."""
    riding = [rider.slot for rider in riders.waiting]
    return [slot.view(now, settings, riding.count(slot.name)) for slot in slots]


def holds(slots: Mapping[str, Slot], gate: Gate) -> list[Hold]:
    """Return all holds that the last step noted, each with the numbers of this moment."""
    return [
        _hold(slot, lane, code, gate)
        for slot in slots.values()
        for lane, code in slot.holds.items()
    ]


def _hold(slot: Slot, lane: Lane, code: Code, gate: Gate) -> Hold:
    items = slot.pending.events if lane is Lane.EVENT else slot.pending.messages
    at = gate.frees(slot, lane, code)
    return Hold(
        slot=slot.name,
        lane=lane,
        code=code,
        text=items[-1].text if items else "",
        count=sum(item.count for item in items),
        number=gate.number(slot, lane, code),
        opens_at=None if at == math.inf else at,
    )
