"""The host looks after memory: it reckons with ends, and sees what was made use of."""

import json
from pathlib import Path

import anyio
import pytest

from attendd.clock import SystemClock
from attendd.host.remembering import LOOK_S, SETTLED_S, SILENT_S, Remembering
from attendd.hot import db as hot
from attendd.hot import terms
from attendd.memory import use
from attendd.store import Store
from tests.store import given
from tests.store.recalling import Session, learn
from tests.store.remembering import fact, joined, parts, say


@pytest.fixture
def host(store: Store, tmp_path: Path) -> Remembering:
    return Remembering(parts(store, tmp_path), list)


@pytest.fixture
def said(store: Store, db: hot.Connection) -> str:
    """Have session ``s1``, whose client is gone, recorded a fact in a project with a memory."""
    joined(store)
    db.execute("UPDATE memory_project SET enabled = 1")
    return say(store, "deploys are on friday").fact


def look(host: Remembering, now: float) -> float:
    return anyio.run(host.look, now)


def weight(store: Store, said: str) -> int:
    return fact(store, said).weight


def ended(db: hot.Connection) -> bool:
    return bool(hot.read(db, "SELECT ended_at IS NOT NULL FROM memory_session")[0][0])


def test_the_end_of_a_session_is_reckoned_with_a_moment_after_its_client_has_gone(
    host: Remembering, store: Store, db: hot.Connection, said: str
) -> None:
    """In between what it said last is taken down."""
    assert look(host, 100.0) == 100.0 + SETTLED_S
    assert weight(store, said) == 70

    assert look(host, 100.0 + SETTLED_S) == 100.0 + SETTLED_S + LOOK_S
    assert weight(store, said) == 60
    look(host, 500.0)
    look(host, 600.0)
    assert weight(store, said) == 60


def test_no_session_has_ended_before_all_that_was_said_is_recorded(
    store: Store, tmp_path: Path, said: str
) -> None:
    behind = [True, False]
    host = Remembering(parts(store, tmp_path), list, behind.pop)
    look(host, 100.0)

    look(host, 200.0)
    assert weight(store, said) == 70

    behind.append(False)
    look(host, 300.0)
    assert weight(store, said) == 60


def test_a_session_that_came_back_meanwhile_has_not_ended(
    host: Remembering, store: Store, db: hot.Connection, said: str
) -> None:
    look(host, 100.0)
    db.execute("UPDATE attachment SET client_pid = NULL")
    look(host, 200.0)
    db.execute("UPDATE attachment SET client_pid = 99")
    look(host, 300.0)

    assert weight(store, said) == 70
    look(host, 300.0 + SETTLED_S)
    assert weight(store, said) == 60


def test_a_session_whose_client_went_on_under_another_has_ended(
    host: Remembering, db: hot.Connection, said: str
) -> None:
    db.execute("UPDATE attachment SET client_pid = NULL")
    look(host, 100.0)
    assert not ended(db)
    db.execute("UPDATE session SET successor = 's2'")
    look(host, 200.0)
    look(host, 300.0)

    assert ended(db)


def test_a_session_of_no_client_ends_by_its_silence(
    host: Remembering, db: hot.Connection, said: str
) -> None:
    db.execute("DELETE FROM attachment")
    wall = SystemClock().wall()
    for seen_at, over in ((wall, False), (wall - SILENT_S - 1, True)):
        db.execute("UPDATE session SET seen_at = ?", (seen_at,))
        db.execute("UPDATE memory_session SET began_at = 0")
        look(host, 100.0)
        look(host, 200.0)
        assert ended(db) is over


def test_where_memory_is_off_nothing_is_done(
    host: Remembering, store: Store, db: hot.Connection, said: str
) -> None:
    db.execute("UPDATE memory_project SET enabled = 0")
    look(host, 100.0)
    look(host, 200.0)

    assert weight(store, said) == 70


def answer(path: Path, text: str) -> None:
    row = {
        "type": "assistant",
        "uuid": "u1",
        "timestamp": "2026-01-01T00:00:00Z",
        "message": {"model": "m", "content": [{"type": "text", "text": text}]},
    }
    with path.open("a") as file:
        file.write(json.dumps(row) + "\n")


def test_a_fact_that_stands_in_an_answer_was_of_use_to_the_session_that_was_shown_it(
    host: Remembering, store: Store, db: hot.Connection, tmp_path: Path
) -> None:
    given.enrol(db, "s2", workdir=str(tmp_path))
    session = Session(db, tmp_path)
    db.execute("UPDATE memory_project SET enabled = 1")
    db.execute("UPDATE session SET transcript = ? WHERE id = 's2'", (str(session.transcript),))
    used = learn(store, "deploys are on friday", project=session.project)
    learn(store, "tests need a database", project=session.project)
    session.start()

    answer(session.transcript, "As deploys go out on Friday, let us wait.")
    look(host, 100.0)

    (shown,) = store.memories.injections(session="s2")
    assert [(each, at is not None) for each, at in shown.facts if each == used.fact] == [
        (used.fact, True)
    ]
    assert [at is not None for _, at in shown.facts].count(True) == 1
    assert {
        each.fact.text: each.hits for each in store.facts.all(session.project, "active")
    } == {
        "deploys are on friday": 1,
        "tests need a database": 0,
    }


@pytest.mark.parametrize(
    ("text", "answer", "used"),
    [
        ("deploys are on friday", "we deploy on friday", False),
        ("deploys are on friday", "deploys: friday", True),
        ("warehouse", "the Warehouse", True),
        ("warehouse", "nothing", False),
        ("the of", "the of", False),
        ("one two three four five", "one two three", True),
        ("one two three four five", "one two", False),
    ],
)
def test_most_of_its_words_make_the_use_of_a_fact(
    text: str, answer: str, *, used: bool
) -> None:
    assert use.stands_in(text, terms.terms(answer)) is used
