"""When a session is taught of memory anew, and when it counts as taught."""

import time
from pathlib import Path

import pytest

from attendd.hot import db as hot
from attendd.hot import nonces
from attendd.store import Store
from tests.store.recalling import Session, facts_in, learn, teaches


@pytest.fixture
def session(db: hot.Connection, tmp_path: Path) -> Session:
    return Session(db, tmp_path)


def test_it_is_taught_again_after_twenty_prompts(session: Session) -> None:
    session.start()
    taught = [teaches(session.prompt()) for _ in range(42)]

    assert [at for at, did in enumerate(taught, 1) if did] == [21, 42]


def test_it_is_taught_again_after_forty_thousand_bytes(session: Session) -> None:
    """Three short answers with much output of tools between them."""
    session.start()
    for size, due in (
        (39_000, False),
        (2_000, True),
        (100, False),
        (38_000, False),
        (3_000, True),
    ):
        session.hears("x" * size)
        assert teaches(session.prompt()) is due, size


def test_where_the_distance_is_known_in_tokens_somebody_says_when(session: Session) -> None:
    """As long as there is a host that can; here there is none."""
    session.start()
    session.db.execute("UPDATE memory_session SET gauge = 1")
    assert not teaches(session.prompt())
    session.db.execute("UPDATE memory_session SET due = 'distance'")

    assert teaches(session.prompt())
    assert not teaches(session.prompt())


def test_a_limit_can_be_turned_off(db: hot.Connection, tmp_path: Path) -> None:
    session = Session(db, tmp_path, turns=0, growth_bytes=0)
    session.start()
    session.hears("x" * 1_000_000)

    assert not any(teaches(session.prompt()) for _ in range(50))


def test_a_call_that_failed_does_not_count(session: Session) -> None:
    session.start()
    for _ in range(20):
        session.prompt()

    assert teaches(session.prompt(arrives=False))
    assert teaches(session.prompt())


def test_a_compaction_is_followed_by_teaching_even_where_no_start_tells_of_it(
    session: Session,
) -> None:
    session.start()
    assert teaches(session.start("compact", arrives=False))

    assert teaches(session.prompt())


def test_resuming_teaches_nothing_that_is_still_there(session: Session, store: Store) -> None:
    learn(store, "deploys are on friday")
    session.start()
    assert session.start("resume") == ""
    learn(store, "tests need a database")

    assert facts_in(session.start("resume")) == ["tests need a database"]


def test_a_new_nonce_is_taught_with_the_next_prompt(session: Session) -> None:
    first = session.start()
    nonces.rotate(session.db, "s2", time.time(), "seen in code")
    again = session.prompt()

    assert teaches(again)
    assert again.partition("\n\n")[0] != first
    assert f":{nonces.current(session.db, 's2')}>" in again
