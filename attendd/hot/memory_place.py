"""Whose memory it is: a project is known by where it lies, and again after it was moved.

A repository carries two marks: how its history began here, and where it came from. Where a
place is new, and the marks are those of a project whose own place is gone, it is that project.
Two places that both exist are two projects, however much they have in common; and so is
another repository where one has been.
"""

from attendd.hot import folders, places
from attendd.hot.db import Connection, read, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_KNOWN = "SELECT id, birth, remote FROM memory_project WHERE place = ?"
_SAME_BIRTH = "SELECT id, place FROM memory_project WHERE birth = ?"
_SAME_REMOTE = "SELECT id, place FROM memory_project WHERE remote = ?"
_LIMIT = 256 << 10
_NOTHING = "0" * 40
"""What was before a history began."""


def of(db: Connection, place: str, wall: float) -> int:
    """Return the number of the project at a place, which gets one if it has none.

    Args:
        db: the store.
        place: as `identity.project_of` names it.
        wall: now.

    Raises:
        StoreError: it was not kept.
    """
    marks = (birth(place), remote(place))
    found = read(db, _KNOWN, (place,))
    if found and found[0][1:] == _kept(found[0][1:], marks):
        return int(found[0][0])
    return write(db, lambda db: _keep(db, place, marks, wall))


def find(db: Connection, place: str) -> int:
    """Return the number of the project at a place, or that has moved there; 0: there is none.

    Raises:
        StoreError: the store can't be read.
    """
    marks = (birth(place), remote(place))
    found = read(db, _KNOWN, (place,))
    if found and not _is_another(found[0][1:], marks):
        return int(found[0][0])
    return _moved(db, marks)


def enabled(db: Connection, project: int) -> bool:
    """Tell whether a project's memory is on.

    Raises:
        StoreError: the store can't be read.
    """
    found = read(db, "SELECT enabled FROM memory_project WHERE id = ?", (project,))
    return bool(found and found[0][0])


def configure(db: Connection, project: int, wall: float, *, configured: bool) -> bool:
    """Keep whether a project's memory is on; tell whether it is.

    Args:
        db: the store.
        project: which.
        wall: now.
        configured: what the configuration says; what a person said of the project itself wins.

    Raises:
        StoreError: it was not kept.
    """
    found = read(db, "SELECT wish, enabled FROM memory_project WHERE id = ?", (project,))
    wish, before = found[0] if found else ("", 0)
    on = wish == "on" or (configured and wish != "off")
    if on != bool(before):
        sql = "UPDATE memory_project SET enabled = ?, enabled_at = ? WHERE id = ?"
        write(db, lambda db: db.execute(sql, (on, wall, project)))
    return on


def birth(place: str) -> str:
    """Return a digest of how a repository's history began where it lies; ``''``: not known.

    Source:
        The first line of the log that git keeps of HEAD: commit, author, second. In time git
        drops old lines, and then it is not known any more.
    """
    line, end, _ = folders.read(f"{place}/logs/HEAD", 4096).partition("\n")
    return places.digest(line) if end and line.startswith(_NOTHING) else ""


def remote(place: str) -> str:
    """Return a digest of where a repository was cloned from; ``''``: nowhere, or not known."""
    text = folders.read(f"{place}/config", _LIMIT)
    section = text.partition('[remote "origin"]')[2].partition("\n[")[0]
    for line in section.split("\n"):
        key, _, value = line.strip().partition("=")
        if key.strip().lower() == "url" and value.strip():
            return places.digest(value.strip())
    return ""


def _keep(db: Connection, place: str, marks: tuple[str, str], wall: float) -> int:
    found = db.execute(_KNOWN, (place,)).fetchone()
    if found and _is_another(found[1:], marks):
        sql = "UPDATE memory_project SET place = 'left:' || id WHERE id = ?"
        db.execute(sql, found[:1])
        found = None
    project = found[0] if found else _moved(db, marks)
    if not project:
        sql = "INSERT INTO memory_project (place, birth, remote, seen_at) VALUES (?, ?, ?, ?)"
        return int(db.execute(sql, (place, *marks, wall)).lastrowid or 0)
    before = found[1:] if found else ("", "")
    sql = "UPDATE memory_project SET place = ?, birth = ?, remote = ?, seen_at = ? WHERE id = ?"
    db.execute(sql, (place, *_kept(before, marks), wall, project))
    return int(project)


def _kept(before: "Sequence[str]", now: tuple[str, str]) -> tuple[str, str]:
    """Return the marks of a project, of which one that is not known now stays what it was."""
    return now[0] or before[0], now[1] or before[1]


def _is_another(before: "Sequence[str]", now: tuple[str, str]) -> bool:
    """Tell whether another repository has taken the place of one."""
    born_anew = bool(before[0] and now[0] and before[0] != now[0])
    return born_anew and not (now[1] and now[1] == before[1])


def _moved(db: Connection, marks: tuple[str, str]) -> int:
    """Find the one project that these marks are of and whose own place is gone; 0: none."""
    for sql, mark in zip((_SAME_BIRTH, _SAME_REMOTE), marks, strict=True):
        found = db.execute(sql, (mark,)).fetchall() if mark else []
        gone = [project for project, place in found if _is_gone(place)]
        if len(gone) == 1:
            return int(gone[0])
    return 0


def _is_gone(place: str) -> bool:
    """Tell whether nothing is there any more; of a path that is no text nobody can."""
    return not place.startswith("bytes:") and not folders.exists(place)
