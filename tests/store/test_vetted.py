"""What is remembered is vetted before a session is shown it, whatever let it in."""

import sqlite3
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from attendd.host.remembering import Remembering
from attendd.hot import db as hot
from attendd.memory import change, vetted, vetting
from attendd.store import Store
from tests.store.given import WALL
from tests.store.recalling import Session, facts_in, learn
from tests.store.remembering import active, differences, fact, parts

SECRET = "the token is ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
FACT = "deploys are on friday"


@pytest.fixture
def session(db: hot.Connection, tmp_path: Path) -> Session:
    made = Session(db, tmp_path)
    db.execute("UPDATE memory_project SET enabled = 1")
    return made


def test_what_other_detectors_let_pass_is_shown_once_those_in_use_have_seen_it(
    session: Session, store: Store, tmp_path: Path
) -> None:
    learn(store, FACT)
    secret = learn(store, SECRET)
    store.facts.vet_with("others")
    store.facts.vet_with("still others")
    assert facts_in(session.start()) == []
    assert session.prompt("is the token for deploys?") == ""

    anyio.run(Remembering(parts(store, tmp_path), list).look, 100.0)

    assert facts_in(session.start("compact")) == [FACT]
    assert fact(store, secret).status == "withheld"
    last = store.facts.log(None, secret.fact)[-1]
    assert last.changes["_why"] == "it holds what looks like a secret: GitHub Token"
    assert SECRET not in str(last)
    assert differences(store) == {}


def test_the_detectors_in_use_look_once(store: Store) -> None:
    learn(store, FACT)
    assert vetted.waiting(store, vetting.detectors_in_use()) == []
    assert [each.text for each in vetted.waiting(store, "others")] == [FACT]

    vetted.settle(store, vetted.waiting(store, "others"), [""], WALL)

    assert vetted.waiting(store, "others") == []


def test_what_came_back_from_the_log_is_vetted_anew(
    session: Session, store: Store, path: Path
) -> None:
    learn(store, SECRET)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM fact")

    store.facts.audit(rebuild=True)

    assert active(store) == [SECRET]
    assert facts_in(session.start()) == []


def test_what_got_other_words_while_it_was_looked_at_is_looked_at_again(store: Store) -> None:
    said = fact(store, learn(store, FACT))
    (seen,) = vetted.waiting(store, "a") or vetted.waiting(store, "b")
    change.edit(store, said, "deploys are on monday", WALL, "user")

    assert vetted.settle(store, [seen], ["a secret"], WALL) == 0
    assert [each.text for each in vetted.waiting(store, "b")] == ["deploys are on monday"]


def test_a_person_who_knows_better_has_it_back(session: Session, store: Store) -> None:
    said = fact(store, learn(store, FACT))
    vetted.settle(store, [said], ["it looks like a secret"], WALL)
    assert facts_in(session.start()) == []

    change.pin(store, fact(store, said.id), WALL, "user")

    assert facts_in(session.start("compact")) == [FACT]
