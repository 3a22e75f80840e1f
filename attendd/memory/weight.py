"""What a fact weighs, and what becomes of it as sessions end. Pure; weights are hundredths.

Source:
    Decision record 25 of the percept design: decay 0.10, promotion from 0.80, pruning at 0.20.
"""

import enum

CORE = 100
INITIAL = {"user": 90, "system": 40}
AGENT = 70
"""What a fact of any agent weighs at first."""
DECAY = 10
PROMOTED = 80
PRUNED = 20
"""A fact that still fades is promoted from the one on, and pruned down to the other."""


class Scope(enum.StrEnum):
    """How long a fact is kept: while it proves itself, or with the project."""

    SESSION = "session"
    PROJECT = "project"
    PRUNED = "pruned"


def initial(producer: str, *, core: bool = False) -> int:
    """Return what a fact weighs when it is recorded.

    Args:
        producer: ``user``, ``system``, or any agent.
        core: whether a person wished it to be kept for good.
    """
    return CORE if core else INITIAL.get(producer, AGENT)


def first_scope(*, core: bool = False) -> Scope:
    """Return how long a fact is kept when it is recorded."""
    return Scope.PROJECT if core else Scope.SESSION


def after_session(
    weight: int, scope: str, *, core: bool, trusted: bool = True
) -> tuple[int, Scope]:
    """Return weight and scope after the session that recorded a fact has ended once more.

    Args:
        weight: before.
        scope: before; only what is kept for the session fades.
        core: see `initial`.
        trusted: whether it may be promoted.
    """
    if core or scope != Scope.SESSION:
        return weight, Scope(scope)
    weight = max(0, weight - DECAY)
    if weight <= PRUNED:
        return weight, Scope.PRUNED
    return weight, Scope.PROJECT if trusted and weight >= PROMOTED else Scope.SESSION
