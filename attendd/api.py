"""Everything a plugin may import.

A plugin that needs a name which is not here has found a gap in this module; the
answer is to add it here, not to reach further in.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import msgspec
import pluggy

from attendd.model import (
    Activity,
    Command,
    Component,
    Gauge,
    Lane,
    Magnitude,
    Neighbour,
    Observation,
    Report,
    Seconds,
    Status,
    Telling,
)

__all__ = [
    "Activity",
    "Command",
    "Component",
    "Focus",
    "Gauge",
    "Lane",
    "LimitedSensor",
    "Magnitude",
    "Neighbour",
    "Observation",
    "Report",
    "RestingSensor",
    "Seconds",
    "Sensor",
    "SensorConfig",
    "SensorType",
    "StatefulSensor",
    "Status",
    "Telling",
    "WatchingSensor",
    "hookimpl",
]

hookimpl = pluggy.HookimplMarker("attend")


class SensorConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys every ``[sensors.<name>]`` table has; a sensor's own keys extend it.

    Attributes:
        enabled: whether the sensor is polled at all.
        interval_s: the pause between polls when nothing happens.
        min_interval_s: the shortest pause the loop may shrink it to.
        threshold: the accumulated magnitude at which the sensor has something to tell.
        decay_threshold: quiet polls in a row after which the pause grows again.
        timeout_s: how long one poll may take before it counts as failed.
    """

    enabled: bool = True
    interval_s: Seconds = 60.0
    min_interval_s: Seconds = 10.0
    threshold: Magnitude = 2.0
    decay_threshold: int = 4
    timeout_s: Seconds = 10.0


class Focus(Protocol):
    """What the host lends a sensor for one poll: the session, and what is known about it."""

    @property
    def session(self) -> str:
        """The id of the session being attended."""
        ...

    @property
    def workdir(self) -> Path:
        """The directory of the session being attended. It may have been deleted."""
        ...

    @property
    def now(self) -> float:
        """Seconds on a clock that counts suspend and is never set; for intervals."""
        ...

    @property
    def wall(self) -> float:
        """Seconds since 1970 on the clock people read; may jump."""
        ...

    @property
    def activity(self) -> Activity:
        """What the session is doing, as known at the start of this poll."""
        ...

    @property
    def components(self) -> Sequence[Component]:
        """What there is to teach, in order, only parts of attend that are in use."""
        ...

    @property
    def tellings(self) -> Sequence[Telling]:
        """What other conduits told this session for this sensor since its last poll."""
        ...

    @property
    def missed(self) -> Sequence[str]:
        """Topics of this sensor's observations that nobody was shown, and nobody will be.

        They grew stale, or could not be sent; what became known since its last good poll.
        """
        ...

    @property
    def client_pid(self) -> int | None:
        """The process of the session's client; ``None`` where there is none."""
        ...

    @property
    def reports_at(self) -> Path:
        """The folder in which a file changes when `reports` do."""
        ...

    def wake(self) -> None:
        """Make the sensor due at once; may be kept, and called later from the loop's thread."""
        ...

    async def gauge(self) -> Gauge | None:
        """Read the session's context gauge; ``None`` where no gauge exists at all."""
        ...

    async def own_doing(self, since: float, until: float) -> bool:
        """Tell whether this very session was doing something at some moment of an interval.

        That is a tool call that can change something. One that only looks (`Read`, `Grep`,
        `WebFetch` and the like) doesn't count; one of a tool that attend doesn't know does.

        Waits, at most half a second, until the client must have written down what it ran.

        Args:
            since: start of the interval, wall clock.
            until: its end, wall clock.
        """
        ...

    async def neighbours(self, *, follow: bool = True) -> Sequence[Neighbour]:
        """List the sessions around this one, itself left out, all as of one moment.

        Args:
            follow: whether the sensor is due at once when it would be answered otherwise: who
                is there, in which session, or what it does.

        Raises:
            Exception: the store can't be read.
        """
        ...

    async def elsewhere(self, key: str) -> Neighbour | None:
        """Return a session that was a neighbour and runs on where it is none; see `Neighbour`.

        Returns:
            ``None`` where it has ended, or can't be seen any more.
        """
        ...

    async def commands(self) -> Sequence[Command]:
        """List the shell commands that the session's client ran lately, oldest first.

        What has no end yet, and what ended in the last ten minutes; of each session only what
        its transcript shows.
        """
        ...

    async def reports(self) -> Sequence[Report]:
        """List what `attend build` reported lately for the session's project, oldest first."""
        ...

    def is_here(self, path: str) -> bool:
        """Tell whether a directory belongs to the session's project, in any work tree."""
        ...


class Sensor(Protocol):
    """Something the host polls, one instance for each attended session."""

    async def poll(self, focus: Focus) -> Sequence[Observation]:
        """Return what changed since the last poll, possibly nothing.

        The first poll takes the baseline. A cancelled poll must leave the sensor usable; while
        one waits in a thread, which nothing can cancel, there is no other.

        Raises:
            Exception: any; the loop logs it, backs this sensor off and keeps the others.
        """
        ...


@runtime_checkable
class WatchingSensor(Protocol):
    """A sensor that names paths whose change makes it due at once."""

    def watches(self) -> Sequence[Path]:
        """Return files or folders to watch, never recursively. Asked after every poll."""
        ...


@runtime_checkable
class StatefulSensor(Protocol):
    """A sensor whose last look outlives a change of host."""

    def snapshot(self) -> Any:  # noqa: ANN401 - whatever JSON can hold
        """Return the last look as something JSON can hold.

        Asked at any time, also while a poll waits. What a poll has seen belongs into it once
        nothing is left to wait for: a host that died before would leave a look without news.
        """
        ...

    def restore(self, state: Any) -> None:  # noqa: ANN401 - what `snapshot` returned
        """Take up an earlier look.

        Raises:
            Exception: any; the sensor is built anew and takes a fresh baseline.
        """
        ...


@runtime_checkable
class RestingSensor(Protocol):
    """A sensor that can tell when nothing is left for it to look for."""

    def may_rest(self) -> bool:
        """Tell whether, as of its last poll, it need not look while its session is idle.

        Asked after a poll that saw nothing; it is then polled as one that `SensorType.rests`,
        until it says otherwise. Whatever ends its rest calls `Focus.wake`, or changes a path
        that it watches.
        """
        ...


@runtime_checkable
class LimitedSensor(Protocol):
    """A sensor that can say why it sees less than it could, though its polls go well."""

    def limits(self) -> str:
        """Say that in a line for people, who alone see it; ``""`` where nothing is in its way.

        Asked after every poll. What can be done about it goes behind a ``;``, and has
        `attend status` and `attend sensors` list it as something to be looked at.
        """
        ...


class SensorType(msgspec.Struct, frozen=True):
    """A kind of sensor on offer.

    Attributes:
        name: its name in configuration and in the header of its lines: letters, digits, ``-``.
        summary: what it says, in one sentence, for people.
        config: the struct of its ``[sensors.<name>]`` table.
        build: makes one sensor for one attended session; must not do work.
        rests: while its session is idle there is nothing for it to see, unless a path that it
            watches changes; it is then polled after 5 minutes, later every 15 at most, every
            45 s where nothing can be watched, and when work goes on. One that doesn't rest
            is polled once more when a turn ends.
    """

    name: str
    summary: str
    config: type[SensorConfig]
    build: Callable[[Any], Sensor]
    rests: bool = False
