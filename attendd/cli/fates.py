"""How a message fares, in words: its states, what happened on the way, whether it goes on."""

from typing import Any

from attendd.cli import words
from attendd.store import Fate, Message

MEANINGS = {
    "stored": "it waits to be shown",
    "claimed": "it is being shown at this moment",
    "expired": "it is no longer offered, but stays in the inbox",
    "announced": "a line told that it waits, but not its text",
    "offered": "it was written into a way into the session",
    "queued": "the client holds it until the model's next step",
    "fetched": "its text was read in the inbox",
    "seen": "it stands in the conversation; the transcript proves it",
    "read": "its recipient marked it as read",
    "answered": "the model went on with it in view",
    "undeliverable": "nobody is there any more who could be shown it",
    "retracted": "its author took it back before it was shown",
}
"""State of a delivery to what it means; in the order in which they can follow one another."""

REASONS = {
    "aged": "said to a group over a day ago",
    "unconfirmed": "it was perhaps shown",
    "twice": "the conversation has it already",
    "wanted back": "its author wanted it back",
}
"""What the reasons of an end mean, where there are more than words to say them."""

ENDS = ("expired", "undeliverable", "retracted")
_BY_CONDUIT = ("claimed", "announced", "offered", "queued", "seen")
_AT_REST = (*ENDS, "fetched", "seen", "read", "answered")
_STEPS = (
    ("announced_at", "a line told that it waits"),
    ("offered_at", "written"),
    ("queued_at", "held by its client"),
    ("fetched_at", "its text was read in the inbox"),
    ("seen_at", "stands in the conversation"),
    ("answered_at", "the model went on with it in view"),
    ("read_at", "marked as read"),
)


def said(fate: Fate) -> str:
    """Say how a message fares, in a few words."""
    parts = [fate.state]
    if fate.conduit and fate.state in _BY_CONDUIT:
        parts.append(f"by {fate.conduit}")
    notes = [f"held: {fate.hold}"] if fate.hold and fate.state == "stored" else []
    notes += [REASONS.get(fate.reason, fate.reason)] if fate.reason else []
    if fate.state == "announced" and not fate.evidence:
        notes.append("no sign of that line yet")
    if fate.repeats:
        notes.append("told of twice" if fate.announced_at else "shown twice")
    return " ".join(parts) + (f" ({', '.join(notes)})" if notes else "")


def steps(fate: Fate, message: Message) -> list[tuple[float | None, str]]:
    """Tell what happened to a message on its way into one mailbox, in order.

    Returns:
        When, wall clock, ``None`` where that is not written down; and what.
    """
    found: list[tuple[float | None, str]] = [(fate.created_at, "accepted")]
    for field, what in _STEPS:
        at = getattr(fate, field)
        if at is not None:
            found.append((at, f"{what}{_more(fate, field)}"))
    found.sort(key=lambda step: step[0] or 0.0)
    if fate.state in ENDS:
        at = message.retracted_at if fate.state == "retracted" else None
        reason = f": {REASONS.get(fate.reason, fate.reason)}" if fate.reason else ""
        found.append((at, f"{MEANINGS[fate.state]}{reason}"))
    elif fate.hold:
        found.append((None, f"held: {fate.hold}"))
    if fate.repeats:
        what = "told of or shown" if fate.announced_at else "shown"
        found.append((None, f"it was or may have been {what} twice, the second time marked"))
    return found


def at_rest(fate: Fate, *, provable: bool) -> bool:
    """Tell whether nothing more is to be expected.

    Args:
        fate: how it fares.
        provable: whether its recipient has a transcript that can say more than ``offered``.
    """
    return fate.state in _AT_REST or (fate.state == "offered" and not provable)


def plain(fate: Fate) -> dict[str, Any]:
    """Return how a message fares, under the keys that `--json` prints."""
    return {
        "session": fate.session,
        "kind": fate.kind,
        "channel": fate.channel or None,
        "meant": fate.meant or None,
        "state": fate.state,
        "reason": fate.reason or None,
        "hold": fate.hold or None,
        "conduit": fate.conduit or None,
        "repeats": fate.repeats,
        "evidence": fate.evidence or None,
        "latency_ms": fate.latency_ms,
        "accepted_at": fate.created_at,
        **{field: getattr(fate, field) for field, _ in _STEPS},
    }


def spread(found: list[Fate]) -> str:
    """Say how a message fares with all: ``seen by monitor``, or ``2 seen, 1 stored``."""
    if len(found) == 1:
        return said(found[0])
    states = dict.fromkeys([*MEANINGS, *(fate.state for fate in found)])
    counts = {state: sum(fate.state == state for fate in found) for state in states}
    return ", ".join(f"{count} {state}" for state, count in counts.items() if count)


def _more(fate: Fate, field: str) -> str:
    if field == "offered_at":
        way = f" by {fate.conduit}" if fate.conduit else ""
        late = (
            ""
            if fate.latency_ms is None
            else f", {fate.latency_ms:.0f} ms after it was accepted"
        )
        return f"{way}{late}"
    if field == "announced_at" and fate.state == "announced":
        return f", which is proved ({fate.evidence})" if fate.evidence else ""
    if field == "seen_at" and fate.evidence:
        return f" ({fate.evidence})"
    return ""


def step_said(at: float | None, what: str) -> tuple[str, str]:
    """Make a step a pair of when and what, for people."""
    return ("" if at is None else words.moment(at), what)
