"""Finds a repository and stamps its files, without git: this costs no process.

Everything here may block on a slow file system and is called in a worker thread. Nothing
but regular files of bounded size is ever read: a repository can hold anything.
"""

import os
import stat
from pathlib import Path

from sensors.git.model import Place, Stamp, Stamps, Survey, Tree

_OWN = (
    "HEAD",
    "index",
    "logs/HEAD",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "BISECT_LOG",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
)
_COMMON = (
    "config",
    "packed-refs",
    "reftable/tables.list",
    "refs",
    "refs/stash",
    "logs/refs/stash",
    "worktrees",
)


def survey_near(workdir: Path, known: Tree | None) -> Survey | None:
    """Find the repository of a folder; the last known one where only the folder itself went."""
    upstream = known.upstream if known else ""
    found = survey(workdir, upstream)
    if found is None and known and known.place.top and not workdir.exists():
        return survey(Path(known.place.top), upstream)
    return found


def survey(workdir: Path, upstream: str) -> Survey | None:
    """Find the repository of a folder as git does, and stamp what tells of a change.

    Args:
        workdir: may not exist.
        upstream: the short name of what the branch is known to follow; may be empty.

    Returns:
        ``None`` where there is no repository.
    """
    place = find(workdir)
    return Survey(place, stamps(place, upstream)) if place else None


def find(workdir: Path) -> Place | None:
    """Return the repository that git would use in a folder."""
    try:
        here = workdir.resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        return None
    home = _stat(here)
    for folder in (here, *here.parents):
        found = _stat(folder)
        if found is None or home is None or found.st_dev != home.st_dev:
            return None  # git does not look beyond a file system either
        gitdir = _gitdir(folder / ".git")
        if gitdir is not None:
            return _place(folder, gitdir)
        if _is_gitdir(folder):
            return _place(None, folder)
    return None


def stamps(place: Place, upstream: str) -> Stamps:
    """Stamp every file whose change may be news; missing files are left out."""
    gitdir, common = Path(place.gitdir), Path(place.commondir)
    paths = {name: gitdir / name for name in _OWN} | {name: common / name for name in _COMMON}
    branch = head_ref(place)
    if branch:
        paths["@branch"] = common / branch
    found = {name: _stamp(path) for name, path in paths.items()}
    if upstream:
        found |= upstream_stamp(place, upstream)
    return {name: stamp for name, stamp in found.items() if stamp}


def upstream_stamp(place: Place, upstream: str) -> Stamps:
    """Stamp the ref that a branch follows, if it has a file of its own."""
    for kind in ("remotes", "heads"):
        found = _stamp(Path(place.commondir, "refs", kind, upstream))
        if found:
            return {"@upstream": found}
    return {}


def folders(place: Place, upstream: str) -> list[Path]:
    """Return the folders whose direct entries tell of every change but edits of files."""
    gitdir, common = Path(place.gitdir), Path(place.commondir)
    found = [gitdir, gitdir / "logs", common, common / "refs", common / "refs/heads"]
    branch = head_ref(place)
    if branch:
        found.append((common / branch).parent)
    if upstream:
        found.append((common / "refs/remotes" / upstream).parent)
    found += [common / name for name in ("worktrees", "reftable") if (common / name).is_dir()]
    return list(dict.fromkeys(found))


def head_ref(place: Place) -> str:
    """Return the full name of the branch that HEAD names; empty while detached."""
    head = read(Path(place.gitdir, "HEAD"), 4096).strip()
    ref = os.fsdecode(head[5:].strip()) if head.startswith(b"ref: ") else ""
    return ref if ref.startswith("refs/heads/") and ".." not in ref else ""


def read(path: Path, most: int, offset: int = 0) -> bytes:
    """Read a regular file, at most so many bytes of it; anything else reads as empty."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return b""
    try:
        return os.pread(fd, most, offset) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(fd)


def _place(top: Path | None, gitdir: Path) -> Place | None:
    found = _stat(gitdir)
    if found is None:
        return None
    identity = f"{found.st_dev}:{found.st_ino}"
    return Place(str(top or ""), str(gitdir), str(_commondir(gitdir)), identity)


def _gitdir(dotgit: Path) -> Path | None:
    """Follow ``.git``: the git directory itself, or a file that names it."""
    found = _stat(dotgit)
    if found is None:
        return None
    if stat.S_ISDIR(found.st_mode):
        return dotgit if _is_gitdir(dotgit) else None
    line = read(dotgit, 8192).partition(b"\n")[0]
    if not line.startswith(b"gitdir: "):
        return None
    named = (dotgit.parent / os.fsdecode(line[8:].rstrip(b"\r"))).resolve()
    return named if _is_gitdir(named) else None


def _commondir(gitdir: Path) -> Path:
    line = read(gitdir / "commondir", 8192).strip()
    return (gitdir / os.fsdecode(line)).resolve() if line else gitdir


def _is_gitdir(folder: Path) -> bool:
    if _stat(folder / "HEAD") is None:
        return False
    common = _commondir(folder)
    return all(_is_folder(common / name) for name in ("objects", "refs"))


def _is_folder(path: Path) -> bool:
    found = _stat(path)
    return found is not None and stat.S_ISDIR(found.st_mode)


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (OSError, ValueError):
        return None


def _stamp(path: Path) -> Stamp | None:
    found = _stat(path)
    return (found.st_mtime_ns, found.st_size, found.st_ino) if found else None
