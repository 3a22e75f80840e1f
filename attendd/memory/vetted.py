"""Whether what is remembered may still be shown: other detectors look at each fact anew.

A fact is vetted before it is recorded, and again once the detectors have changed or it was
brought back from the log. Until then no session is shown it.
"""

from collections.abc import Sequence

from attendd.store import Store
from attendd.store.fact_book import FactBook
from attendd.store.fact_rows import Fact

MOST = 500
"""Facts that are looked at in one go."""


def waiting(store: Store, detectors: str) -> list[Fact]:
    """Return facts that these detectors have not looked at, so many at most.

    Raises:
        StoreError: the store can't be used.
    """
    store.facts.vet_with(detectors)
    return store.facts.unvetted(MOST)


def settle(store: Store, facts: Sequence[Fact], objections: Sequence[str], wall: float) -> int:
    """Note what was found in facts; return how many are not shown any more.

    Raises:
        StoreError: nothing was noted.
    """

    def work(book: FactBook) -> int:
        found = list(zip(facts, objections, strict=True))
        for fact, _ in found:
            book.vetted(fact)
        bad = [(fact, why) for fact, why in found if why and book.get(fact.id) == fact]
        for fact, why in bad:
            book.alter(fact, "withheld", {"_why": why}, status="withheld")
        return len(bad)

    return store.facts.change(work, wall, "host")
