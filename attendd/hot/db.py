"""The file that every process commits to: how it is opened, read and written.

SQLite in WAL mode. Every write is one ``BEGIN IMMEDIATE`` transaction; waiting for another
process's is done here, in short random pauses, because SQLite's own back-off starves writers
when many meet. Any statement can meet a lock, also the first after opening, so all of them go
through `read` or `write`.

A file found damaged is set aside by whoever finds it, never repaired or deleted, and a new one
is begun. Whoever has the old one open is told at its next statement.
"""

import posix
from time import monotonic, sleep

from attendd.hot.lite import BUSY, DAMAGE, StoreError, code_of, json_get, long_log, sqlite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn, TypeVar

    T = TypeVar("T")

__all__ = ["Connection", "Schema", "StoreError", "json_get", "sqlite"]

PATIENCE_S = 5.0
"""How long a statement waits for the locks of others before it gives up."""
OPENINGS = 5  # before a store that others replace again and again is an error


class Schema:
    """A kind of database: a folder below ``store/migrations``, and the last number in it."""

    __slots__ = ("folder", "synchronous", "version")

    def __init__(self, folder: str, version: int, synchronous: str = "NORMAL") -> None:
        self.folder = folder
        self.version = version
        self.synchronous = synchronous


STORE = Schema("", 7)


class Connection(sqlite.Connection):
    """An open store.

    Attributes:
        path: its file; empty for one that lives in memory.
        inode: device and number of that file, by which a replaced one is known.
        readonly: whether nothing may be changed, not even to set a damaged store aside.
        notice: what a person should be told about the opening; mostly empty.
        token: names this connection in a lease; made when first needed.
    """

    path = ""
    inode = (0, 0)
    schema = STORE
    readonly = False
    patience_s = PATIENCE_S
    notice = ""
    token = ""


def connect(
    path: str | None = None,
    *,
    readonly: bool = False,
    full: bool = False,
    patience_s: float = PATIENCE_S,
    schema: Schema = STORE,
) -> Connection:
    """Open a store; make it, bring it up to date or set a damaged one aside where needed.

    Args:
        path: an absolute path; ``None`` is ``attend.db`` in the state folder.
        readonly: change nothing, not even the folder. A store that does not exist reads as an
            empty one. A damaged one is an error.
        full: whether a commit is on the disk when it returns, so that it survives a loss of
            power; otherwise it survives the death of any process.
        patience_s: how long each statement waits for the locks of others.
        schema: what kind of store it is.

    Raises:
        StoreError: it cannot be opened.
    """
    if path is None:
        from attendd.hot.places import state_dir

        path = state_dir() + "/attend.db"
    if readonly:
        from attendd.hot import upkeep

        return upkeep.connect_readonly(path, patience_s, schema)
    notice = ""
    for _ in range(OPENINGS):
        try:
            db = _open(path, "FULL" if full else schema.synchronous, patience_s, schema)
        except StoreError as error:
            if not error.reopen:
                raise
            if error.kind == "set-aside":
                notice = str(error)
        else:
            db.notice = notice
            return db
    from attendd.hot import faults

    raise faults.replaced(path)


def write(db: Connection, work: "Callable[[Connection], T]") -> "T":
    """Do some work in one transaction, all of it or nothing; return what it returned.

    Args:
        db: an open store, in no transaction.
        work: gets the store; may run any statement but those that begin or end transactions.

    Raises:
        StoreError: it was not committed; or whatever ``work`` raised.
    """
    try:
        return transact(db, work)
    except sqlite.DatabaseError as error:
        fail(db, error)


def change(db: Connection, sql: str, args: "Sequence[Any] | dict[str, Any]") -> int:
    """Run one statement in a transaction of its own; return how many rows it changed.

    It is for claims: in a store that is not in its place any more they do no harm.

    Raises:
        StoreError: it changed nothing.
    """
    try:
        return attempt(db, lambda: db.execute(sql, args).rowcount)
    except sqlite.DatabaseError as error:
        fail(db, error)


def read(
    db: Connection, sql: str, args: "Sequence[Any] | dict[str, Any]" = (), *, sure: bool = True
) -> "list[Any]":
    """Run one statement outside a transaction and return all its rows.

    That the store is still in its place is made ``sure`` of, unless it is for a claim.

    Raises:
        StoreError: the store cannot be read.
    """
    try:
        rows = attempt(db, lambda: db.execute(sql, args).fetchall())
    except sqlite.DatabaseError as error:
        fail(db, error)
    if sure:
        _insist_on_place(db)
    return rows


def transact(db: Connection, work: "Callable[[Connection], T]") -> "T":
    """Do as `write`, but leave SQLite's errors as they are."""
    try:
        attempt(db, lambda: db.execute("BEGIN IMMEDIATE"))
        _insist_on_place(db)
        done = work(db)
        attempt(db, lambda: db.execute("COMMIT"))
    except BaseException:
        _roll_back(db)
        raise
    return done


def attempt(db: Connection, action: "Callable[[], T]") -> "T":
    """Do something, again and again while others hold the locks it needs.

    Raises:
        StoreError: they held them for longer than the connection's patience.
        sqlite3.Error: whatever else went wrong.
    """
    until = 0.0
    while True:
        try:
            return action()
        except UnicodeDecodeError as error:  # SQLite names what is broken: that was the name
            from attendd.hot import upkeep

            raise upkeep.found_damaged(db) from error
        except sqlite.OperationalError as error:
            if code_of(error) not in BUSY:
                raise
            until = until or monotonic() + db.patience_s
            if monotonic() >= until:
                from attendd.hot import faults

                raise faults.locked(db.path, db.patience_s) from error
        sleep(0.0005 + posix.urandom(1)[0] * 0.0035 / 255)


def inode_of(path: str) -> tuple[int, int] | None:
    """Name the file that a path leads to now; ``None`` where it leads nowhere.

    Raises:
        StoreError: the way there is closed to us.
    """
    try:
        found = posix.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        from attendd.hot import faults

        raise faults.of_system(path, error) from error
    return (found.st_dev, found.st_ino)


def _open(path: str, synchronous: str, patience_s: float, schema: Schema) -> Connection:
    """Open the file that is there, brought up to date.

    Raises:
        StoreError: it cannot be; with `StoreError.reopen` where another try will do.
    """
    from_path = inode_of(path)
    if from_path is None:
        from attendd.hot import upkeep

        from_path = upkeep.create(path, patience_s)
    db = dial(path, "mode=rw", patience_s, schema)
    db.inode = from_path
    try:
        # The first statement opens the WAL by name. Nothing is written before `read` has made
        # sure that the name still leads to the file that was opened.
        if read(db, "PRAGMA user_version")[0][0] < schema.version:
            from attendd.hot import upkeep

            upkeep.bring_up(db)
        read(db, f"PRAGMA synchronous={synchronous}")
        if long_log(path):
            from attendd.hot import outgrown

            outgrown.relieve(db)
    except BaseException:
        db.close()
        raise
    return db


def dial(path: str, mode: str, patience_s: float, schema: Schema) -> Connection:
    """Open a file with SQLite, or memory where the path is empty; run no statement yet.

    Raises:
        StoreError: it cannot be opened.
    """
    named = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    uri = f"file://{named}?{mode}" if path else ":memory:"
    try:
        db = sqlite.connect(  # each statement kept ready takes some 5 KiB
            uri, 0, isolation_level=None, cached_statements=16, factory=Connection, uri=True
        )
    except sqlite.OperationalError as error:
        from attendd.hot import faults

        raise faults.unopened(path, error) from error
    db.path, db.patience_s, db.schema = path, patience_s, schema
    return db


def _insist_on_place(db: Connection) -> None:
    """Make sure that what is open is what everybody else would open."""
    if db.path and inode_of(db.path) != db.inode:
        from attendd.hot import faults

        raise faults.replaced(db.path)


def _roll_back(db: Connection) -> None:
    try:
        if db.in_transaction:
            db.execute("ROLLBACK")
    except sqlite.Error:
        return  # SQLite has done so itself, or the file is beyond it


def fail(db: Connection, error: "sqlite.DatabaseError") -> "NoReturn":
    """Say what an SQLite error means; set the store aside where it means damage.

    Raises:
        StoreError: the store is at fault.
        sqlite3.DatabaseError: the statement is.
    """
    if code_of(error) in DAMAGE:
        from attendd.hot import upkeep

        raise upkeep.found_damaged(db) from error
    from attendd.hot import faults

    meaning = faults.of_statement(db, error)
    if meaning is None:
        raise error
    raise meaning from error
