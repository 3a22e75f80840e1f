"""Which session's transcript another's begins as a copy of.

Source:
    2.1.328: a fork's transcript begins with the rows of its origin's latest branch, under the
    uuids that they had, so the origin's last row is among them unless it went on since.
"""

import datetime
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import msgspec

from attendd.harness.tail import Tail


class _Row(msgspec.Struct, frozen=True):
    uuid: str = ""
    timestamp: str = ""


_row = msgspec.json.Decoder(_Row)


def origin(copy: Path, began: float, transcripts: Mapping[str, Path]) -> str | None:
    """Name the session that a transcript was copied from.

    Args:
        copy: the transcript.
        began: when its session began, wall clock.
        transcripts: those of the sessions that it may be, by their ids.

    Returns:
        ``''`` if it is none of them, ``None`` while nothing of its own is in the transcript.
    """
    ends = {_last(path): session for session, path in transcripts.items()}
    since = datetime.datetime.fromtimestamp(began, datetime.UTC).isoformat()
    found = ""
    try:
        with closing(copy.open("rb")) as lines:
            for row in map(_read, lines):
                if row.timestamp > since:
                    return found
                if row.uuid:
                    found = ends.get(row.uuid, found)
    except OSError:
        return None
    return None


def _last(path: Path) -> str:
    """Return the uuid of a transcript's last row that has one; ``''`` if that is far back."""
    rows = map(_read, reversed(Tail(path).look().lines))
    return next((row.uuid for row in rows if row.uuid), "")


def _read(line: bytes) -> _Row:
    try:
        return _row.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _Row()
