"""Notices how full the session's context window is, how fast it fills, and when it was cut."""

from collections.abc import Sequence
from typing import Any

import msgspec

from attendd.api import (
    Focus,
    Gauge,
    Magnitude,
    Observation,
    Seconds,
    SensorConfig,
    SensorType,
    hookimpl,
)

TIERS: tuple[tuple[int, float], ...] = ((40, 1.5), (50, 2), (65, 3), (85, 4), (92, 5))
"""Share of the window in percent, and the magnitude of reaching it."""

_BURN = 3
_CUT = 2
_UNKNOWN = 1.5
_PACE_S = 60.0
_HOUR_MIN = 60
_MEASURED = ("usage", "stated", "external")
"""Methods whose readings lie on one scale; what a compaction left is only an estimate."""


class ContextConfig(SensorConfig, frozen=True, kw_only=True):
    """``[sensors.context]``.

    Attributes:
        burn_pct_per_min: from which speed on the filling of the window is worth a remark.
        burn_pct: and how much of the window must have gone at that speed.
        burn_window_s: over how long speed is measured.
    """

    interval_s: Seconds = 60.0
    min_interval_s: Seconds = 20.0
    threshold: Magnitude = 1.5
    decay_threshold: int = 3
    burn_pct_per_min: float = 2.0
    burn_pct: float = 5.0
    burn_window_s: Seconds = 300.0


class Reading(msgspec.Struct, frozen=True):
    """How full the window was, in percent, at a moment of the focus' clock."""

    at: float
    pct: float


class Burn(msgspec.Struct, frozen=True):
    """How fast the window filled: so many percent of it in so many seconds."""

    pct: float
    seconds: float

    @property
    def pct_per_min(self) -> float:
        """The speed."""
        return 60 * self.pct / self.seconds

    def minutes_left(self, pct_remaining: float) -> float:
        """Return when the window is full at this speed."""
        return pct_remaining / self.pct_per_min


class _Told(msgspec.Struct, frozen=True):
    """What was noticed in this conversation so far.

    Attributes:
        session: whose conversation.
        epoch: see `Gauge`.
        tokens: the last reading; ``None`` before the first.
        pct: the same as a share of the window; ``None`` while that is unknown.
        tier: the highest tier told in this epoch.
        unknown: models told to have an unknown window.
        burning: whether the last reading lay within a burn that was told.
    """

    session: str = ""
    epoch: str = ""
    tokens: int | None = None
    pct: float | None = None
    tier: int = 0
    unknown: tuple[str, ...] = ()
    burning: bool = False


class ContextSensor:
    """Reads the gauge and tells each tier once between two cuts of the conversation."""

    def __init__(self, config: ContextConfig) -> None:
        self._config = config
        self._told = _Told()
        self._readings: tuple[Reading, ...] = ()

    async def poll(self, focus: Focus) -> Sequence[Observation]:
        """Compare the gauge with the last reading. Before the first answer: nothing."""
        gauge = await focus.gauge()
        if gauge is None:
            return []
        told = self._told
        seen = cut(told, gauge)
        if gauge.session != told.session or gauge.epoch != told.epoch:
            told = _Told(session=gauge.session, epoch=gauge.epoch, unknown=told.unknown)
            self._readings = ()
        if gauge.method != "none":
            told, more = self._read(told, gauge, focus.now)
            seen += more
        self._told = told
        return seen

    def snapshot(self) -> Any:  # noqa: ANN401 - whatever JSON can hold
        """Return what was told so far."""
        return msgspec.to_builtins(self._told)

    def restore(self, state: Any) -> None:  # noqa: ANN401 - what `snapshot` returned
        """Take up what was told so far.

        Raises:
            msgspec.ValidationError: it is not that.
        """
        self._told = msgspec.convert(state, _Told)

    def _read(self, told: _Told, gauge: Gauge, now: float) -> tuple[_Told, list[Observation]]:
        pct = gauge.pct_used
        told = msgspec.structs.replace(told, tokens=gauge.tokens_used, pct=pct)
        if pct is None:
            if gauge.model in told.unknown:
                return told, []
            told = msgspec.structs.replace(told, unknown=(*told.unknown[-9:], gauge.model))
            return told, [unknown_window(gauge)]
        if gauge.method in _MEASURED:
            since = now - self._config.burn_window_s
            kept = [reading for reading in self._readings if reading.at >= since]
            self._readings = (*kept[-99:], Reading(now, pct))
        seen = []
        config = self._config
        spike = steepest(self._readings, config.burn_pct)
        if spike is not None and spike.pct_per_min <= config.burn_pct_per_min:
            spike = None
        burns = spike is not None and not told.burning
        tier = reached(pct)
        if tier > told.tier:
            told = msgspec.structs.replace(told, tier=tier)
            speed = None if burns else pace(self._readings)  # else it is said twice
            seen.append(tier_reached(gauge, tier, speed))
        if burns and spike is not None:
            seen.append(burning(gauge, spike))
        return msgspec.structs.replace(told, burning=spike is not None), seen


def reached(pct: float) -> int:
    """Return the highest tier at or below a share of the window; 0 below them all."""
    return max((tier for tier, _ in TIERS if tier <= pct), default=0)


def steepest(readings: Sequence[Reading], more_than: float) -> Burn | None:
    """Return the steepest rise up to the last reading, of those that went far enough.

    Args:
        readings: oldest first.
        more_than: how much of the window must have gone, in percent.
    """
    rises = [rise for rise in _rises(readings) if rise.pct > more_than]
    return max(rises, key=lambda rise: rise.pct_per_min, default=None)


def pace(readings: Sequence[Reading]) -> Burn | None:
    """Return the rise over all readings, oldest first, if they span a minute."""
    longest = next(iter(_rises(readings)), None)
    return longest if longest and longest.seconds >= _PACE_S else None


def _rises(readings: Sequence[Reading]) -> list[Burn]:
    return [
        Burn(readings[-1].pct - before.pct, readings[-1].at - before.at)
        for before in readings[:-1]
        if readings[-1].at > before.at and readings[-1].pct > before.pct
    ]


def cut(told: _Told, gauge: Gauge) -> list[Observation]:
    """Say that the conversation lost its past; a conversation begun anew is no news."""
    same = gauge.session == told.session
    if not same or gauge.epoch == told.epoch or told.tokens is None:
        return []
    if gauge.method == "compaction":
        what = "context was compacted"
    elif gauge.method != "none" and gauge.tokens_used < told.tokens:
        what = "context was cut back"
    else:
        return []
    sizes = f"from {told.tokens:,} to {gauge.tokens_used:,} tokens"
    return [Observation(topic="context.cut", text=f"{what}, {sizes}", magnitude=_CUT)]


def unknown_window(gauge: Gauge) -> Observation:
    """Say that no percentage can be given."""
    model = gauge.model[:60] or "this model"
    used = f"{gauge.tokens_used:,} tokens used"
    text = f"the context window of {model} is unknown: {used}, share and pace cannot be told"
    return Observation(topic="context.unknown", text=text, magnitude=_UNKNOWN)


def tier_reached(gauge: Gauge, tier: int, speed: Burn | None) -> Observation:
    """Say how full the window is, and how long it lasts at this pace."""
    total = gauge.tokens_total or 0
    text = (
        f"context reached {gauge.pct_used or 0:.0f} % of the window "
        f"({gauge.tokens_used:,} of {total:,} tokens){_lasts(gauge, speed)}"
    )
    return Observation(topic="context.tier", text=text, magnitude=dict(TIERS)[tier])


def burning(gauge: Gauge, speed: Burn) -> Observation:
    """Say that the window fills unusually fast."""
    took = (
        f"{speed.seconds / 60:.1f} min"
        if speed.seconds >= _PACE_S
        else f"{speed.seconds:.0f} s"
    )
    text = (
        f"{speed.pct:.0f} % of the context window went in {took}, "
        f"{speed.pct_per_min:.1f} % a minute{_lasts(gauge, speed)}"
    )
    return Observation(topic="context.burn", text=text, magnitude=_BURN)


def _lasts(gauge: Gauge, speed: Burn | None) -> str:
    remaining = gauge.pct_remaining
    if speed is None or remaining is None:
        return ""
    minutes = speed.minutes_left(remaining)
    if minutes >= _HOUR_MIN:
        return ""  # so far ahead, a pace says nothing
    return f", full in about {max(1, round(minutes))} min at this pace"


@hookimpl
def attend_sensors() -> list[SensorType]:
    """Offer the context sensor."""
    summary = "how full the context window is, how fast it fills, and when it was cut"
    return [SensorType("context", summary, ContextConfig, ContextSensor, rests=True)]
