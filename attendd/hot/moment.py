"""One moment, on both clocks: the wall's, for people, and the one that counts suspend."""

import time

AGED_S = 24 * 3600.0
"""Mail to a group is not offered after so long, and who was not heard of for so long is not
found in it."""
NUMBERED_S = 7 * 24 * 3600.0
"""How long after its last sign of life a session's number is not given to another."""

_BOOT_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class Moment:
    """A moment.

    Attributes:
        wall: seconds of the wall clock.
        boot: the id of this boot, without which ``bt`` means nothing.
        bt: seconds of the clock that counts suspend and is never set.
    """

    __slots__ = ("boot", "bt", "wall")

    def __init__(self, wall: float, boot: str, bt: float) -> None:
        self.wall = wall
        self.boot = boot
        self.bt = bt

    def since(self, wall: float, boot: str, bt: float) -> float:
        """Count the seconds since an earlier moment, however the wall clock was set meanwhile.

        Across a restart of the machine only the wall clock can tell. Never negative.
        """
        return max(0.0, self.bt - bt if boot == self.boot else self.wall - wall)


def boot_seconds() -> float:
    """Read the clock that counts suspend and is never set."""
    return time.clock_gettime(_BOOT_CLOCK)


def now(boot: str = "") -> Moment:
    """Take the present moment.

    Args:
        boot: the id of this boot, where it is known already.
    """
    if not boot:
        from attendd.hot import process

        boot = process.boot_id()
    return Moment(time.time(), boot, boot_seconds())
