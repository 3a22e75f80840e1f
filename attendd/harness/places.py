"""Where a client keeps the transcript of a session."""

from pathlib import Path

_LONGEST = 200


def folder_name(cwd: str) -> str:
    """Return the name of the folder for a directory's transcripts, or how it begins.

    Source:
        The client writes each UTF-16 unit other than an ASCII letter or digit as ``-``. Past
        200 of them it cuts there and adds ``-`` and a hash, which we don't know how to form.
    """
    name = "".join(
        c if c.isascii() and c.isalnum() else "--" if c > "\uffff" else "-" for c in cwd
    )
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}-"


def find_transcript(client_dir: Path, session: str, cwd: str) -> Path | None:
    """Find a session's transcript; ``None`` while there is none.

    Looks where the client would put it, and then in all its projects, since a session may have
    been begun elsewhere than its process now says.
    """
    if not session or "/" in session:
        return None
    projects = client_dir / "projects"
    name = folder_name(cwd)
    expected = projects / name / f"{session}.jsonl"
    if cwd and len(name) <= _LONGEST and expected.is_file():
        return expected
    found = [path for path in _candidates(projects, session) if path.is_file()]
    if len(name) > _LONGEST:
        found = [path for path in found if path.parent.name.startswith(name)] or found
    return max(found, key=_mtime, default=None)


def _candidates(projects: Path, session: str) -> list[Path]:
    try:
        return [folder / f"{session}.jsonl" for folder in projects.iterdir()]
    except OSError:
        return []


def _mtime(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
