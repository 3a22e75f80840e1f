"""What the end of a session does to what it recorded: facts fade, prove themselves, or go."""

import msgspec

from attendd.memory import weight
from attendd.store import Store
from attendd.store.fact_book import FactBook
from attendd.store.fact_rows import Fact

ARCHIVE_AFTER = 30
"""A fact that was neither shown nor used in so many sessions is archived."""
KEPT = 1_000
"""So many facts of a project are kept at most, besides those a person wished for."""


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """What the end of a session came to, in facts.

    Attributes:
        faded: that weigh less now.
        promoted: that stay with the project from now on.
        pruned: that are not shown any more because nothing confirmed them.
        archived: that are not shown any more because nothing used them, or there is no room.
    """

    faded: int = 0
    promoted: int = 0
    pruned: int = 0
    archived: int = 0


def end_session(
    store: Store, session: str, wall: float, *, kept: int = KEPT, after: int = ARCHIVE_AFTER
) -> Ended | None:
    """Reckon with the end of a session, once.

    Args:
        store: the store.
        session: which.
        wall: now.
        kept: how many facts a project keeps; 0: any number.
        after: in how many sessions a fact must be shown or used; 0: none.

    Returns:
        ``None`` where it has ended before and was not resumed since, or has no memory.

    Raises:
        StoreError: nothing was done.
    """

    def work(book: FactBook) -> Ended | None:
        project = book.close_session(session)
        if not project:
            return None
        done = [_fade(book, each) for each in book.of_session(session)]
        archived = _archive(book, book.unused(project, after) if after else [], "unused")
        archived += _archive(book, book.beyond(project, kept) if kept else [], "no room")
        counts = {name: done.count(name) for name in ("faded", "promoted", "pruned")}
        return Ended(**counts, archived=archived)

    return store.facts.change(work, wall, "host")


def _fade(book: FactBook, fact: Fact) -> str:
    """Let a fact fade, and say in a word what became of it; ``''`` for nothing."""
    after, scope = weight.after_session(
        fact.weight, fact.scope, core=fact.core, trusted=not fact.untrusted
    )
    if fact.status != "active" or (after, scope) == (fact.weight, fact.scope):
        return ""
    if scope is weight.Scope.PRUNED:
        book.alter(fact, "pruned", weight=after, status="pruned")
        return "pruned"
    action = "faded" if scope == fact.scope else "promoted"
    book.alter(fact, action, weight=after, scope=str(scope))
    return action


def _archive(book: FactBook, facts: list[Fact], why: str) -> int:
    for fact in facts:
        book.alter(fact, "archived", {"_why": why}, status="archived")
    return len(facts)
