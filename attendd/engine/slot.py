"""One sensor in one session: its pace, what it has pending, how engaged it is."""

import math

from attendd.engine.accumulator import Accumulator, Item, total
from attendd.engine.batch import Code, Decision, SlotView
from attendd.engine.engagement import Refractory, reaches
from attendd.engine.interval import Interval
from attendd.engine.settings import EngineSettings, SlotShape
from attendd.model import Lane

_LATE_S = 0.7
"""What may go so much later than was said is not worth saying anew."""


class Slot:
    """The state of one slot.

    Attributes:
        name: the sensor.
        shape: what the engine knows of its configuration; ``None`` once the sensor is gone
            and only its messages are still here.
        interval: its pace.
        due_at: when the next poll is planned.
        faded_at: up to when its events have been faded.
        pending: what it has not told yet.
        refractory: what it told lately.
        holds: why what is pending in a lane is held; absent when nothing is.
        opens: by lane, when what is held may go, as was said last.
        ripe: whether its events have come together; then they don't fade.
        unripe: why they have not, if there are any.
        passed_over: by lane, how many batches in a row had no room for a single line of it.
    """

    __slots__ = (
        "_polled_at", "_touched", "_under_way", "due_at", "faded_at", "holds", "interval",
        "name", "opens", "passed_over", "pending", "refractory", "ripe", "shape", "unripe",
    )  # fmt: skip

    def __init__(self, name: str, shape: SlotShape | None, now: float) -> None:
        self.name = name
        self.shape = shape
        self.interval = Interval(current_s=shape.interval_s if shape else math.inf)
        self.pending = Accumulator()
        self.refractory = Refractory()
        self.holds: dict[Lane, Code] = {}
        self.opens: dict[Lane, float] = {}
        self.ripe = False
        self.unripe: Code | None = None
        self.passed_over: dict[Lane, int] = {}
        self.faded_at = now
        self._polled_at = now
        self.due_at = now
        self._under_way = False
        self._touched = False

    # -- polls ------------------------------------------------------------------

    @property
    def next_poll(self) -> float:
        """When it is due; infinite while a poll is under way or there is no sensor."""
        return math.inf if self._under_way or self.shape is None else self.due_at

    def reshape(self, shape: SlotShape, now: float) -> None:
        """Go on with another configuration; due no later than that allows.

        A poll that was under way counts as over: it was the old configuration's.
        """
        self._under_way = False
        if self.shape is None:
            self.interval = Interval(current_s=shape.interval_s)
            self.due_at = now
        self.shape = shape
        self.due_at = min(self.due_at, now + shape.interval_s)

    def start(self) -> None:
        """Take note that a poll starts."""
        self._under_way = True
        self._touched = False

    def touch(self, now: float) -> None:
        """Take note that a watched path changed: due now, or once more after this poll.

        A failing sensor is given its shortest pause all the same.
        """
        if self._under_way:
            self._touched = True
        elif self.shape is not None:
            wait = self.shape.min_interval_s if self.interval.failures else 0.0
            self.due_at = min(self.due_at, max(now, self._polled_at + wait))

    def polled(self, now: float, settings: EngineSettings, *, changed: bool) -> None:
        """Take note of a poll that went well, and plan the next one."""
        if self.shape is not None and changed:
            self.interval.changed(self.shape, settings.pace)
        elif self.shape is not None:
            self.interval.unchanged(self.shape, settings.pace)
        self._plan(now, settings)

    def failed(self, now: float, settings: EngineSettings) -> None:
        """Take note of a poll that failed, and plan the next one."""
        self.interval.failed()
        self._plan(now, settings)

    def _plan(self, now: float, settings: EngineSettings) -> None:
        self._under_way = False
        self._polled_at = now
        if self.shape is not None:
            self.due_at = now + self.interval.pause_s(self.shape, settings.pace)
        if self._touched:
            self._touched = False
            self.touch(now)

    # -- what is pending -----------------------------------------------------------

    @property
    def magnitude(self) -> float:
        """What its events that have not fired add up to."""
        return total(self.pending.loose())

    @property
    def wakes(self) -> bool:
        """Whether one of its events is worth waking an idle session."""
        return any(item.wakes for item in self.pending.events)

    def threshold(self, now: float, settings: EngineSettings) -> float:
        """Return what its events must add up to at ``now``; may be infinite."""
        factor = self.refractory.factor(now, settings.engagement)
        rest = self.shape.threshold if self.shape else math.inf
        return math.inf if factor == math.inf else rest * factor

    def fade(self, now: float, settings: EngineSettings) -> list[Item]:
        """Let time pass for its events; return those of which nothing is left."""
        passed = now - self.faded_at
        self.faded_at = max(self.faded_at, now)
        if self.ripe or not self.pending.events:
            return []
        governor = settings.governor
        factor = math.exp2(-max(0.0, passed) / governor.fade_half_life_s)
        return self.pending.fade(factor, governor.fade_below)

    def ripen(self, now: float, settings: EngineSettings) -> None:
        """Look whether its events have come together."""
        loose = self.pending.loose()
        magnitude = total(loose)
        threshold = self.threshold(now, settings)
        self.ripe = bool(loose) and reaches(magnitude, threshold)
        if self.ripe or not loose or self.shape is None:
            self.unripe = None
        elif not reaches(magnitude, self.shape.threshold):
            self.unripe = Code.HELD_THRESHOLD
        else:
            silent = threshold == math.inf
            self.unripe = Code.HELD_REFRACTORY if silent else Code.HELD_RAISED

    def fired(self, now: float, magnitude: float, settings: EngineSettings) -> None:
        """Take note that its events were told."""
        self.refractory.fired(now, magnitude, settings.engagement)
        self.ripe = False

    def ripens_at(self, now: float, settings: EngineSettings) -> float:
        """Return when its events will have come together if nothing happens; may be never."""
        if self.shape is None:
            return math.inf
        at = self.refractory.opens_at(
            now,
            self.magnitude,
            self.shape.threshold,
            settings.engagement,
            settings.governor.fade_half_life_s,
        )
        return math.inf if at is None else at

    def hold(
        self,
        lane: Lane,
        code: Code | None,
        now: float,
        number: str = "",
        opens: float = math.inf,
    ) -> list[Decision]:
        """Take note of why what is pending in a lane is held.

        That is said if it is a new reason, or if what was said has not come true.

        Args:
            lane: which of the two.
            code: why; ``None`` if nothing is held.
            now: the moment.
            number: what decides how long, in a few words.
            opens: when it may go, if the number says so.
        """
        if code is None:
            self.holds.pop(lane, None)
            return []
        if self.holds.get(lane) == code and now < self.opens.get(lane, math.inf) + _LATE_S:
            return []
        self.holds[lane] = code
        self.opens[lane] = opens
        items = self.pending.events if lane is Lane.EVENT else self.pending.messages
        return [
            Decision(
                at=now,
                slot=self.name,
                code=code,
                text=items[-1].text,
                detail=number,
                magnitude=total(items),
                count=sum(item.count for item in items),
                item=items[-1].id,
                lane=lane,
            )
        ]

    def view(self, now: float, settings: EngineSettings, riding: int) -> SlotView:
        """Return it as people may see it."""
        threshold = self.threshold(now, settings)
        pace = self.interval.pause_s(self.shape, settings.pace) if self.shape else math.inf
        codes = [self.holds[lane] for lane in (Lane.MESSAGE, Lane.EVENT) if lane in self.holds]
        return SlotView(
            name=self.name,
            pending=len(self.pending.items),
            magnitude=total(self.pending.events),
            threshold=None if threshold == math.inf else threshold,
            held=" ".join(codes),
            riding=riding,
            interval_s=pace,
            failures=self.interval.failures,
            next_poll=self.next_poll,
        )
