"""Reads ``git status --porcelain=v2 --branch -z`` (git-status(1)) and ``git rev-list``."""

import msgspec

from sensors.git.model import EACH, Commit, Commits, Files
from sensors.git.words import text_of

NAMES = 500
"""How many uncommitted files are remembered by name."""

_PATH_AT = {b"1": 8, b"u": 10, b"?": 1}
"""By kind of entry: how many spaces come before its path. Renames are not asked for."""


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of one ``git status``. Attributes as in `Tree`.

    Attributes:
        stashes: ``None`` where this git does not tell (before 2.35).
        paths: the names of `files` as the file system has them, in the same order.
    """

    head: str
    branch: str
    upstream: str
    ahead: int | None
    behind: int | None
    conflicts: int
    stashes: int | None
    files: Files
    paths: tuple[bytes, ...]


def parse(out: bytes, *, cut: bool = False) -> Status:
    """Read a status.

    Args:
        out: what git wrote, or its beginning.
        cut: whether it is only the beginning; the last, partial entry is left out then.
    """
    entries = out.split(b"\0")[:-1]
    headers: dict[bytes, bytes] = {}
    paths: list[bytes] = []
    count = conflicts = 0
    for entry in entries:
        if entry.startswith(b"# "):
            key, _, value = entry[2:].partition(b" ")
            headers[key] = value
            continue
        path = _path(entry)
        if path:
            count += 1
            conflicts += entry.startswith(b"u ")
            if len(paths) < NAMES:
                paths.append(path)
    head = headers.get(b"branch.oid", b"")
    branch = headers.get(b"branch.head", b"")
    ahead, behind = _ahead_behind(headers.get(b"branch.ab"))
    stash = headers.get(b"stash")
    return Status(
        head="" if head == b"(initial)" else head.decode("ascii", "replace"),
        branch="" if branch == b"(detached)" else text_of(branch),
        upstream=text_of(headers.get(b"branch.upstream", b"")),
        ahead=ahead,
        behind=behind,
        conflicts=conflicts,
        stashes=int(stash) if stash and stash.isdigit() else None,
        files=Files(tuple(text_of(path) for path in paths), count, cut),
        paths=tuple(paths),
    )


def _path(entry: bytes) -> bytes:
    spaces = _PATH_AT.get(entry[:1])
    parts = entry.split(b" ", spaces) if spaces else []
    return parts[-1] if spaces and len(parts) == spaces + 1 else b""


def _ahead_behind(value: bytes | None) -> tuple[int | None, int | None]:
    try:
        ahead, behind = (value or b"").split()
        return int(ahead), -int(behind)
    except ValueError:
        return None, None


REV_LIST_FORMAT = "--format=tformat:%m%x00%an%x00%s"
"""One line a commit: its side, author, subject; git puts a ``commit`` line before each."""


def parse_commits(out: bytes, most: int) -> Commits | None:
    """Read ``git rev-list --left-right`` in `REV_LIST_FORMAT`.

    Args:
        out: newest first; ``<`` marks what only the earlier commit has.
        most: how many commits were asked for at most.

    Returns:
        ``None`` where nothing lies between the two.
    """
    new = lost = 0
    oid = ""
    each: list[Commit] = []
    for line in out.split(b"\n"):
        side, *rest = line.split(b"\0")
        if side == b"<":
            lost += 1
        elif side == b">":
            new += 1
            if len(each) < EACH:
                each.append(Commit(oid, *(text_of(part) for part in rest[:2])))
        elif side.startswith(b"commit "):
            oid = text_of(side[8:])
    if not new + lost:
        return None
    return Commits(new, lost, new + lost >= most, tuple(each))
