"""The two clocks, as an argument: everything that waits or stamps takes one."""

import time
from typing import Protocol

_ID = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class Clock(Protocol):
    """Tells the time twice over: for intervals and for people."""

    def now(self) -> float:
        """Seconds on a clock that is never set and counts suspend; starts anew at boot."""
        ...

    def wall(self) -> float:
        """Seconds since 1970; may be stepped at any moment."""
        ...


class SystemClock:
    """The machine's clocks: ``CLOCK_BOOTTIME`` (macOS: ``CLOCK_MONOTONIC``) and wall time."""

    def now(self) -> float:
        """See `Clock.now`."""
        return time.clock_gettime(_ID)

    def wall(self) -> float:
        """See `Clock.wall`."""
        return time.time()
