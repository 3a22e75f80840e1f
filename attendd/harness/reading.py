"""A file that rows are appended to, read on from where it was left, whatever their length."""

import os
import stat
from pathlib import Path

import msgspec

from attendd import fingerprint
from attendd.store.speakers import Place

PIECE = 1024 * 1024
"""Bytes that are read at once, or as many as one row has."""
LONGEST = 4 * 1024 * 1024
"""Bytes of a row beyond which it is passed over. An answer of a model stays below one."""

_MARK = 64


class Piece(msgspec.Struct, frozen=True):
    """Some complete rows.

    Attributes:
        rows: without their newlines; none where there is one that is too long.
        begin: where they begin.
        place: where they end.
        found: whether in a row that is too long stands what was looked for.
    """

    rows: list[bytes]
    begin: int
    place: Place
    found: bool = False


def read(path: Path, place: Place, wanted: bytes) -> Piece | None:
    """Read the next rows of a file; from its first on if it is another file by now.

    Args:
        path: which.
        place: how far it was read.
        wanted: what is looked for in rows that are too long to be returned.

    Returns:
        ``None`` if there is none, or the file is gone or can't be read.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):  # or it is no path
        return None
    try:
        about = os.fstat(fd)
        if not stat.S_ISREG(about.st_mode):
            return None
        if about.st_size < place.at or place.mark not in ("", _mark(fd, place.at)):
            place = Place()
        return _read(fd, place, wanted)
    except OSError:
        return None
    finally:
        os.close(fd)


def between(path: Path, begin: int, end: int) -> list[bytes]:
    """Return the rows that begin in a part of a file; none if it is gone."""
    try:
        with path.open("rb") as file:
            file.seek(begin)
            return file.read(end - begin).split(b"\n")[begin > 0 :]
    except OSError:
        return []


def _read(fd: int, place: Place, wanted: bytes) -> Piece | None:
    at, found = place.at, False
    data = os.pread(fd, PIECE, at)
    size = data.rfind(b"\n") + 1
    if not size and len(data) == PIECE:
        size, found = _row(fd, at, wanted)
        data = os.pread(fd, size, at) if size <= LONGEST else b""
    if not size:
        return None
    end = at + size
    rows = data[:size].split(b"\n")[:-1]
    return Piece(rows, at, Place(end, _mark(fd, end), place.turn), found and not rows)


def _row(fd: int, at: int, wanted: bytes) -> tuple[int, bool]:
    """Return how long a row is, 0 if it isn't complete, and whether something stands in it."""
    size, found, edge = 0, False, b""
    while data := os.pread(fd, PIECE, at + size):
        part, newline, _ = data.partition(b"\n")
        found = found or wanted in edge + part
        edge = part[-len(wanted) :]
        size += len(part) + len(newline)
        if newline:
            return size, found
    return 0, False


def _mark(fd: int, at: int) -> str:
    start = max(0, at - _MARK)
    return fingerprint.of(os.pread(fd, at - start, start)).hex()
