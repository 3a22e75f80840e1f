"""A sensor at run time, for one session: the sensor, its health, and what it remembers."""

import asyncio
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from attendd.api import (
    Focus,
    LimitedSensor,
    Observation,
    RestingSensor,
    Sensor,
    SensorConfig,
    SensorType,
    StatefulSensor,
    WatchingSensor,
)
from attendd.engine.batch import SlotView
from attendd.guard import Foreign
from attendd.host import returned
from attendd.host.faring import FLOODS, Health
from attendd.host.faulty import Traces, Unbuilt, in_brief, in_full
from attendd.host.fence import EndlessError, fenced
from attendd.store import Health as Row

FAILS = "a sensor began to fail and is asked ever more rarely; `attend sensors {}` shows where"
"""What is said where the host writes its log."""


class Sensing:
    """A sensor, its configuration and its health. Nothing that its code does reaches further.

    Attributes:
        kind: what kind of sensor it is.
        config: its configuration, the project's settings included.
        sensor: the plugin's own object.
        watcher: the same, if it names paths to watch.
        health: how it fares.
        telling_cursor: the last telling of a hook that it has been lent.
        heard: the same as of its last poll that went well.
        tellings_as_of: for which session that was asked, and what was the last of all then.
        watched: the paths whose change makes it due at once.
        armed: those of them that are watched already.
        rests: whether it rests while its session is idle, as of its last poll that it could.
    """

    def __init__(self, kind: SensorType, config: SensorConfig, wall: float) -> None:
        """Build the sensor. One that can't be built fails at each poll."""
        self.kind = kind
        self.config = config
        self.health = Health(since=wall)
        self.telling_cursor = self.heard = 0
        self.tellings_as_of = ("", -1)
        self.watched: frozenset[Path] = frozenset()
        self.armed: frozenset[Path] = frozenset()
        self.rests = kind.rests
        self.sensor: Sensor
        self.watcher: WatchingSensor | None
        self._build()
        self._complaints: list[tuple[str, str]] = []
        self._complained: set[str] = set()
        self._traces = Traces()
        self._endless = False
        self._left: asyncio.Task[Any] | None = None
        self._late: list[Observation] = []

    async def poll(self, focus: Focus) -> list[Observation]:
        """Make one poll under its deadline.

        While an earlier one has not ended there is no other. Once it has, what it found comes
        with what this one finds, as the sensor will not find that again.

        Raises:
            TimeoutError: it did not end in time, or held everything up.
            Exception: it failed, or what it returned is no list of observations.
        """
        limit_s = self.config.timeout_s
        if self._endless or (self._left is not None and not self._left.done()):
            raise TimeoutError("an earlier poll has not ended")
        left, self._left = self._left, None
        if left is not None:
            with Foreign(limit_s):
                self._late += returned.observations(_found(left))
        try:
            seen = await fenced(lambda: self.sensor.poll(focus), limit_s)
        except EndlessError as error:
            self._left, self._endless = error.task, error.task is None
            if self._left is not None:
                self._left.add_done_callback(lambda _: focus.wake())
            raise
        with Foreign(limit_s):
            found = returned.observations(seen)
        late, self._late = self._late, []
        return late + found

    def rewatch(self) -> bool:
        """Ask what it wants watched; tell whether that has changed."""
        if self.watcher is None:
            return False
        try:
            with Foreign(self.config.timeout_s):
                wanted = frozenset(returned.path(path) for path in self.watcher.watches())
        except Exception as error:  # noqa: BLE001 - a plugin may raise anything
            self._complain("what it wants watched is not known", error)
            return False
        changed = wanted != self.watched
        self.watched = wanted
        return changed

    def snapshot(self) -> msgspec.Raw | None:
        """Return the sensor's last look as JSON; ``None`` where it keeps none."""
        if not isinstance(self.sensor, StatefulSensor):
            return None
        try:
            with Foreign(self.config.timeout_s):
                return msgspec.Raw(msgspec.json.encode(self.sensor.snapshot()))
        except Exception as error:  # noqa: BLE001 - a plugin may raise anything
            self._complain("its last look can't be handed on", error)
            return None

    def restore(self, state: Any, heard: int = 0) -> None:  # noqa: ANN401 - of `snapshot`
        """Take up an earlier look; a sensor that can't is built anew.

        Args:
            state: that look.
            heard: the last telling of a hook that is part of it.
        """
        if state is None or not isinstance(self.sensor, StatefulSensor):
            return
        try:
            with Foreign(self.config.timeout_s):
                self.sensor.restore(state)
        except Exception:  # noqa: BLE001 - a plugin may raise anything
            self._build()
        else:
            self.telling_cursor = self.heard = heard

    def flooding(self, now: Callable[..., bool], wall: float) -> None:
        """Take note whether it floods; the first time that it does is a complaint.

        Args:
            now: `attendd.engine.attention.Attention.floods`.
            wall: wall clock.
        """
        before = self.health.floods
        self.health.floods = now(self.kind.name, already=before)
        if before != self.health.floods:
            self.health.since = wall
        if self.health.floods and FLOODS not in self._complained:
            self._complained.add(FLOODS)
            self._complaints.append((FLOODS, ""))

    def complaints(self) -> list[tuple[str, str]]:
        """Return, once, what is wrong though its polls go on, each with its traceback."""
        found, self._complaints = self._complaints, []
        return found

    def _may_rest(self) -> bool:
        if not isinstance(self.sensor, RestingSensor):
            return False
        try:
            with Foreign(self.config.timeout_s):
                return bool(self.sensor.may_rest())
        except Exception as error:  # noqa: BLE001 - a plugin may raise anything
            self._complain("whether it may rest is not known", error)
            return False

    def _limits(self) -> str:
        if not isinstance(self.sensor, LimitedSensor):
            return ""
        try:
            with Foreign(self.config.timeout_s):
                return returned.line(self.sensor.limits())
        except Exception as error:  # noqa: BLE001 - a plugin may raise anything
            self._complain("what it does not see is not known", error)
            return ""

    def _complain(self, about: str, error: Exception) -> None:
        if about not in self._complained:
            self._complained.add(about)
            self._complaints.append((f"{about}: {in_brief(error)}", in_full(error)))

    def _build(self) -> None:
        try:
            with Foreign(self.config.timeout_s):
                self.sensor = self.kind.build(self.config)
                self.watcher = self.sensor if isinstance(self.sensor, WatchingSensor) else None
        except Exception as error:  # noqa: BLE001 - a plugin may raise anything
            self.sensor, self.watcher = Unbuilt(error), None

    def well(self, wall: float) -> int:
        """Note a poll that went well; return how many had failed before it."""
        failures = self.health.failures
        if failures:
            self.health.failures = 0
            self.health.detail = ""
            self.health.since = wall
        if (limits := self._limits()) != self.health.limits:
            self.health.limits = limits
            self.health.since = wall
        self.health.polled_at = wall
        self.heard = self.telling_cursor
        return failures

    def looks_again(self, now: float, next_poll: float, rested: float) -> float:
        """Return when a sensor looks again that has just seen nothing in an idle session.

        A sensor that may rest looks when all that rest in its session do. One that is due
        within half its interval keeps to that. Any other looks at the next multiple of its
        interval that is no nearer than that, so that sensors of one kind look at the same
        moment in all sessions and share one look.

        Args:
            now: the present.
            next_poll: when it would look if its session were at work.
            rested: when those that rest look.
        """
        every_s = self.config.interval_s
        self.rests = self.kind.rests or self._may_rest()
        if self.rests:
            return max(rested, next_poll)
        soonest = now + every_s / 2
        return next_poll if next_poll < soonest else math.ceil(soonest / every_s) * every_s

    def failed(self, wall: float, error: Exception) -> str | None:
        """Note a poll that failed.

        Returns:
            The traceback if it is the first in a row, empty where it was so lately; else
            ``None``.
        """
        first = not self.health.failures
        if first:
            self.health.since = wall
        self.health.failures += 1
        self.health.detail = in_brief(error)
        self.health.polled_at = wall
        self.telling_cursor, self.tellings_as_of = self.heard, ("", -1)
        return self._traces.fresh(in_full(error), wall) if first else None

    def row(self, attachment: str, view: SlotView, ahead_s: float) -> Row:
        """Return how it fares as it is kept in the store.

        Args:
            attachment: whose sensor it is.
            view: its slot.
            ahead_s: how far the wall clock is ahead of the engine's.
        """
        planned = math.isfinite(view.next_poll)
        return Row(
            attachment=attachment,
            sensor=view.name,
            state=self.health.state,
            since_at=self.health.since,
            failures=self.health.failures,
            detail=self.health.said,
            polled_at=self.health.polled_at or None,
            next_at=view.next_poll + ahead_s if planned else None,
            told=self.health.told,
            held=view.held,
            pending=round(view.magnitude, 1),
            threshold=-1.0 if view.threshold is None else round(view.threshold, 2),
        )


def _found(left: "asyncio.Task[Any]") -> object:
    """Return what an earlier poll has returned after all; else nothing."""
    if left.cancelled() or left.exception() is not None:
        return ()
    return next(iter(left.result()), ())
