"""Facts are neither lost nor kept twice where the store fails while they are taken."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from attendd.hot import db as hot
from attendd.store import Store
from tests.store.remembering import differences
from tests.store.test_capturing import Talk

COUNT = 12


@pytest.fixture
def talk(store: Store, tmp_path: Path, home: Path) -> Talk:
    made = Talk(store, tmp_path)
    for turn in range(COUNT):
        made.row("user", "go", turnPosition={"promptIndex": turn + 1})
        made.says(made.tag(f"{turn}a {turn}b {'x' * 1_500}"))
    return made


def leave_room(talk: Talk, pages: int) -> None:
    """Let the store grow by so many pages, as if the disk had no more."""

    def work(db: hot.Connection) -> None:
        used = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {used + pages}")

    talk.store.call(work)


def all_once(talk: Talk) -> None:
    """Whatever else is looked at: all are there, each once."""
    talk.look()
    talk.look(talk.new_host())
    assert len(talk.facts()) == COUNT
    log = talk.store.facts.log(talk.project)
    assert [each.action for each in log] == ["recorded"] * COUNT
    assert differences(talk.store) == {}


def test_a_disk_that_gets_full_in_the_middle_has_the_rest_wait(talk: Talk) -> None:
    leave_room(talk, 8)
    assert talk.look() == 101.0
    before = len(talk.facts())
    assert 0 < before < COUNT
    assert talk.look() == 101.0
    assert len(talk.facts()) == before

    leave_room(talk, 10_000)
    all_once(talk)


def test_a_host_that_ends_while_the_disk_is_full_leaves_the_rest_to_the_next(
    talk: Talk,
) -> None:
    leave_room(talk, 8)
    talk.look()
    leave_room(talk, 10_000)

    talk.host = talk.new_host()
    all_once(talk)


def test_what_is_said_while_many_wait_is_taken_afterwards(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk.host = talk.new_host(COUNT)
    with monkeypatch.context() as broken:
        broken.setattr(sys, "executable", "/bin/false")
        talk.look()
        talk.says(talk.tag("deploy on friday"))
        assert talk.look() == 101.0

    talk.look()
    talk.look()

    assert len(talk.facts()) == COUNT + 1


def test_a_store_that_somebody_has_locked_has_all_wait(
    talk: Talk, path: Path, store: Store
) -> None:
    with closing(Store(str(path), patience_s=0.05)) as impatient:
        talk.store = impatient
        talk.host = talk.new_host()
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert talk.look() == 101.0
            assert talk.facts() == []

        all_once(talk)
