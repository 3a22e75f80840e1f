"""A store in which tables or columns are missing: damaged, of a newer release, or not attend's.

Imported only when a statement failed for that, or a file has to be brought up to date.
"""

import posix

from attendd.hot import db as store
from attendd.hot import faults, upkeep
from attendd.hot.db import Connection, StoreError
from attendd.hot.lite import sqlite

_HEADER = 100
"""Bytes with which every database begins."""
_OWN_FROM = 4
"""Columns from which on a table that has all of ours is no other application's."""
_MESSAGES = 2
"""The version whose tables nothing works without. Where only later ones are missing, as those
of memory, the store stays, and what needs them fails alone."""
_INDEXES = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
_COLUMNS = """SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c
    WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite^_%' ESCAPE '^'"""


def meaning(db: Connection) -> StoreError | None:
    """Say what it means that something is missing in a store.

    What is attend's own is set aside as damaged, and so is a file with nothing in it. What a
    newer release may have written stays where it is, and so does what is another application's,
    and what has its messages and lacks no more than another part, as memory is. An index that
    is missing is made anew: nothing was in it that is not in its table.

    Returns:
        ``None`` where all is there that its version should have.

    Raises:
        StoreError: it can't be looked at.
    """
    if _is_stub(db.path):
        return upkeep.found_damaged(db)
    version = store.read(db, "PRAGMA user_version")[0][0]
    found, (wanted, indexes) = _tables(db), _wanted(db, version)
    missing = sorted(
        name for name, columns in wanted.items() if not columns <= found.get(name, set())
    )
    if missing:
        return _lost(db, version, missing, found, wanted)
    gone = sorted(indexes.keys() - dict(store.read(db, _INDEXES)).keys())
    if gone and version > db.schema.version:
        return faults.newer(db.path, gone[0])
    return _indexed(db, gone[0], [indexes[name] for name in gone]) if gone else None


def _lost(
    db: Connection,
    version: int,
    missing: list[str],
    found: "dict[str, set[str]]",
    wanted: "dict[str, set[str]]",
) -> StoreError:
    """Say what it means that tables are missing; set the store aside where it is damage."""
    if found and version > db.schema.version:
        return faults.newer(db.path, missing[0])
    if db.schema is store.STORE and not set(missing) & _wanted(db, _MESSAGES)[0].keys():
        return faults.lacking(db.path, missing[0])
    whole = wanted.keys() - set(missing)
    if found.keys() <= whole or any(len(wanted[name]) >= _OWN_FROM for name in whole):
        return upkeep.found_damaged(db)
    return faults.foreign(db.path, missing[0])


def insist(db: Connection) -> None:
    """Make sure that nothing is missing.

    Raises:
        StoreError: something is; see `meaning`.
    """
    if problem := meaning(db):
        raise problem


def is_new_with_tables(db: Connection) -> bool:
    """Tell whether a store says of itself that it is new, and is not."""
    version = store.read(db, "PRAGMA user_version")[0][0]
    return version <= 0 and bool(store.read(db, "SELECT 1 FROM sqlite_master LIMIT 1"))


def _is_stub(path: str) -> bool:
    """Tell whether a file is too short for a database, and is not just being written."""
    try:
        size = posix.stat(path).st_size if path else 0
    except OSError:
        return False
    return 0 < size < _HEADER and store.inode_of(path + "-journal") is None


def _tables(db: Connection) -> dict[str, set[str]]:
    """Return the columns of each table."""
    tables: dict[str, set[str]] = {}
    for table, column in store.read(db, _COLUMNS):
        tables.setdefault(table, set()).add(column)
    return tables


def _wanted(db: Connection, version: int) -> tuple[dict[str, set[str]], dict[str, str]]:
    """Return the same of a store as each release makes it, up to a version; and its indexes.

    Of each index how it is made.
    """
    model = store.dial("", "", db.patience_s, db.schema)
    try:
        upkeep.migrate(model, [], version)
        return _tables(model), dict(store.read(model, _INDEXES))
    finally:
        model.close()


def _indexed(db: Connection, name: str, statements: list[str]) -> StoreError:
    """Make indexes anew where that can be; say so.

    Raises:
        StoreError: they can't be made now.
    """
    if db.readonly or not db.path or db.in_transaction:
        return faults.lost_index(db.path, name)
    made = [sql.replace(" INDEX ", " INDEX IF NOT EXISTS ", 1) for sql in statements]
    try:
        store.transact(db, lambda db: [db.execute(sql) for sql in made])
    except sqlite.DatabaseError as error:
        return faults.of_sqlite(db.path, error) or faults.lost_index(db.path, name)
    return faults.index_remade(db.path, name)
