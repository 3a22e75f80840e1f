"""What is forgotten is in no file any more, and is known again should anybody say it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from attendd.memory import change, residue
from attendd.memory.forget import Forgotten, forget
from attendd.store import JournalRow, Store, scrub
from attendd.store.journal import Journal
from tests.store import given
from tests.store.given import WALL
from tests.store.remembering import active, changed, differences, fact, say

PRIVATE = "the locker code of the warehouse is in the blue book"
OTHER = "deploys are on friday"


@pytest.fixture
def folder(path: Path) -> Path:
    return path.parent


def forgotten(store: Store, folder: Path, text: str = PRIVATE) -> Forgotten:
    (found,) = (each for each in store.facts.all(None, "active") if each.fact.text == text)
    return forget(store, found.fact, folder, WALL + 5, "user")


def files_with(folder: Path, text: str) -> list[str]:
    return [
        each.name
        for each in folder.rglob("*")
        if each.is_file() and text.encode() in each.read_bytes()
    ]


def test_a_forgotten_fact_is_in_no_file(store: Store, folder: Path) -> None:
    said = say(store, PRIVATE)
    say(store, OTHER)
    assert files_with(folder, PRIVATE)

    done = forgotten(store, folder)

    assert done == Forgotten(facts=[said.fact], left=[])
    assert files_with(folder, PRIVATE) == []
    assert active(store) == [OTHER]
    assert differences(store) == {}


def test_a_tombstone_is_left(store: Store, folder: Path) -> None:
    before = fact(store, say(store, PRIVATE))
    forgotten(store, folder)

    assert fact(store, before.id) == changed(before, text="", status="forgotten")


def test_an_agent_that_says_it_again_is_refused_and_a_person_is_not(
    store: Store, folder: Path
) -> None:
    say(store, PRIVATE)
    forgotten(store, folder)

    assert say(store, PRIVATE.upper()).reason == "a person had it forgotten"
    assert say(store, PRIVATE, producer="user", wished=True).kind == "recorded"
    assert say(store, PRIVATE).kind == "duplicate"


def test_an_agent_that_says_what_it_was_before_a_person_edited_it_is_refused(
    store: Store, folder: Path
) -> None:
    before = fact(store, say(store, PRIVATE))
    change.edit(store, before, "the locker code has moved", WALL, "user")
    forgotten(store, folder, "the locker code has moved")

    assert say(store, PRIVATE).reason == "a person had it forgotten"


def test_an_answer_that_is_being_written_loses_it_in_place(
    store: Store, folder: Path, tmp_path: Path
) -> None:
    said = fact(store, say(store, PRIVATE))
    shown = tmp_path / "run" / "display"
    shown.mkdir(parents=True)
    (shown / "m-1").write_text(f"0 60\na {PRIVATE} b\n")

    assert forget(store, said, folder, WALL, "user", shown).left == []
    assert (shown / "m-1").read_text() == f"0 60\na {' ' * len(PRIVATE)} b\n"


def test_all_that_a_fact_ever_said_goes(store: Store, folder: Path) -> None:
    say(store, PRIVATE)
    edited = change.edit(store, fact(store, say(store, PRIVATE)), OTHER, WALL + 1, "user")
    forgotten(store, folder, OTHER)

    assert files_with(folder, PRIVATE) + files_with(folder, OTHER) == []
    assert "text" in store.facts.log(None, edited.id)[0].changes


def test_what_was_superseded_in_the_same_words_goes_too(store: Store, folder: Path) -> None:
    for text in ("use tabs in go files", "never use tabs in go files", "use tabs in go files"):
        say(store, text)
    done = forgotten(store, folder, "use tabs in go files")

    assert len(done.facts) == 2
    assert done.left == ["the same words stand in other facts: "
                         "`attend memory list --everywhere` shows them"]  # fmt: skip


def test_rows_that_repeat_it_lose_it(store: Store, folder: Path) -> None:
    say(store, PRIVATE)
    told = msgspec.structs.replace(given.batch("c1"), text=f"it said: {PRIVATE}\n")
    store.outbox.put(told)
    journal = Journal(folder / "journal.db")
    journal.append([JournalRow(at=WALL, kind="host", code="x", text=PRIVATE, detail=PRIVATE)])

    assert forgotten(store, folder).left == []
    journal.close()
    assert files_with(folder, PRIVATE) == []
    with closing(sqlite3.connect(folder / "attend.db")) as db:
        assert db.execute("SELECT text FROM outbox").fetchall() == [("it said: [forgotten]\n",)]


def test_a_damaged_file_that_was_set_aside_loses_it(store: Store, folder: Path) -> None:
    say(store, PRIVATE)
    store.scrub.emptied()
    aside = folder / "attend.db.damaged-20250101T000000Z"
    data = (folder / "attend.db").read_bytes()
    aside.write_bytes(data[:-100])

    assert forgotten(store, folder).left == []
    assert files_with(folder, PRIVATE) == []
    assert len(aside.read_bytes()) == len(data) - 100


def test_a_message_in_the_same_words_is_left_and_named(store: Store, folder: Path) -> None:
    say(store, PRIVATE)
    with closing(sqlite3.connect(folder / "attend.db")) as db, db:
        db.execute(
            """INSERT INTO message (id, author, author_kind, author_name, author_how, body, kind,
                thread, seq, created_at, created_boot, created_bt)
                VALUES ('m', 'a', 'agent', 'A', '', ?, 'directed', 'm', 1, 1, '', 1)""",
            (f"did you know that {PRIVATE}?",),
        )

    (left,) = forgotten(store, folder).left
    assert left.startswith("the same words stand in messages")
    assert active(store) == []


def test_a_strangers_file_is_left_and_named(store: Store, folder: Path) -> None:
    say(store, PRIVATE)
    (folder / "notes.txt").write_text(PRIVATE)

    (left,) = forgotten(store, folder).left
    assert "notes.txt" in left
    assert (folder / "notes.txt").read_text() == PRIVATE


def test_what_a_reader_still_holds_on_to_is_said(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its snapshot needs what is in the WAL; nothing is claimed that is not so."""
    monkeypatch.setattr(scrub, "PATIENCE_S", 0.1)
    say(store, PRIVATE)
    with closing(sqlite3.connect(folder / "attend.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM fact").fetchall()
        left = forgotten(store, folder).left
        assert left != []
        assert active(store) == []

    store.scrub.emptied()
    assert files_with(folder, PRIVATE) == []


def test_what_an_earlier_writer_left_in_unused_space_goes(store: Store, folder: Path) -> None:
    """A release, or a person with a shell, that deletes without overwriting."""
    say(store, PRIVATE)
    with closing(sqlite3.connect(folder / "attend.db")) as db:
        db.execute("PRAGMA secure_delete=OFF")
        with db:
            db.execute("CREATE TABLE notes (text)")
            db.executemany("INSERT INTO notes VALUES (?)", [(PRIVATE,)] * 200)
        with db:
            db.execute("DELETE FROM notes")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert files_with(folder, PRIVATE)

    assert forgotten(store, folder).left == []
    assert files_with(folder, PRIVATE) == []


@for_all(
    st.binary(max_size=50),
    st.binary(min_size=residue.SHORTEST, max_size=3_000),
    st.binary(max_size=50),
    st.integers(0, 3_000),
)
@settings(max_examples=60, deadline=None)
def test_a_text_is_found_whole_and_a_long_one_also_in_two_parts(
    before: bytes, text: bytes, after: bytes, cut: int
) -> None:
    assert any(residue.spans(before + text + after, text))
    if len(text) > 1_000 and 256 <= cut <= len(text) - 256:
        parts = text[:cut] + bytes(4_096) + text[cut:]
        found = sum(end - begin for begin, end in residue.spans(parts, text))
        assert found >= len(text)
