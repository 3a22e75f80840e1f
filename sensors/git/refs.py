"""Reads what git keeps in plain files: refs, the reflog, operations under way.

Called in a worker thread; see `sensors.git.place`.
"""

import os
import re
from pathlib import Path

import msgspec

from sensors.git.model import Place, Tree
from sensors.git.place import head_ref, read
from sensors.git.words import text_of

_PACKED_MOST = 32 * 1024 * 1024
_LOG_MOST = 64 * 1024
_OID = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LOG_TIME = re.compile(rb"> (\d{1,11}) [+-]\d{4}(?:\t|$)", re.MULTILINE)
_LOG_COMMIT = re.compile(rb"^[0-9a-f]+ ([0-9a-f]+) [^\t\n]*\tcommit", re.MULTILINE)
_HEADS = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}


class Operation(msgspec.Struct, frozen=True):
    """What git is in the middle of: its kind, and the branch it will return to."""

    kind: str = ""
    branch: str = ""


def tree(place: Place, upstream: str) -> Tree:
    """Look at a repository by its files alone.

    Args:
        place: where it lies.
        upstream: the short name of what the branch is known to follow; may be empty.
    """
    ref = head_ref(place)
    now = operation(Path(place.gitdir))
    if now.branch:
        ref = f"refs/heads/{now.branch}"
    return Tree(
        place=place,
        head=resolve(place, ref) if ref else _oid(read(Path(place.gitdir, "HEAD"), 4096)),
        branch=text_of(os.fsencode(ref.removeprefix("refs/heads/"))),
        upstream=upstream,
        upstream_oid=_upstream_oid(place, upstream),
        operation=now.kind,
        stashes=read(Path(place.commondir, "logs/refs/stash"), _LOG_MOST).count(b"\n"),
        worktrees=worktrees(Path(place.commondir)),
    )


def resolve(place: Place, ref: str) -> str:
    """Return the commit of a branch or remote branch; empty where it cannot be known."""
    loose = _oid(read(Path(place.commondir, ref), 4096))
    if loose:
        return loose
    packed = read(Path(place.commondir, "packed-refs"), _PACKED_MOST)
    end = packed.find(b" " + os.fsencode(ref) + b"\n")
    return _oid(packed[packed.rfind(b"\n", 0, end) + 1 : end]) if end > 0 else ""


def operation(gitdir: Path) -> Operation:
    """Tell what git is in the middle of."""
    for folder in ("rebase-merge", "rebase-apply"):
        if (gitdir / folder).is_dir():
            kind = "am" if (gitdir / folder / "applying").exists() else "rebase"
            return Operation(kind, _branch(read(gitdir / folder / "head-name", 4096)))
    for head, kind in _HEADS.items():
        if (gitdir / head).is_file():
            start = read(gitdir / "BISECT_START", 4096) if kind == "bisect" else b""
            return Operation(kind, "" if _oid(start) else _branch(start))
    todo = read(gitdir / "sequencer/todo", 4096)
    if todo:
        return Operation("revert" if todo.startswith(b"revert") else "cherry-pick")
    return Operation()


def worktrees(common: Path) -> tuple[str, ...]:
    """Return the folders of the linked work trees, as git recorded them."""
    try:
        found = sorted(common.joinpath("worktrees").iterdir())[:100]
    except OSError:
        return ()
    links = [read(folder / "gitdir", 8192).strip() for folder in found]
    return tuple(text_of(link.removesuffix(b"/.git")) for link in links if link)


def log_times(gitdir: Path, offset: int) -> list[int]:
    """Return when HEAD moved, in whole seconds of wall time, from the reflog's new part.

    Args:
        gitdir: the git directory.
        offset: how long the reflog was before.
    """
    tail = read(gitdir / "logs/HEAD", _LOG_MOST, offset)
    return [int(time) for time in _LOG_TIME.findall(tail)]


def made_here(gitdir: Path, offset: int) -> set[str]:
    """Return the commits that were made in this work tree, not fetched, from the same part."""
    tail = read(gitdir / "logs/HEAD", _LOG_MOST, offset)
    return {oid.decode() for oid in _LOG_COMMIT.findall(tail)}


def _upstream_oid(place: Place, upstream: str) -> str:
    if not upstream:
        return ""
    found = resolve(place, f"refs/remotes/{upstream}")
    return found or resolve(place, f"refs/heads/{upstream}")


def _branch(raw: bytes) -> str:
    name = raw.strip().removeprefix(b"refs/heads/")
    return "" if name == b"detached HEAD" else text_of(name)


def _oid(raw: bytes) -> str:
    raw = raw.strip()
    return raw.decode() if _OID.fullmatch(raw) else ""
