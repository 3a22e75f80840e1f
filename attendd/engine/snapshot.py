"""All state of an attention as plain data, with times as ages, so that it outlives its host.

A snapshot may come from another release or a damaged disk: what is unknown in it is ignored,
what is missing has its default, and what is out of range is brought into it.
"""

import math
from collections.abc import Iterable, Mapping

import msgspec

from attendd.engine.accumulator import Accumulator, Item
from attendd.engine.batch import Code
from attendd.engine.engagement import Refractory
from attendd.engine.gate import Governors
from attendd.engine.governor import FLOOD, EventGovernor, MessageGovernor, WakeBudget
from attendd.engine.interval import Interval, bounded
from attendd.engine.riders import Rider, Riders
from attendd.engine.settings import Pace, SlotShape
from attendd.engine.slot import Slot
from attendd.model import Lane

_LONGEST_AGE_S = 365 * 86_400.0
_LARGEST = 1_000.0


class SlotState(msgspec.Struct, kw_only=True):
    """One slot.

    Attributes:
        items: what is pending.
        interval: its pace; ``None`` where the sensor is gone.
        fires: how long ago it fired with a magnitude that counts, oldest first, in seconds.
        due_in_s: how long until its next poll.
        faded_ago_s: how long its events have not been faded.
        ripe: whether they had come together.
        holds: why what is pending is held, by lane.
        opens_in_s: by lane, how long until what is held may go, as was said last.
        passed_over: by lane, how many batches in a row had no room for a single line of it.
    """

    items: list[Item] = []
    interval: Interval | None = None
    fires: list[float] = []
    due_in_s: float = 0.0
    faded_ago_s: float = 0.0
    ripe: bool = False
    holds: dict[str, str] = {}
    opens_in_s: dict[str, float] = {}
    passed_over: dict[str, int] = {}


class Snapshot(msgspec.Struct, kw_only=True):
    """A whole attention.

    Attributes:
        last: the last number given to an observation.
        slots: by name.
        riders: what rides.
        rate: changes per second as of `rate_ago_s`, for a release that knows no more.
        rates: the same, of each sensor.
        rate_ago_s: how long ago the last change came, in seconds.
        batches: how long ago the last batches of events were told, in seconds.
        messages: how long ago the last messages were told, in seconds.
        wakes: how long ago events last woke the idle session, in seconds.
    """

    last: int = 0
    slots: dict[str, SlotState] = {}
    riders: Riders = msgspec.field(default_factory=Riders)
    rate: float = 0.0
    rates: dict[str, float] = {}
    rate_ago_s: float = 0.0
    batches: list[float] = []
    messages: list[float] = []
    wakes: list[float] = []


def taken(
    slots: Iterable[Slot], riders: Riders, governors: Governors, last: int, now: float
) -> Snapshot:
    """Write down the state as it is at ``now``."""
    return Snapshot(
        last=last,
        slots={slot.name: _state(slot, now) for slot in slots},
        riders=Riders(
            waiting=[Rider(slot=r.slot, item=_copy(r.item)) for r in riders.waiting],
            counted=dict(riders.counted),
        ),
        rate=sum(governors.events.rates.values()),
        rates=dict(governors.events.rates),
        rate_ago_s=now - governors.events.rate_at,
        batches=[now - at for at in governors.events.opened],
        messages=[now - at for at in governors.messages.told_at],
        wakes=[now - at for at in governors.wakes.woken],
    )


def governors_of(snapshot: Snapshot, now: float, away_s: float) -> Governors:
    """Return the governors as they were, on a clock that reads ``now``."""
    return Governors(
        events=EventGovernor(
            opened=_times(snapshot.batches, now, away_s),
            rates={name: _sane(rate, FLOOD) for name, rate in snapshot.rates.items()},
            rate_at=now - _sane(snapshot.rate_ago_s) - away_s,
        ),
        messages=MessageGovernor(told_at=_times(snapshot.messages, now, away_s)),
        wakes=WakeBudget(woken=_times(snapshot.wakes, now, away_s)),
    )


def slots_of(
    snapshot: Snapshot, shapes: Mapping[str, SlotShape], pace: Pace, now: float, away_s: float
) -> dict[str, Slot]:
    """Return the slots as they were; those of sensors that are gone have no shape."""
    slots = {name: Slot(name, shape, now) for name, shape in shapes.items()}
    for name, state in snapshot.slots.items():
        slot = slots.setdefault(name, Slot(name, None, now))
        _fill(slot, state, now, away_s)
        if slot.shape is not None and state.interval is not None:
            slot.interval = _interval(state.interval, slot.shape)
            wait = min(slot.interval.pause_s(slot.shape, pace), _sane(state.due_in_s))
            slot.due_at = now + max(0.0, wait - away_s)
    return slots


def riders_of(snapshot: Snapshot) -> Riders:
    """Return the riders as they were."""
    return Riders(
        waiting=[Rider(slot=r.slot, item=_copy(r.item)) for r in snapshot.riders.waiting],
        counted={name: n for name, n in snapshot.riders.counted.items() if n > 0},
    )


def _state(slot: Slot, now: float) -> SlotState:
    return SlotState(
        items=[_copy(item) for item in slot.pending.items],
        interval=msgspec.structs.replace(slot.interval) if slot.shape else None,
        fires=[now - at for at in slot.refractory.fires],
        due_in_s=max(0.0, slot.due_at - now),
        faded_ago_s=now - slot.faded_at,
        ripe=slot.ripe,
        holds={lane.value: code.value for lane, code in slot.holds.items()},
        opens_in_s={
            lane.value: at - now for lane, at in slot.opens.items() if math.isfinite(at)
        },
        passed_over={lane.value: count for lane, count in slot.passed_over.items() if count},
    )


def _fill(slot: Slot, state: SlotState, now: float, away_s: float) -> None:
    slot.pending = Accumulator(_copy(item) for item in state.items)
    slot.refractory = Refractory(fires=_times(state.fires, now, away_s))
    slot.ripe = state.ripe
    slot.faded_at = now - _sane(state.faded_ago_s) - away_s
    slot.holds = {
        lane: code
        for lane in Lane
        for code in Code
        if state.holds.get(lane.value) == code.value
    }
    slot.opens = {
        lane: now + min(state.opens_in_s[lane.value], _LONGEST_AGE_S) - away_s
        for lane in slot.holds
        if lane.value in state.opens_in_s
    }
    slot.passed_over = {lane: max(0, state.passed_over.get(lane.value, 0)) for lane in Lane}


def _interval(interval: Interval, shape: SlotShape) -> Interval:
    return Interval(
        current_s=bounded(interval.current_s, shape),
        quiet=max(0, interval.quiet),
        failures=max(0, interval.failures),
    )


def _times(ages: Iterable[float], now: float, away_s: float) -> list[float]:
    return sorted(now - _sane(age) - away_s for age in ages)


def _copy(item: Item) -> Item:
    magnitude = _sane(item.magnitude, _LARGEST)
    return msgspec.structs.replace(item, magnitude=magnitude, count=max(1, item.count))


def _sane(value: float, most: float = _LONGEST_AGE_S) -> float:
    """Bring a number into range; whatever is none is 0."""
    return min(value, most) if value > 0 else 0.0
