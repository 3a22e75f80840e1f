"""What the end of a session does to what it recorded: facts fade, prove themselves, or go."""

from attendd.memory import weight
from attendd.store import Store
from attendd.store.fact_book import FactBook
from attendd.store.fact_rows import Fact

ARCHIVE_AFTER = 30
"""A fact that was neither shown nor used in so many sessions is archived."""
KEPT = 1_000
"""So many facts of a project are kept at most, besides those a person wished for."""


def end_session(
    store: Store, session: str, wall: float, *, kept: int = KEPT, after: int = ARCHIVE_AFTER
) -> None:
    """Reckon with the end of a session; one that has ended before is left as it is.

    Args:
        store: the store.
        session: which.
        wall: now.
        kept: how many facts a project keeps; 0: any number.
        after: in how many sessions a fact must be shown or used; 0: none.

    Raises:
        StoreError: nothing was done.
    """

    def work(book: FactBook) -> None:
        project = book.close_session(session)
        if not project:
            return
        for each in book.of_session(session):
            _fade(book, each)
        _archive(book, book.unused(project, after) if after else [], "unused")
        _archive(book, book.beyond(project, kept) if kept else [], "no room")

    store.facts.change(work, wall, "host")


def _fade(book: FactBook, fact: Fact) -> None:
    """Let a fact fade; one that was confirmed stays with the project."""
    after, scope = weight.after_session(
        fact.weight, fact.scope, core=fact.core, trusted=not fact.untrusted
    )
    if fact.status != "active" or (after, scope) == (fact.weight, fact.scope):
        return
    if scope is weight.Scope.PRUNED:
        book.alter(fact, "pruned", weight=after, status="pruned")
        return
    action = "faded" if scope == fact.scope else "promoted"
    book.alter(fact, action, weight=after, scope=str(scope))


def _archive(book: FactBook, facts: list[Fact], why: str) -> None:
    for fact in facts:
        book.alter(fact, "archived", {"_why": why}, status="archived")
