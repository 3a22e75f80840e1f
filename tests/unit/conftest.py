"""Fixtures of the unit tests: places on disk, nothing that runs."""

from pathlib import Path

import pytest


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where the user's file stands; there is none yet."""
    monkeypatch.setenv("ATTEND_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir(mode=0o700)
    return tmp_path / "home" / "config.toml"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project's folder; it has no file yet."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder
