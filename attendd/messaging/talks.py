"""When a talk between sessions goes on by itself, and when something real has come in. Pure."""

from collections.abc import Sequence

from attendd.harness import Talk
from attendd.store.afterwards import Heard, Held

ALONE_TURNS = 15
"""After so many turns without a person a session is told less often."""
SLOW_S = 600.0
"""It is then told everything in one go, in so many seconds."""


def begins_anew(talk: Talk, heard: Heard) -> bool:
    """Tell whether work or a person came after what a session was shown last."""
    return heard.chain > 0 and max(talk.worked_at, talk.prompted_at) > heard.at


def gap_s(talk: Talk) -> float:
    """Return the pause between two tellings that a session is given; 0: as usual."""
    return SLOW_S if talk.alone >= ALONE_TURNS else 0.0


def pairs(held: Sequence[Held]) -> dict[frozenset[str], list[Held]]:
    """Sort what is held by who talks to whom, the oldest first."""
    found: dict[frozenset[str], list[Held]] = {}
    for each in held:
        found.setdefault(frozenset((each.box, each.author)), []).append(each)
    return found
