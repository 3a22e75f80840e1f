"""Which facts are chosen, for whom, and in what order."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attendd.hot import choose, terms
from attendd.hot.choose import MOST_PASSED, Reader, Room
from attendd.store import Store
from attendd.store.fact_book import FactBook
from attendd.store.fact_rows import Fact, mark_of
from tests.store import fresh


def make(at: int, text: str, **more: object) -> Fact:
    plain: dict[str, object] = {
        "id": f"{at:016x}",
        "project": 1,
        "scope": "session",
        "text": text,
        "mark": mark_of(text),
        "producer": "agent",
        "session": "other",
        "weight": 70,
        "created_at": 1.0,
        "updated_at": 1.0,
    }
    return Fact(**{**plain, **more})  # type: ignore[arg-type]


def chosen(store: Store, facts: Sequence[Fact], room: Room, **more: object) -> list[str]:
    reader = Reader(1, "mine", ("juno",), 5.0)

    def add(book: FactBook) -> None:
        for each in facts:
            book.add(each)

    store.facts.change(add, 1.0, "user")
    found = store.call(lambda db: choose.choose(db, reader, room, **more))  # type: ignore[arg-type]
    return [text for _, text in found]


@contextmanager
def opened() -> Iterator[Store]:
    with (
        TemporaryDirectory() as folder,
        closing(Store(fresh.store(f"{folder}/attend.db"))) as store,
    ):
        yield store


@pytest.fixture
def empty() -> Iterator[Store]:
    with opened() as store:
        yield store


def test_the_heaviest_come_first_then_the_latest_then_by_id(empty: Store) -> None:
    facts = [
        make(3, "d"),
        make(2, "c"),
        make(1, "b", updated_at=2.0),
        make(4, "a", weight=80),
        make(5, "e", weight=60, updated_at=9.0),
    ]
    assert chosen(empty, facts, Room()) == ["a", "b", "c", "d", "e"]


def test_one_that_does_not_fit_is_passed_over(empty: Store) -> None:
    facts = [make(1, "é" * 1_000, weight=90), make(2, "x" * 100, weight=80), make(3, "y")]

    assert chosen(empty, facts, Room(25, 1_999)) == ["x" * 100, "y"]


def test_what_a_person_wished_for_is_told_whatever_the_prompt_is_about(empty: Store) -> None:
    facts = [make(1, "alpha"), make(2, "beta", core=True), make(3, "gamma")]

    assert chosen(empty, facts, Room(), words={"gamma"}) == ["beta", "gamma"]


def test_news_count_whatever_they_are_about_and_what_is_known_does_not(empty: Store) -> None:
    facts = [make(1, "alpha"), make(2, "beta"), make(3, "gamma")]
    news, known = [facts[0].id], [facts[2].id]

    assert chosen(empty, facts, Room(), words={"gamma"}, news=news, known=lambda: known) == [
        "alpha"
    ]


def test_after_many_that_do_not_fit_no_more_are_looked_at(empty: Store) -> None:
    """So that the time it takes has a bound, however many facts there are."""
    large = [make(at, "x" * 50, weight=80) for at in range(MOST_PASSED)]

    assert chosen(empty, [*large, make(9_999, "y")], Room(25, 40)) == []


def test_another_projects_facts_are_not_seen(empty: Store) -> None:
    assert chosen(empty, [make(1, "alpha", project=2)], Room()) == []


WORDS = st.sampled_from(["alpha", "beta", "gamma", "the", "Δέλτα", "日本語"])
FACTS = st.lists(
    st.fixed_dictionaries(
        {
            "text": st.lists(WORDS, min_size=1, max_size=4).map(" ".join),
            "weight": st.integers(20, 25),
            "updated_at": st.sampled_from([1.0, 2.0]),
            "created_at": st.sampled_from([1.0, 9.0]),
            "core": st.booleans(),
            "consumer": st.sampled_from(["", "juno", "tilda"]),
            "session": st.sampled_from(["mine", "other"]),
            "producer": st.sampled_from(["agent", "subagent", "user"]),
            "status": st.sampled_from(["active", "superseded"]),
        }
    ),
    max_size=12,
)


@given(FACTS, st.lists(WORDS, max_size=3), st.integers(0, 5), st.integers(0, 60))
@settings(max_examples=60)
def test_the_index_finds_what_the_rules_say(
    said: list[dict[str, object]], words: list[str], most: int, size: int
) -> None:
    facts = [make(at, str(one.pop("text")), **one) for at, one in enumerate(said)]
    wanted = terms.terms(" ".join(words))
    with opened() as store:
        found = chosen(store, facts, Room(most, size), words=wanted)

    assert found == by_the_rules(facts, wanted, most, size)


def by_the_rules(facts: list[Fact], wanted: set[str], most: int, size: int) -> list[str]:
    """Choose as it is written down, without an index."""
    found: list[str] = []
    for fact in sorted(facts, key=lambda fact: (-fact.weight, -fact.updated_at, fact.id)):
        echo = fact.session == "mine" and fact.producer == "agent" and fact.created_at >= 5.0
        fits = len(fact.text.encode()) <= size and (not most or len(found) < most)
        if (
            fact.status == "active"
            and fact.consumer in ("", "juno")
            and not (echo and not fact.consumer)
            and (not wanted or fact.core or wanted & terms.terms(fact.text))
            and fits
        ):
            found.append(fact.text)
            size -= len(fact.text.encode())
    return found
