"""A home of one's own for tests of places, and folders that are not one's own."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from attendd.hot import folders, places

STRANGER = 12_345


def fresh_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a home, say nothing about anything else, and keep what moves within the test."""
    for name in list(os.environ):
        if name.startswith(("XDG_", "ATTEND_", "CLAUDE")):
            monkeypatch.delenv(name)
    found = tmp_path / "home"
    found.mkdir()
    monkeypatch.setenv("HOME", str(found))
    monkeypatch.setattr(places, "VAR_TMP", str(tmp_path))
    monkeypatch.setattr(folders, "put_right", [])
    return found


@contextmanager
def short_folder() -> Iterator[Path]:
    """Lend a folder with a path so short that sockets can be in it."""
    found = Path(tempfile.mkdtemp(prefix="a", dir="/tmp"))
    yield found
    shutil.rmtree(found)


def mode(path: str | Path) -> int:
    """Return the permission bits."""
    return Path(path).stat().st_mode & 0o7777


def give_away(path: Path) -> None:
    """Have a folder belong to somebody else."""
    if os.geteuid() == 0:
        path.mkdir(parents=True)
        os.chown(path, STRANGER, STRANGER)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to("/")
