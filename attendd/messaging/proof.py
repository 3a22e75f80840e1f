"""What is to be written down of a message that was offered, by what its client shows. Pure.

Seen and answered are said on evidence alone. A message of which there is no sign is offered
once more: when its client has died, which forgets what it had queued; when it says that it
dropped lines of ours; and when a minute has passed, by another way if one works.
"""

import math
from collections.abc import Collection

import msgspec

from attendd.harness import Trace, Traces
from attendd.store.afterwards import Offered

WAIT_S = 60.0
"""After so long without a sign it is offered again, by another way."""
WRITTEN_S = 3.0
"""By then a client has surely written down what it queued; measured: 0.3 s."""
MONITOR = "monitor"

_EARLY_S = 1.0
"""How far a row may be stamped before the record of what it shows, by another process."""


class Advance(msgspec.Struct, frozen=True):
    """A delivery came to a state.

    Attributes:
        delivery: its number.
        state: ``queued``, ``seen`` or ``answered``; ``announced``: the line that told of it
            stands in the conversation.
        at: when, wall clock.
        evidence: uuid of the row that proves it; empty for ``queued``.
    """

    delivery: int
    state: str
    at: float
    evidence: str = ""


class Again(msgspec.Struct, frozen=True):
    """A delivery is to be offered once more.

    Attributes:
        delivery: its number.
        avoid: the way that must not take it; empty: any may.
        why: the reason, in words.
    """

    delivery: int
    avoid: str
    why: str


def judge(
    offered: Offered, traces: Traces | None, *, lives: bool, ways: Collection[str]
) -> list[Advance] | Again | None:
    """Decide about one delivery.

    Args:
        offered: what is written down of it.
        traces: what its client's files show; ``None`` where there is nothing to read, so that
            it stays as it is.
        lives: whether its client may live; one that doesn't has forgotten what it queued.
        ways: the ways into its session that work.
    """
    if traces is None:
        return None
    trace = traces.messages.get(offered.message, Trace())
    proved = _proved(offered, trace)
    if trace.seen_at is not None or offered.state in ("claimed", "seen"):
        return proved or None
    if offered.repeats or traces.since > offered.offered_at + _EARLY_S:
        return proved or None
    return _again(offered, trace, traces, lives=lives, ways=ways) or proved or None


def _proved(offered: Offered, trace: Trace) -> list[Advance]:
    if offered.state == "announced":
        seen = trace.seen_at
        told = Advance(offered.delivery, "announced", seen or 0.0, trace.row)
        return [] if seen is None else [told]
    found = []
    queued_at = _queued_at(offered, trace)
    if queued_at is not None and offered.state in ("claimed", "offered"):
        found.append(Advance(offered.delivery, "queued", queued_at))
    if trace.seen_at is not None and offered.state != "seen":
        found.append(Advance(offered.delivery, "seen", trace.seen_at, trace.row))
    if trace.answered_at is not None:
        found.append(Advance(offered.delivery, "answered", trace.answered_at, trace.answer))
    return found


def _queued_at(offered: Offered, trace: Trace) -> float | None:
    """Return when it was queued after this offer: a dead client's queue counts no more."""
    at = trace.queued_at
    return None if at is None or at < offered.offered_at - _EARLY_S else at


def _again(
    offered: Offered, trace: Trace, traces: Traces, *, lives: bool, ways: Collection[str]
) -> Again | None:
    """Decide whether one of which there is no sign in the conversation is offered again."""
    if not lives:
        return Again(offered.delivery, "", "its client ended before it came in")
    if _queued_at(offered, trace) is not None:
        return None
    dropped = traces.suppressed_at >= offered.offered_at - _EARLY_S
    if offered.conduit == MONITOR and dropped and offered.age_s >= WRITTEN_S:
        return Again(offered.delivery, "", "its client dropped lines")
    others = set(ways) - {offered.conduit}
    if offered.age_s >= WAIT_S and others and not math.isinf(offered.age_s):
        return Again(offered.delivery, offered.conduit, "there was no sign of it")
    return None
