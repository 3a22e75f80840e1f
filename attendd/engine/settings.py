"""Every number of the engine, with its default.

`Governor`, `Messages` and `Engagement` are the sections of the same names in the configuration.
"""

from typing import Annotated, Self

import msgspec

from attendd.api import SensorConfig
from attendd.model import Magnitude, Priority, Seconds

Count = Annotated[int, msgspec.Meta(ge=1)]
Span = Annotated[float, msgspec.Meta(ge=0, description="a duration in seconds, or none")]


class Governor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How often a session is told of what happens around it.

    Attributes:
        max_batches: batches in any `window_s`.
        window_s: the time over which batches are counted, in seconds.
        gap_s: the shortest pause between two batches while little changes, in seconds.
        gap_growth: how the pause grows with the bustle; it is multiplied by one plus this
            times the square root of the changes per second.
        max_gap_s: how long the pause grows at most, in seconds.
        rate_window_s: the time over which changes are averaged, in seconds.
        max_wakes: how often in any `wake_window_s` an idle session may be woken by events.
        wake_window_s: the time over which wakes are counted, in seconds.
        high_from: the accumulated magnitude from which a line is of high priority.
        medium_from: the accumulated magnitude from which a line is of medium priority and
            opens a batch; below it is low and rides along.
        max_rider_lines: low lines that ride on one batch; of the others a count is given.
        max_riders: low lines that wait; the oldest are then only counted.
        fade_half_life_s: how long what is below its threshold takes to lose half of its
            magnitude, in seconds.
        fade_below: the magnitude below which it is forgotten.
        max_pending: events of one sensor that wait; the oldest are then folded into a count.
    """

    max_batches: Count = 3
    window_s: Seconds = 120.0
    gap_s: Span = 15.0
    gap_growth: Annotated[float, msgspec.Meta(ge=0)] = 3.0
    max_gap_s: Span = 60.0
    rate_window_s: Seconds = 60.0
    max_wakes: Annotated[int, msgspec.Meta(ge=0)] = 4
    wake_window_s: Seconds = 3_600.0
    high_from: Magnitude = 5.0
    medium_from: Magnitude = 3.0
    max_rider_lines: Annotated[int, msgspec.Meta(ge=0)] = 3
    max_riders: Count = 64
    fade_half_life_s: Seconds = 600.0
    fade_below: Annotated[float, msgspec.Meta(gt=0)] = 0.1
    max_pending: Count = 64

    def priority(self, magnitude: float) -> Priority:
        """Return the priority of what fires with an accumulated magnitude."""
        if magnitude >= self.high_from:
            return Priority.HIGH
        return Priority.MEDIUM if magnitude >= self.medium_from else Priority.LOW


class Messages(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How often a session is shown what was written to it.

    Attributes:
        gap_s: the shortest pause between two batches with messages, in seconds.
        max_messages: messages in any `window_s`; more wait, none is dropped.
        window_s: the time over which messages are counted, in seconds.
    """

    gap_s: Span = 3.0
    max_messages: Count = 30
    window_s: Seconds = 60.0


class Engagement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a sensor that has said much falls silent for a while.

    Attributes:
        live_from: the magnitude from which telling something counts.
        live_s: how long it counts, in seconds.
        burst: how many count before silence follows; from then on each one brings it again.
        silence_s: the silence, in seconds.
        peak: what the sensor's threshold is multiplied by right after telling.
        half_life_s: how long what the peak adds takes to halve, in seconds.
    """

    live_from: Magnitude = 3.0
    live_s: Seconds = 900.0
    burst: Count = 3
    silence_s: Span = 60.0
    peak: Annotated[float, msgspec.Meta(ge=1)] = 2.25
    half_life_s: Seconds = 395.0


class Pace(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the pause between two polls follows what they find.

    Attributes:
        shrink: what the pause is divided by when something changed.
        growth: what it is multiplied by at a quiet poll, once enough were quiet.
        backoff: what it is multiplied by at each failure in a row.
        max_backoff: how many times its longest normal pause a failing sensor waits at most.
        max_backoff_s: how long it waits at most, in seconds, if its normal pause is shorter.
    """

    shrink: Annotated[float, msgspec.Meta(ge=1)] = 2.0
    growth: Annotated[float, msgspec.Meta(ge=1)] = 1.5
    backoff: Annotated[float, msgspec.Meta(ge=1, le=100)] = 2.0
    max_backoff: Annotated[float, msgspec.Meta(ge=1)] = 10.0
    max_backoff_s: Seconds = 600.0


class Lines(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much fits into a line and a batch; the client cuts what is longer.

    Attributes:
        line_units: UTF-16 units of one physical line.
        batch_units: UTF-16 units of one batch, newlines included.
        event_lines: physical lines of one event; a message has as many as a batch holds.
        apart_s: batches closer together than this, in seconds, share the room of one; the
            client joins what it gets within 0.2 s.
    """

    line_units: Annotated[int, msgspec.Meta(ge=200, le=500)] = 480
    batch_units: Annotated[int, msgspec.Meta(ge=600, le=3_000)] = 2_800
    event_lines: Annotated[int, msgspec.Meta(ge=2)] = 16
    apart_s: Seconds = 0.5


class EngineSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All numbers of the engine, one struct for each concern."""

    governor: Governor = Governor()
    messages: Messages = Messages()
    engagement: Engagement = Engagement()
    pace: Pace = Pace()
    lines: Lines = Lines()


SHORTEST_S = 0.1
"""No sensor is polled more often, however it is configured."""


class SlotShape(msgspec.Struct, frozen=True, kw_only=True):
    """What the engine must know of a sensor's configuration; see `SensorConfig`.

    Attributes:
        interval_s: the longest pause between polls of a sensor that works.
        min_interval_s: the shortest one; taken as `interval_s` if it is longer.
        threshold: the accumulated magnitude at which there is something to tell.
        decay_threshold: quiet polls in a row after which the pause grows again.
    """

    interval_s: float = 60.0
    min_interval_s: float = 10.0
    threshold: float = 2.0
    decay_threshold: int = 4

    @classmethod
    def of(cls, config: SensorConfig) -> Self:
        """Take the engine's part of a sensor's configuration."""
        interval_s = max(config.interval_s, SHORTEST_S)
        return cls(
            interval_s=interval_s,
            min_interval_s=min(max(config.min_interval_s, SHORTEST_S), interval_s),
            threshold=config.threshold,
            decay_threshold=max(1, config.decay_threshold),
        )
