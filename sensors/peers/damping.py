"""How much of a session's turning to and fro is worth saying. Pure.

A session that works turns all the time. The first turn after an hour of calm is told at once;
each further one only if it lasts, and twice as long each time.
"""

import msgspec

from attendd.api import Status

CALM_S = 3600.0
"""What was told longer ago than this no longer makes a session one that turns often."""
FIRST_WAIT_S = 60.0
LONGEST_WAIT_S = 960.0

_MOST = 12


class Turns(msgspec.Struct, frozen=True, kw_only=True):
    """What was told of one session's status, and what came of it since.

    Attributes:
        told: the status that counts as known.
        now: the status seen last.
        since: when that was first seen, on the focus' clock.
        told_at: when statuses were told, oldest first.
    """

    told: Status
    now: Status
    since: float
    told_at: tuple[float, ...] = ()

    def wait_s(self, at: float) -> float:
        """Return how long a status must last before it is told."""
        lately = sum(0 <= at - told < CALM_S for told in self.told_at)
        if not lately:
            return 0.0
        return min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** (lately - 1))


def begin(status: Status, at: float) -> Turns:
    """Take a status as known, so that only another one is news."""
    return Turns(told=status, now=status, since=at)


def turn(turns: Turns, status: Status, at: float) -> tuple[Turns, bool]:
    """Take in a look at a session.

    Args:
        turns: what is known of it.
        status: what it does now. An unknown one changes nothing.
        at: the present, on the clock of the looks before.

    Returns:
        What is known from now on, and whether its status is to be told.
    """
    if status is Status.UNKNOWN:
        return turns, False
    if turns.told is Status.UNKNOWN:  # the first it ever said
        return begin(status, at), False
    if status is not turns.now or at < turns.since:
        turns = msgspec.structs.replace(turns, now=status, since=at)
    if status is turns.told or at - turns.since < turns.wait_s(at):
        return turns, False
    kept = (*turns.told_at[-_MOST:], at)
    return msgspec.structs.replace(turns, told=status, told_at=kept), True
