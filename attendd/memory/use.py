"""Whether a session made use of a fact that it was shown. Pure but for what it writes down.

All that can be seen is what it said: that the words of a fact stand in an answer. It may have
made use of it without a word, or said the words for another reason.
"""

from collections.abc import Iterable

from attendd.hot import terms
from attendd.store import Store
from attendd.store.fact_book import FactBook

SHARE = 0.6
"""The share of a fact's words that stand in one answer, from which on it was made use of."""
FEWEST = 2
"""So many words at least, if it has as many."""


def stands_in(text: str, answer: set[str]) -> bool:
    """Tell whether a fact was made use of in an answer, of which the words are given."""
    words = terms.terms(text)
    common = len(words & answer)
    return common >= min(FEWEST, len(words)) and 0 < SHARE * len(words) <= common


def note(store: Store, session: str, answers: Iterable[str], wall: float) -> list[str]:
    """Note which facts a session was shown that stand in its answers; return their ids.

    Raises:
        StoreError: it was not noted.
    """
    shown = store.memories.unused(session)
    spoken = [terms.terms(answer) for answer in answers] if shown else []
    used = [fact for fact, text in shown if any(stands_in(text, words) for words in spoken)]
    if not used:
        return []
    store.memories.used(session, used, wall)

    def work(book: FactBook) -> None:
        for fact in filter(None, map(book.get, used)):
            if fact.session != session:
                book.hit(fact, session)

    store.facts.change(work, wall, "host")
    return used
