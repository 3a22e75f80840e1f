"""How a store comes to be, and what opening one leaves behind."""

import fcntl
import stat
from pathlib import Path

import pytest

from attendd.hot import db as hot
from attendd.hot import ledger, upkeep
from attendd.store import journal
from tests.store import disks, given

MIGRATIONS = Path(hot.__file__).parents[1] / "store" / "migrations"


def test_a_new_store_is_private_and_has_the_whole_schema(path: Path) -> None:
    with given.opened(path) as db:
        given.enrol(db)
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}

        assert set(modes) == {
            "attend.db",
            "attend.db-shm",
            "attend.db-wal",
            "attend.db.lock",
        }
        assert set(modes.values()) == {0o600}
        assert hot.read(db, "PRAGMA user_version") == [(hot.STORE.version,)]
        assert hot.read(db, "PRAGMA journal_mode") == [("wal",)]
        assert hot.read(db, "PRAGMA auto_vacuum") == [(2,)]
        assert db.notice == ""


@pytest.mark.parametrize("schema", [hot.STORE, journal.SCHEMA])
def test_the_version_a_program_knows_is_that_of_the_last_migration(schema: hot.Schema) -> None:
    """The hot path compares numbers only; it must not list a folder each time."""
    numbers = sorted(int(file.name[:4]) for file in (MIGRATIONS / schema.folder).glob("*.sql"))

    assert numbers == list(range(1, schema.version + 1))


def test_every_statement_of_a_migration_ends_with_its_line() -> None:
    for file in MIGRATIONS.rglob("*.sql"):
        lines = file.read_text().splitlines()
        code = [line.partition("--")[0].rstrip() for line in lines]

        assert [line for line in code if ";" in line[:-1]] == []


def test_processes_that_start_together_make_the_store_once(path: Path) -> None:
    said = given.together(8, "find", path)

    assert said == ["\n"] * 8
    with given.opened(path) as db:
        assert upkeep.check(db) == ""
        assert hot.read(db, "SELECT count(*) FROM meta") == [(0,)]


def test_a_store_of_a_later_release_is_used_as_it_is(db: hot.Connection, path: Path) -> None:
    """The release before goes on reading and writing beside a newer one."""
    for statement in (
        "ALTER TABLE delivery ADD COLUMN later INTEGER",
        "ALTER TABLE attachment ADD COLUMN persona TEXT NOT NULL DEFAULT ''",
        "CREATE TABLE later (id INTEGER PRIMARY KEY)",
        "INSERT INTO delivery (session, lane, state, created_at, created_boot, created_bt,"
        " later) VALUES ('s1', 'message', 'stored', 0, '', 0, 7)",
        "UPDATE attachment SET persona = 'Juno'",
        "PRAGMA user_version = 99",
    ):
        db.execute(statement)

    with given.opened(path) as older:
        given.attach(older, pid=200)
        batch = given.put(older, "c1")

        assert [at for at, _, _ in ledger.claim(older, "a1", "s1", given.BOOT, 1000.0, 9)] == [
            batch
        ]
        assert hot.read(older, "SELECT persona FROM attachment") == [("Juno",)]
        assert hot.read(older, "SELECT state FROM delivery WHERE later = 7") == [("stored",)]
        assert hot.read(older, "PRAGMA user_version") == [(99,)]


def test_a_store_cut_off_while_it_was_made_is_finished(path: Path) -> None:
    path.touch(0o600)

    with given.opened(path) as db:
        assert hot.read(db, "SELECT count(*) FROM session") == [(0,)]


@pytest.mark.parametrize("name", ["a b", "ä?x=1#y", "100%41", "'quoted\""])
def test_any_folder_name_will_do(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()

    with given.opened(folder / "attend.db") as db:
        given.enrol(db)

    assert (folder / "attend.db").stat().st_size > 0
    assert sorted(tmp_path.iterdir()) == [folder]


def test_what_cannot_be_opened_is_said_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / "attend.db").mkdir()

    with pytest.raises(hot.StoreError, match="cannot open the store at") as caught:
        hot.connect(str(tmp_path / "attend.db"))

    assert caught.value.kind == "unopened"
    assert caught.value.hint


def test_a_missing_folder_is_not_made_silently(tmp_path: Path) -> None:
    with pytest.raises(hot.StoreError, match="No such file or directory"):
        hot.connect(str(tmp_path / "nowhere" / "attend.db"))


def test_a_path_that_leads_nowhere_at_all_is_said(tmp_path: Path) -> None:
    with pytest.raises(hot.StoreError, match="File name too long") as caught:
        hot.connect(str(tmp_path / ("x" * 300)))

    assert caught.value.kind == "unopened"


def test_without_a_path_it_is_the_store_of_the_state_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTEND_HOME", str(tmp_path / "h"))

    hot.connect().close()

    assert (tmp_path / "h" / "state" / "attend.db").exists()


def test_a_store_cannot_be_begun_where_nothing_can_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir()

    with (
        disks.readonly(folder, tmp_path / "view") as view,
        pytest.raises(hot.StoreError, match="cannot be written") as caught,
    ):
        hot.connect(str(view / "attend.db"))

    assert caught.value.kind == "readonly"
    assert list(folder.iterdir()) == []


def test_who_is_at_making_the_store_is_not_waited_for_without_end(path: Path) -> None:
    with Path(f"{path}.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(hot.StoreError, match="lock has been locked for over 0 s") as caught:
            hot.connect(str(path), patience_s=0.0)

    assert caught.value.kind == "locked"


def test_a_store_that_was_removed_while_open_is_noticed(db: hot.Connection, path: Path) -> None:
    """Whoever still has the old file open would write where nobody looks."""
    path.unlink()

    with pytest.raises(hot.StoreError, match="moved or replaced") as caught:
        given.put(db, "c1")

    assert caught.value.reopen
    with given.opened(path) as fresh:
        assert hot.read(fresh, "SELECT count(*) FROM delivery") == [(0,)]
        given.put(fresh, "c1")
    with pytest.raises(hot.StoreError, match="moved or replaced"):
        hot.read(db, "SELECT 1")


def test_a_closing_process_of_a_removed_store_leaves_the_new_one_alone(
    db: hot.Connection, path: Path
) -> None:
    """SQLite's last user removes the WAL by name; it must not be that of the successor."""
    given.put(db, "old")
    path.unlink()
    with given.opened(path) as fresh:
        given.put(fresh, "new")
        db.close()

        with given.opened(path) as third:
            assert hot.read(third, "SELECT correlation FROM outbox") == [("new",)]
            assert upkeep.check(third) == ""
