"""What happens to a store seldom: making it, migrating it, setting a damaged one aside.

Imported only when needed. All of it is done by one process at a time, under a lock beside the
file, and can be cut off at any point: the next process goes on from what it finds.
"""

import posix
import time

from attendd.hot import bell, faults, places
from attendd.hot import db as store
from attendd.hot.db import Connection, Schema, StoreError
from attendd.hot.lite import DAMAGE, code_of, sqlite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_ERROR, _READONLY, _CANTOPEN = 1, 8, 14


class Lock:
    """The lock under which a store is made, changed or set aside, as a context manager.

    Its file also holds the note of the last setting aside: the new name, and when (wall).
    """

    def __init__(self, path: str, patience_s: float) -> None:
        self._path = path + ".lock"
        self._patience_s = patience_s
        self._fd = -1

    def __enter__(self) -> "Lock":
        """Wait for the lock.

        Raises:
            StoreError: it cannot be had.
        """
        import fcntl

        until = time.monotonic() + self._patience_s
        try:
            self._fd = posix.open(
                self._path, posix.O_RDWR | posix.O_CREAT | posix.O_CLOEXEC, 0o600
            )
        except OSError as error:
            raise faults.of_system(self._path, error) from error
        while True:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    posix.close(self._fd)
                    raise faults.locked(self._path, self._patience_s) from None
                time.sleep(0.002)
            else:
                return self

    def __exit__(self, *_: object) -> None:
        posix.close(self._fd)

    def note(self) -> list[str]:
        """Return the name and the time that were written last; nothing where none were."""
        text = posix.pread(self._fd, 8192, 0).decode("utf-8", "surrogateescape")
        return text.split("\n")[:2] if text.endswith("\n") else []

    def write_note(self, name: str, when: str) -> None:
        """Keep the new name of a store before it gets it."""
        posix.ftruncate(self._fd, 0)
        posix.pwrite(self._fd, f"{name}\n{when}\n".encode("utf-8", "surrogateescape"), 0)


def create(path: str, patience_s: float) -> tuple[int, int]:
    """Make an empty file for a store, unless somebody else just did, and return its inode.

    Raises:
        StoreError: there is no place for it.
    """
    with Lock(path, patience_s) as lock:
        found = store.inode_of(path)
        if found is None:
            try:
                _move_companions(path, _owner_of_companions(path, lock.note()))
                posix.close(
                    posix.open(path, posix.O_RDWR | posix.O_CREAT | posix.O_EXCL, 0o600)
                )
            except OSError as error:
                raise faults.of_system(path, error) from error
            found = store.inode_of(path)
    if found is None:
        raise faults.replaced(path)
    return found


def bring_up(db: Connection) -> None:
    """Apply what the schema lacks, each step in a transaction of its own.

    Raises:
        StoreError: a step could not be applied; those before it stay.
    """
    from attendd.hot import lacking

    lacking.insist(db)
    try:
        if db.path:
            with Lock(db.path, db.patience_s) as lock:
                _prepare(db)
                migrate(db, lock.note())
        else:
            migrate(db, [])
    except sqlite.DatabaseError as error:
        if code_of(error) != _ERROR:
            store.fail(db, error)
        if lacking.is_new_with_tables(db):
            raise found_damaged(db) from error
        raise faults.not_brought_up(db.path, error) from error


def set_aside(path: str, inode: tuple[int, int], patience_s: float = store.PATIENCE_S) -> str:
    """Move a damaged store out of the way, with what belongs to it.

    Args:
        path: where it is.
        inode: which file was found damaged. If another one is there by now, somebody else has
            been here, and nothing is done.
        patience_s: how long to wait for others who are at it.

    Returns:
        Its new path; empty where nothing was done.

    Raises:
        StoreError: it cannot be moved.
    """
    with Lock(path, patience_s) as lock:
        if store.inode_of(path) != inode:
            return ""
        target = _free_name(path)
        try:
            lock.write_note(target, f"{time.time():.0f}")
            posix.rename(path, target)
            _move_companions(path, target)
        except OSError as error:
            raise faults.of_system(path, error) from error
        return target


def check(db: Connection) -> str:
    """Look through the whole file for damage; takes time in proportion to its size.

    Returns:
        The first thing found wrong; empty where all is well.

    Raises:
        StoreError: it cannot be looked through.
    """
    try:
        rows = store.attempt(db, lambda: db.execute("PRAGMA quick_check(1)").fetchall())
    except sqlite.DatabaseError as error:
        if code_of(error) not in DAMAGE:
            store.fail(db, error)
        return str(error)
    return "" if rows == [("ok",)] else str(rows[0][0])


def connect_readonly(path: str, patience_s: float, schema: Schema) -> Connection:
    """Open a store without changing anything; see `db.connect`.

    Where even SQLite's index beside the file can't be used, it is read as it was when its last
    user closed it. One of an earlier schema is read from a copy in memory, brought up to date.
    """
    inode = store.inode_of(path)
    if inode is None:
        db = store.dial("", "", patience_s, schema)
    else:
        db = _dial_readonly(path, inode, patience_s, schema)
    try:
        if store.read(db, "PRAGMA user_version")[0][0] < schema.version:
            from attendd.hot import lacking

            lacking.insist(db)
            db = _copied_to_memory(db)
            bring_up(db)
        store.read(db, "PRAGMA query_only=ON")
    except BaseException:
        db.close()
        raise
    return db


def found_damaged(db: Connection) -> StoreError:
    """Set an open store aside that a statement found damaged, wake all who read, and say so."""
    if db.readonly or not db.path:
        return faults.damaged(db.path)
    try:
        target = set_aside(db.path, db.inode, db.patience_s)
    except StoreError as error:
        return faults.damaged(db.path, str(error))
    if not target:
        return faults.replaced(db.path)
    bell.ring_all(places.known_runtime_dir())  # who reads has to be in the new one
    return faults.set_aside(db.path, target)


def _prepare(db: Connection) -> None:
    """Set what can only be set while a file is new, and what stays with it from then on."""
    store.attempt(db, lambda: db.execute("PRAGMA auto_vacuum=INCREMENTAL"))
    store.attempt(db, lambda: db.execute("PRAGMA journal_mode=WAL").fetchall())


def migrate(db: Connection, note: list[str], version: int | None = None) -> None:
    """Apply all steps, or those up to a version, and keep the note of what was set aside."""
    for number, script in _scripts(db.schema):
        if version is None or number <= version:
            _apply(db, number, script, note)


def _apply(db: Connection, number: int, script: str, note: list[str]) -> None:
    def step(db: Connection) -> None:
        if db.execute("PRAGMA user_version").fetchone()[0] >= number:
            return
        for statement in _statements(script):
            db.execute(statement)
        for item in zip(("set-aside", "set-aside-at"), note, strict=False):
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", item)
        db.execute(f"PRAGMA user_version={number}")

    store.transact(db, step)


def _scripts(schema: Schema) -> "Iterator[tuple[int, str]]":
    """Yield the number and text of each migration, in order."""
    folder = f"{__file__.rpartition('/')[0]}/../store/migrations/{schema.folder}".rstrip("/")
    for name in sorted(posix.listdir(folder)):
        if name.endswith(".sql"):
            with open(f"{folder}/{name}", encoding="utf-8") as file:
                yield int(name[:4]), file.read()


def _statements(script: str) -> "Iterator[str]":
    """Split a script whose statements each end with a line."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite.complete_statement(statement):
            yield statement
            statement = ""


def _dial_readonly(
    path: str, inode: tuple[int, int], patience_s: float, schema: Schema
) -> Connection:
    """Open a file for reading, by SQLite's index beside it or, where that can't be, without."""
    db = _marked(store.dial(path, "mode=ro", patience_s, schema), inode)
    try:
        store.attempt(db, lambda: db.execute("PRAGMA user_version").fetchone())
    except sqlite.DatabaseError as error:
        if code_of(error) not in (_READONLY, _CANTOPEN):
            return db  # whatever it is, the next statement meets it too, and says so
        db.close()
        db = _marked(store.dial(path, "immutable=1", patience_s, schema), inode)
        db.notice = f"{path} was read as its last user left it: its folder can't be written"
    return db


def _marked(db: Connection, inode: tuple[int, int]) -> Connection:
    db.inode = inode
    db.readonly = True
    return db


def _copied_to_memory(db: Connection) -> Connection:
    copy = store.dial("", "", db.patience_s, db.schema)
    db.backup(copy)
    copy.notice = db.notice
    db.close()
    return copy


def _move_companions(path: str, target: str) -> None:
    """Move the WAL and its index to where their store went; without it they mean nothing."""
    for suffix in ("-wal", "-shm"):
        if store.inode_of(path + suffix):
            posix.rename(path + suffix, target + suffix)


def _owner_of_companions(path: str, note: list[str]) -> str:
    """Name the store whose WAL was left at a path: one set aside by half, or one removed."""
    if note and store.inode_of(note[0]) and not store.inode_of(note[0] + "-wal"):
        return note[0]
    return path + ".left"


def _free_name(path: str) -> str:
    """Name a place beside a damaged store that is not taken yet."""
    name = f"{path}.damaged-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"
    free, count = name, 1
    while store.inode_of(free):
        count += 1
        free = f"{name}-{count}"
    return free
