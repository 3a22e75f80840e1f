"""SQLite's C module at a quarter of its price, and JSON through it.

It imports ``functools``, and with it most of what it costs, for ``lru_cache`` alone, in which
it keeps prepared statements. A program that has no ``functools`` yet gets a stand-in of three
lines while that is imported. Where it fails, the public module does the same, slower.
"""

import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3 as sqlite
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any


def _load() -> "ModuleType":
    if "functools" in sys.modules:
        import _sqlite3

        return _sqlite3
    try:
        from _functools import _lru_cache_wrapper  # type: ignore[import-not-found]
    except ImportError:
        return _load_public()

    class StandIn:
        @staticmethod
        def lru_cache(size: int) -> "Callable[[Any], Any]":
            return lambda make: _lru_cache_wrapper(make, size, False, tuple)  # noqa: FBT003 - C

    sys.modules["functools"] = StandIn  # type: ignore[assignment]
    try:
        import _sqlite3
    except Exception:  # noqa: BLE001 - private ground: whatever is wrong there, go the public way
        del sys.modules["functools"]
        return _load_public()
    del sys.modules["functools"]
    return _sqlite3


def _load_public() -> "ModuleType":
    import sqlite3

    return sqlite3


if not TYPE_CHECKING:
    sqlite = _load()

__all__ = ["BUSY", "DAMAGE", "code_of", "json_get", "long_log", "sqlite"]

BUSY = (5, 6, 15)  # SQLITE_BUSY, LOCKED, and PROTOCOL, which is a race for the WAL's locks
DAMAGE = (11, 26)  # SQLITE_CORRUPT, NOTADB
LONG_LOG = 16 << 20
"""Bytes; four times of what a log has where whoever commits can put it in order."""


class StoreError(Exception):
    """A store that cannot be used: one sentence of cause, one of remedy.

    Attributes:
        hint: what the reader can do about it; may be empty.
        kind: ``full``, ``readonly``, ``unopened``, ``locked``, ``io``, ``outdated``,
            ``foreign``, ``lacking``, ``damaged`` (still in its place), ``mended``,
            ``set-aside`` or ``replaced`` (by another file).
        exit_code: what a process exits with that can't do without it.
    """

    exit_code = 5

    def __init__(self, sentence: str, hint: str = "", kind: str = "io") -> None:
        super().__init__(sentence)
        self.hint = hint
        self.kind = kind

    @property
    def reopen(self) -> bool:
        """Whether a new `connect` is all that is needed."""
        return self.kind in ("set-aside", "replaced", "mended")


def code_of(error: Exception) -> int:
    """Return SQLite's primary result code; 0 where the error is not SQLite's own."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def long_log(path: str) -> bool:
    """Tell whether the log of a store is longer than it should ever be; see `outgrown`."""
    try:
        return posix.stat(f"{path}-wal").st_size > LONG_LOG
    except OSError:
        return False


def json_get(text: str, *paths: str) -> "tuple[Any, ...] | None":
    """Take values out of a JSON text without the json module.

    Args:
        text: one JSON value.
        paths: where to look, as SQLite writes it: ``$.a.b``, ``$.list[0]``.

    Returns:
        One value for each path: a string, a number, ``None`` for null and for what is not
        there, 1 or 0 for a boolean, JSON for an array or an object. ``None`` alone where the
        text is not JSON.
    """
    values = {"text": text} | {f"path{at}": path for at, path in enumerate(paths)}
    columns = "".join(f", json_extract(:text, :path{at})" for at in range(len(paths)))
    memory = sqlite.connect(":memory:", isolation_level=None)
    try:
        row = memory.execute(f"SELECT json_valid(:text){columns}", values).fetchone()
    except (sqlite.Error, UnicodeError):
        return None
    finally:
        memory.close()
    return tuple(row[1:]) if row[0] else None
