"""The clocks, as an argument: everything that waits or stamps takes one."""

import time
from typing import Protocol

_ID = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
_AWAKE = (
    time.CLOCK_MONOTONIC
    if _ID != time.CLOCK_MONOTONIC
    else getattr(time, "CLOCK_UPTIME_RAW", _ID)
)
"""Stands still while the machine is suspended."""


class Clock(Protocol):
    """Tells the time for intervals, and for people, and how much of it was slept through."""

    def now(self) -> float:
        """Seconds on a clock that is never set and counts suspend; starts anew at boot."""
        ...

    def wall(self) -> float:
        """Seconds since 1970; may be stepped at any moment."""
        ...

    def slept(self) -> float:
        """Seconds for which the machine has been suspended since it was booted."""
        ...


class SystemClock:
    """The machine's clocks: ``CLOCK_BOOTTIME`` (macOS: ``CLOCK_MONOTONIC``) and wall time."""

    def now(self) -> float:
        """See `Clock.now`."""
        return time.clock_gettime(_ID)

    def wall(self) -> float:
        """See `Clock.wall`."""
        return time.time()

    def slept(self) -> float:
        """See `Clock.slept`."""
        return time.clock_gettime(_ID) - time.clock_gettime(_AWAKE)
