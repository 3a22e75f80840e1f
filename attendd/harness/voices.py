"""Follows all that is said in one session, by its main chain and its subagents."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from attendd.harness.reading import between, read
from attendd.harness.tail import Tail
from attendd.store.speakers import Place

LATELY = 2 * 1024 * 1024
"""Bytes at the end of a transcript in which a new nonce must not stand by chance."""
BEFORE = 1024 * 1024
"""Bytes before a row in which results of tools count as what it may have been taken from."""
MOST = 4
"""Pieces that are read of each transcript in one look."""

_TURN = b'"promptIndex":'

Stamp = tuple[int, int, int]
"""What is another once a file was changed: its inode, its size, when it was written."""


class Line(msgspec.Struct, frozen=True):
    """A line of a transcript.

    Attributes:
        path: of which.
        text: itself; empty for one that is too long to be read.
        turn: the session's prompt that it belongs to, from 1 on; 0: that is not known.
        at: where what was read together with it begins.
        end: where that ends.
    """

    path: Path
    text: bytes
    turn: int
    at: int
    end: int


class Heard(msgspec.Struct, frozen=True):
    """What one look found.

    Attributes:
        lines: those in which the mark occurs, file by file.
        more: whether there is more to be read at once.
    """

    lines: list[Line]
    more: bool


class Voices:
    """The transcripts of one session, each read on from where it was left."""

    def __init__(self, transcript: Path, places: Mapping[str, Place], since: float) -> None:
        """Go on.

        Args:
            transcript: of its main chain.
            places: how far transcripts were read, by path.
            since: a subagent's that was not written to since is not looked at.
        """
        self.transcript = transcript
        self.places = dict(places)
        self._since = since
        self._folder = transcript.with_suffix("") / "subagents"
        self._seen: dict[str, Stamp] = {}
        self._turn = self.place(str(transcript)).turn

    def place(self, path: str) -> Place:
        """Return how far a transcript was read."""
        return self.places.get(path) or Place()

    def look(self, *marks: bytes) -> Heard:
        """Return new lines in which one of these occurs; in long ones only the first counts."""
        found: list[Line] = []
        more = False
        for path, stamp in self._files():
            if stamp == self._seen.get(path):
                continue
            if self._follow(path, marks, found):
                more = True
            else:
                self._seen[path] = stamp
        return Heard(found, more)

    def _follow(self, path: str, marks: Sequence[bytes], found: list[Line]) -> bool:
        """Read on in one transcript; tell whether there is more."""
        for _ in range(MOST):
            piece = read(Path(path), self.place(path), marks[0])
            if piece is None:
                return False
            where = (piece.begin, piece.place.at)
            for row in piece.rows:
                self._count(path, row)
                if any(mark in row for mark in marks):
                    found.append(Line(Path(path), row, self._turn, *where))
            if piece.found:
                found.append(Line(Path(path), b"", self._turn, *where))
            self.places[path] = msgspec.structs.replace(piece.place, turn=self._turn)
        return True

    def _count(self, path: str, row: bytes) -> None:
        at = row.find(_TURN) if path == str(self.transcript) else -1
        if at >= 0:
            self._turn = _number(row[at + len(_TURN) :]) or self._turn

    def _files(self) -> Iterator[tuple[str, Stamp]]:
        """Yield the transcripts that there are, each with what tells if it was changed."""
        with suppress(OSError, ValueError):
            yield str(self.transcript), _stamp(self.transcript.stat())
        with suppress(OSError, ValueError), os.scandir(self._folder) as entries:
            for entry in entries:
                if entry.name.endswith(".jsonl") and entry.stat().st_mtime >= self._since:
                    yield entry.path, _stamp(entry.stat())


def results(line: Line) -> list[bytes]:
    """Return the lines with results of tools that stand before or beside one in its file."""
    rows = between(line.path, max(0, line.at - BEFORE), line.end)
    return [row for row in rows if b'"tool_result"' in row]


def ending(path: Path, most: int = LATELY) -> str:
    """Return what was written last into a transcript; empty if it is gone."""
    return b"\n".join(Tail(path, first_look=most).look().lines).decode("utf-8", "replace")


def _stamp(seen: os.stat_result) -> Stamp:
    return seen.st_ino, seen.st_size, seen.st_mtime_ns


def _number(text: bytes) -> int:
    digits = text[:12].lstrip()
    end = next((at for at, ch in enumerate(digits) if not 48 <= ch <= 57), len(digits))  # noqa: PLR2004 - "0" to "9"
    return int(digits[:end] or b"0")
