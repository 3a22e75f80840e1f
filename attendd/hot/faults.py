"""What errors of the system and of SQLite mean for a store, in words; imported on failure."""

import errno
import posix

from attendd.hot import disks, shell
from attendd.hot.db import StoreError
from attendd.hot.lite import code_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    from attendd.hot.db import Connection

_ERROR, _READONLY, _IOERR, _FULL, _CANTOPEN = 1, 8, 10, 13, 14
_TYPE, _FOLDER = 0o170000, 0o040000
_LONGEST = 500
"""Bytes of a path that SQLite takes; it has room for 512, its own files' endings included."""


def of_statement(db: "Connection", error: "sqlite3.Error") -> StoreError | None:
    """Say what an SQLite error of a statement means; see `of_sqlite`."""
    if code_of(error) != _ERROR:
        return of_sqlite(db.path, error)
    from attendd.hot import lacking

    return lacking.meaning(db)


def of_sqlite(path: str, error: "sqlite3.Error") -> StoreError | None:
    """Say what an SQLite error means for the store at ``path``.

    Returns:
        ``None`` where the store is well and the statement is the mistake.
    """
    code = code_of(error)
    if code == _FULL or (code in (_IOERR, _CANTOPEN) and _has_no_room(path)):
        return _full(path)
    if code == _READONLY or (code == _CANTOPEN and _is_closed(path)):
        return _readonly(path)
    if code == _CANTOPEN:
        return _unopened(path)
    if code == _IOERR and _is_folder(path):
        return _unopened(path)
    if code == _IOERR:
        return StoreError(f"the store at {path} cannot be read or written: {error}", kind="io")
    return None


def unopened(path: str, error: "sqlite3.Error") -> StoreError:
    """Say why SQLite cannot open the file of a store."""
    return of_sqlite(path, error) or _unopened(path, f": {error}")


def of_system(path: str, error: OSError) -> StoreError:
    """Say what a system error about one of the store's files means."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _full(path)
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return _readonly(path)
    return _unopened(path, f": {error.strerror}")


def locked(path: str, patience_s: float) -> StoreError:
    """Say that somebody has held a lock for too long."""
    return StoreError(
        f"{path} has been locked for over {patience_s:g} s",
        "a stopped process may hold it: see who has it open, and continue or end that one",
        "locked",
    )


def replaced(path: str) -> StoreError:
    """Say that the file that is open is not the one that others would open."""
    return StoreError(
        f"the store at {path} was moved or replaced while in use",
        "nothing needs doing: it is opened anew",
        "replaced",
    )


def set_aside(path: str, target: str) -> StoreError:
    """Say that a damaged store was moved away."""
    return StoreError(
        f"the store at {path} was damaged and has been set aside as {target}",
        f"a new one is begun; `sqlite3 {shell.quoted(target)} .recover` shows what the old one"
        " still holds",
        "set-aside",
    )


def not_brought_up(path: str, error: "sqlite3.Error") -> StoreError:
    """Say that a step of the schema failed for reasons that lie in the step."""
    return StoreError(
        f"the store at {path} cannot be brought up to date: {error}",
        "the release that used it last can still use it; please report this",
        "outdated",
    )


def newer(path: str, table: str) -> StoreError:
    """Say that a store of a later version lacks what every release has."""
    return StoreError(
        f"the store at {path} is of a newer release, or not attend's: {table} is not as it was",
        "use the release that wrote it last; if none did, move the file away",
        "foreign",
    )


def foreign(path: str, table: str) -> StoreError:
    """Say that a file in the place of a store has nothing of attend's in it."""
    return StoreError(
        f"the file at {path} is not attend's: {table} is not in it, or is another one",
        "move it away, and a new store is begun; or set ATTEND_HOME to another folder",
        "foreign",
    )


def lacking(path: str, table: str) -> StoreError:
    """Say that a store that is in use lacks what one part of attend needs."""
    return StoreError(
        f"the store at {path} has lost a table, {table}, or a part of it",
        "the rest works on; to begin a new store, end each `attend run` and move the file away",
        "lacking",
    )


def lost_index(path: str, index: str) -> StoreError:
    """Say that a store that can't be changed now lacks an index."""
    return StoreError(
        f"the store at {path} has lost an index, {index}",
        "the next process that writes there and needs it makes it anew; nothing is lost",
        "damaged",
    )


def index_remade(path: str, index: str) -> StoreError:
    """Say that an index was missing and is there again."""
    return StoreError(
        f"the store at {path} had lost an index, {index}, which was made anew",
        "nothing needs doing: nothing was lost",
        "mended",
    )


def damaged(path: str, why: str = "") -> StoreError:
    """Say that a store is damaged and still in its place."""
    return StoreError(
        f"the store at {path} is damaged" + (f" and cannot be set aside: {why}" if why else ""),
        "the next `attend run` that may write there sets it aside and begins a new one",
        "damaged",
    )


def _full(path: str) -> StoreError:
    return StoreError(
        f"the disk is full: nothing was written to {path}",
        f"free some space below {_folder(path)}; what was not accepted has to be done again",
        "full",
    )


def _readonly(path: str) -> StoreError:
    from attendd.hot import places

    remedy = f"make {_folder(path)} writable, or set ATTEND_HOME to a folder that is"
    if places.sandboxed():
        remedy = places.OUTSIDE
    return StoreError(f"the store at {path} cannot be written", remedy, "readonly")


def _unopened(path: str, why: str = "") -> StoreError:
    length = len(path.encode("utf-8", "surrogateescape"))
    if length > _LONGEST:
        return StoreError(
            f"the path of the store has {length} bytes, SQLite takes {_LONGEST}: {path[:60]}…",
            "set ATTEND_HOME to a folder with a shorter path",
            "unopened",
        )
    return StoreError(
        f"cannot open the store at {path}{why}",
        "make sure that it is a file, and that you may read and write it and its folder",
        "unopened",
    )


def _has_no_room(path: str) -> bool:
    try:
        room = posix.statvfs(_folder(path))
    except OSError:
        return False
    return room.f_bavail * room.f_frsize < disks.NEEDED or (
        room.f_files > 0 and not room.f_favail
    )


def _is_folder(path: str) -> bool:
    try:
        return posix.stat(path).st_mode & _TYPE == _FOLDER
    except OSError:
        return False


def _is_closed(path: str) -> bool:
    return posix.access(_folder(path), posix.F_OK) and not posix.access(
        _folder(path), posix.W_OK
    )


def _folder(path: str) -> str:
    return path.rpartition("/")[0] or "/"
