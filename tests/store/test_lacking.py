"""A store that is a database and not what it should be: never a traceback, and nothing of others lost."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from attendd.errors import StoreError
from attendd.hot import db as hot
from attendd.hot import lacking, upkeep
from attendd.store import JournalRow, Store, journal
from tests.store import given, mailing
from tests.store.test_damage import aside

TABLES = ("session", "attachment", "outbox", "checkpoint", "health", "meta", "delivery")


@pytest.fixture
def filled(path: Path) -> Path:
    with given.opened(path) as db:
        given.enrol(db)
        given.attach(db)
        given.put(db, "c1")
    return path


def change(path: Path, *statements: str) -> None:
    """Do to a file what another program might."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


def use(store: Store) -> None:
    """Touch what a host touches."""
    store.set_aside()
    store.sessions.live()
    store.health.of("a1")
    store.checkpoints.load("a1")
    store.mail.unread()
    store.facts.all(None)
    store.call(given.enrol)
    store.call(given.attach)
    store.call(lambda db: given.put(db, "fresh"))


@pytest.mark.parametrize("table", TABLES)
def test_a_store_without_one_of_its_tables_is_set_aside(filled: Path, table: str) -> None:
    change(filled, f"DROP TABLE {table}")
    store = Store(str(filled))

    use(store)

    (said,) = store.notices()
    assert f"was damaged and has been set aside as {aside(filled)[0]}" in said
    store.close()


def test_a_store_that_lost_a_part_of_memory_keeps_its_messages(filled: Path) -> None:
    change(filled, "DROP TABLE fact")
    store = Store(str(filled))

    with pytest.raises(StoreError, match="has lost a table, fact,"):
        store.facts.all(None)

    assert store.mail.unread() is not None
    assert (store.notices(), aside(filled)) == ([], [])
    store.close()


def indexes() -> list[str]:
    model = hot.dial("", "", 1.0, hot.STORE)
    upkeep.migrate(model, [])
    found = model.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND sql <> ''")
    names = [name for (name,) in found.fetchall()]
    model.close()
    return names


@pytest.mark.parametrize("index", indexes())
def test_an_index_that_is_missing_is_made_anew_where_it_is_needed(
    filled: Path, index: str
) -> None:
    """Nothing was in it that is not in its table."""
    change(filled, f"DROP INDEX {index}")
    store = Store(str(filled))

    use(store)
    store.sweep(given.WALL, given.BOOT, 1000.0)
    found = store.call(mailing.waiting)

    assert found == []
    assert [each.correlation for each in store.outbox.recent(None, 9)] == ["fresh", "c1"]
    assert (store.notices(), aside(filled)) == ([], [])
    store.close()


def test_an_index_that_is_missing_is_said_where_nothing_may_be_changed(filled: Path) -> None:
    change(filled, "DROP INDEX delivery_due")
    store = Store(str(filled), readonly=True)

    with pytest.raises(StoreError, match="has lost an index, delivery_due"):
        store.outbox.due(mailing.START)

    assert "has lost an index, delivery_due; the next process" in store.lost()
    store.close()
    use(writing := Store(str(filled)))
    writing.outbox.due(mailing.START)
    assert writing.lost() == ""
    writing.close()


def test_a_column_that_is_missing_is_damage_as_well(filled: Path) -> None:
    change(filled, "ALTER TABLE health RENAME COLUMN state TO other")
    store = Store(str(filled))

    use(store)

    assert len(aside(filled)) == 1
    store.close()


@pytest.mark.parametrize("version", [hot.STORE.version, hot.STORE.version + 92])
def test_a_store_without_any_table_is_set_aside(path: Path, version: int) -> None:
    change(path, f"PRAGMA user_version = {version}")

    use(store := Store(str(path)))

    assert len(aside(path)) == 1
    store.close()


@pytest.mark.parametrize("version", range(1, hot.STORE.version))
def test_an_earlier_store_that_lacks_a_table_is_set_aside(path: Path, version: int) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for _, script in scripts(version):
            db.executescript(script)
        db.execute(f"PRAGMA user_version = {version}")
        db.execute("DROP TABLE attachment")

    use(store := Store(str(path)))

    assert len(aside(path)) == 1
    store.close()


def scripts(version: int) -> list[tuple[int, str]]:
    folder = Path(hot.__file__).parents[1] / "store" / "migrations"
    files = sorted(folder.glob("*.sql"))[:version]
    return [(int(file.name[:4]), file.read_text()) for file in files]


@pytest.mark.parametrize("readonly", [True, False])
def test_a_store_of_a_newer_release_is_never_set_aside(filled: Path, *, readonly: bool) -> None:
    change(filled, "DROP TABLE health", "PRAGMA user_version = 99")
    before = filled.read_bytes()

    with pytest.raises(
        StoreError, match="of a newer release, or not attend's: health"
    ) as caught:
        use(Store(str(filled), readonly=readonly))

    assert "use the release that wrote it last" in caught.value.hint
    assert aside(filled) == []
    assert filled.read_bytes() == before


@pytest.mark.parametrize("readonly", [True, False])
@pytest.mark.parametrize("version", [1, 4, hot.STORE.version])
def test_what_another_application_keeps_there_is_left_alone(
    path: Path, version: int, *, readonly: bool
) -> None:
    change(
        path,
        "CREATE TABLE session (id TEXT PRIMARY KEY, page TEXT, visited REAL, a, b, c, d)",
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)",
        "INSERT INTO session (id) VALUES ('precious')",
        f"PRAGMA user_version = {version}",
    )
    before = path.read_bytes()

    with pytest.raises(StoreError, match="is not attend's: ") as caught:
        use(Store(str(path), readonly=readonly))

    assert "move it away" in caught.value.hint
    assert aside(path) == []
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"x", b"\0", b"SQLite format 3\0" + b"\1" * 83])
def test_a_stub_is_set_aside_and_not_written_over(path: Path, content: bytes) -> None:
    path.write_bytes(content)

    with given.opened(path) as db:
        assert "was damaged and has been set aside" in db.notice

    (kept,) = aside(path)
    assert kept.read_bytes() == content


def test_a_stub_that_is_only_read_is_said_and_left(path: Path) -> None:
    path.write_bytes(b"x")

    with pytest.raises(StoreError, match=f"the store at {path} is damaged"):
        Store(str(path), readonly=True)
    assert path.read_bytes() == b"x"


def test_a_whole_store_lacks_nothing_and_a_wrong_statement_stays_a_mistake(
    filled: Path,
) -> None:
    with given.opened(filled) as db:
        assert lacking.meaning(db) is None
        with pytest.raises(sqlite3.OperationalError, match="no such table: nowhere"):
            hot.read(db, "SELECT * FROM nowhere")

    assert aside(filled) == []


def test_a_journal_without_its_table_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    entry = JournalRow(at=given.WALL, kind="host", code="begun")
    kept = journal.Journal(path)
    assert kept.append([entry]) == ""
    change(path, "DROP TABLE entry")

    assert "set aside" in kept.append([entry])
    kept.close()

    assert len(journal.JournalReader(path).recent(9)) == 1


def test_a_folder_in_the_place_of_the_store_is_called_so_by_all(path: Path) -> None:
    path.mkdir()
    for readonly in (True, False):
        with pytest.raises(StoreError, match="cannot open the store") as caught:
            Store(str(path), readonly=readonly)
        assert "make sure that it is a file" in caught.value.hint
