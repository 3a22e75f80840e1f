"""Where a client keeps the transcript of a session."""

from pathlib import Path

from attendd.hot.record import LONGEST_FOLDER, folder_of, is_id


def find_transcript(client_dir: Path, session: str, cwd: str) -> Path | None:
    """Find a session's transcript; ``None`` while there is none.

    Looks where the client would put it, and then in all its projects, since a session may have
    been begun elsewhere than its process now says.
    """
    if not is_id(session):
        return None
    projects = client_dir / "projects"
    name = folder_of(cwd)
    expected = projects / name / f"{session}.jsonl"
    if cwd and len(name) <= LONGEST_FOLDER and _mtime(expected) is not None:
        return expected
    found = [path for path in _candidates(projects, session) if _mtime(path) is not None]
    if len(name) > LONGEST_FOLDER:
        start = f"{name[:LONGEST_FOLDER]}-"
        found = [path for path in found if path.parent.name.startswith(start)] or found
    return max(found, key=lambda path: _mtime(path) or 0.0, default=None)


def _candidates(projects: Path, session: str) -> list[Path]:
    try:
        return [folder / f"{session}.jsonl" for folder in projects.iterdir()]
    except OSError:
        return []


def _mtime(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None
