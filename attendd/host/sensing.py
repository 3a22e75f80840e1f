"""One sensor of one session at run time: the sensor, its health, and what it remembers."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from attendd.api import Observation, Sensor, SensorConfig, SensorType, StatefulSensor
from attendd.engine.batch import SlotView
from attendd.store import Health as Row


class Health(msgspec.Struct):
    """How a sensor fares.

    Attributes:
        failures: failed polls in a row.
        since: wall clock of the last change between well and failing.
        detail: the last failure, in one line; empty while well.
        polled_at: wall clock of the last poll that ended; 0 before it.
        told: batches with a line of this sensor in them.
    """

    since: float
    failures: int = 0
    detail: str = ""
    polled_at: float = 0.0
    told: int = 0

    @property
    def state(self) -> str:
        """``ok`` or ``failing``."""
        return "failing" if self.failures else "ok"


class Sensing:
    """A sensor, its configuration and its health.

    Attributes:
        kind: what kind of sensor it is.
        config: its configuration, the project's settings included.
        sensor: the plugin's own object.
        health: how it fares.
        telling_cursor: the last telling of a hook that it has been lent.
        watched: the paths whose change makes it due at once.
        armed: those of them that are watched already.
    """

    def __init__(self, kind: SensorType, config: SensorConfig, wall: float) -> None:
        """Build the sensor.

        Raises:
            Exception: the plugin's builder failed.
        """
        self.kind = kind
        self.config = config
        self.sensor: Sensor = kind.build(config)
        self.health = Health(since=wall)
        self.telling_cursor = 0
        self.watched: frozenset[Path] = frozenset()
        self.armed: frozenset[Path] = frozenset()

    def snapshot(self) -> Any:  # noqa: ANN401 - whatever JSON can hold
        """Return the sensor's last look; ``None`` where it keeps none."""
        return self.sensor.snapshot() if isinstance(self.sensor, StatefulSensor) else None

    def restore(self, state: Any) -> None:  # noqa: ANN401 - what `snapshot` returned
        """Take up an earlier look; a sensor that can't is built anew."""
        if state is None or not isinstance(self.sensor, StatefulSensor):
            return
        try:
            self.sensor.restore(state)
        except Exception:  # noqa: BLE001 - a plugin may raise anything
            self.sensor = self.kind.build(self.config)

    def well(self, wall: float) -> int:
        """Note a poll that went well; return how many had failed before it."""
        failures = self.health.failures
        if failures:
            self.health.failures = 0
            self.health.detail = ""
            self.health.since = wall
        self.health.polled_at = wall
        return failures

    def failed(self, wall: float, detail: str) -> bool:
        """Note a poll that failed; return whether it is the first in a row."""
        first = not self.health.failures
        if first:
            self.health.since = wall
        self.health.failures += 1
        self.health.detail = detail
        self.health.polled_at = wall
        return first

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
            detail=self.health.detail,
            polled_at=self.health.polled_at or None,
            next_at=view.next_poll + ahead_s if planned else None,
            told=self.health.told,
            held=view.held,
            pending=round(view.magnitude, 1),
            threshold=-1.0 if view.threshold is None else round(view.threshold, 2),
        )


class Sensings(dict[str, Sensing]):
    """The sensors of one session, by name."""

    @property
    def watched(self) -> set[Path]:
        """All paths that they want watched."""
        return {path for sensing in self.values() for path in sensing.watched}

    def watching(self, paths: set[Path]) -> list[str]:
        """Name those that want one of these paths watched."""
        return [name for name, each in self.items() if not each.watched.isdisjoint(paths)]

    def arm(self) -> list[str]:
        """Take note that what they want is watched now; name those for which that is new."""
        fresh = [name for name, each in self.items() if each.watched != each.armed]
        for name in fresh:
            self[name].armed = self[name].watched
        return fresh


def checked(seen: Sequence[Observation]) -> list[Observation]:
    """Make sure that a plugin returned observations, each within its bounds.

    Raises:
        TypeError: it did not.
        msgspec.ValidationError: a value is out of bounds.
    """
    found = list(seen)
    for observation in found:
        if not isinstance(observation, Observation):
            raise TypeError(f"poll returned an object of type {type(observation).__name__}")
        msgspec.convert(msgspec.structs.asdict(observation), Observation)
    return found
