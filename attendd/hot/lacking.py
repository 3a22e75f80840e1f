"""A store in which tables or columns are missing: damaged, of a newer release, or not attend's.

Imported only when a statement failed for that, or a file has to be brought up to date.
"""

import posix

from attendd.hot import db as store
from attendd.hot import faults, upkeep
from attendd.hot.db import Connection, StoreError

_HEADER = 100
"""Bytes with which every database begins."""
_OWN_FROM = 4
"""Columns from which on a table that has all of ours is no other application's."""
_MESSAGES = 2
"""The version whose tables nothing works without. Where only later ones are missing, as those
of memory, the store stays, and what needs them fails alone."""
_COLUMNS = """SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c
    WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite^_%' ESCAPE '^'"""


def meaning(db: Connection) -> StoreError | None:
    """Say what it means that something is missing in a store.

    What is attend's own is set aside as damaged, and so is a file with nothing in it. What a
    newer release may have written stays where it is, and so does what is another application's,
    and what has its messages and lacks no more than another part, as memory is.

    Returns:
        ``None`` where all is there that its version should have.

    Raises:
        StoreError: it can't be looked at.
    """
    if _is_stub(db.path):
        return upkeep.found_damaged(db)
    version = store.read(db, "PRAGMA user_version")[0][0]
    found, wanted = _tables(db), _wanted(db, version)
    missing = sorted(
        name for name, columns in wanted.items() if not columns <= found.get(name, set())
    )
    if not missing:
        return None
    if found and version > db.schema.version:
        return faults.newer(db.path, missing[0])
    if db.schema is store.STORE and not set(missing) & _wanted(db, _MESSAGES).keys():
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


def _wanted(db: Connection, version: int) -> dict[str, set[str]]:
    """Return the same of a store as each release makes it, up to a version."""
    model = store.dial("", "", db.patience_s, db.schema)
    try:
        upkeep.migrate(model, [], version)
        return _tables(model)
    finally:
        model.close()
