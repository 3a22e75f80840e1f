"""Facts, and what the log says of them."""

from typing import Any

import msgspec

from attendd import fingerprint
from attendd.hot import terms


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """One assertion that is remembered, and where it came from.

    Attributes:
        id: 16 hex digits.
        project: whose memory it is in.
        scope: ``session`` (fades unless it proves itself) or ``project`` (stays).
        text: the assertion; empty once it was forgotten.
        mark: see `mark_of`; stays when the text goes.
        producer: who said it: ``user``, ``system``, ``agent`` or ``subagent``.
        consumer: whom it is for; empty: everybody.
        weight: hundredths.
        core: whether a person wished it to be kept for good.
        untrusted: whether it was taken from what a tool or a stranger said.
        status: ``active``, ``superseded``, ``pruned``, ``archived``, ``withheld`` (it looks
            like a secret), ``undone`` or ``forgotten``.
        supersedes: the fact that it replaced; empty: none.
        session: the session that recorded it; empty: a person at a terminal.
        turn: the session's prompt under which it was said, from 1 on; 0: none.
        agent: the name of the agent that said it, as it was known then.
        source: the row of the transcript it stood in, or the command that recorded it.
        created_at: wall clock.
        updated_at: when it was said or changed last, wall clock.
    """

    id: str
    project: int
    scope: str
    text: str
    mark: str
    producer: str
    consumer: str = ""
    weight: int
    core: bool = False
    untrusted: bool = False
    status: str = "active"
    supersedes: str = ""
    session: str = ""
    turn: int = 0
    agent: str = ""
    source: str = ""
    created_at: float
    updated_at: float


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of the log.

    Attributes:
        id: entries are numbered in the order in which they were made.
        at: wall clock.
        actor: ``user``, ``host``, or the session that did it.
        action: what was done, in one word.
        project: in whose memory.
        fact: to which fact; empty where none came of it.
        session: what the action was about, where that is a session.
        changes: the columns that changed and their new values. What begins with ``_`` is no
            column but an explanation.
    """

    id: int
    at: float
    actor: str
    action: str
    project: int
    fact: str
    session: str
    changes: dict[str, Any]


def mark_of(text: str) -> str:
    """Return what a text is known by again: the same for all that differ in case and space."""
    return fingerprint.of(terms.folded(text).encode("utf-8", "replace"), 16).hex()


def entry(row: tuple[Any, ...]) -> Entry:
    """Make an entry of its row."""
    return Entry(
        **dict(zip(Entry.__struct_fields__[:-1], row[:-1], strict=True)),
        changes=msgspec.json.decode(row[-1]),
    )
