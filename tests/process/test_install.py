"""What pip installs is an `attend` that starts."""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest

from tests.process.box import DEADLINE_S, HOOK, ROOT


def python(*words: str | Path) -> None:
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel of this tree, and an environment that pip installed it into."""
    folder = tmp_path_factory.mktemp("installed")
    python("-m", "hatchling", "build", "-t", "wheel", "-d", folder)
    (wheel,) = folder.glob("*.whl")
    python("-m", "venv", "--without-pip", folder / "v")
    quietly = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-index")
    python("-m", "pip", "--python", folder / "v", "install", *quietly, wheel)
    return folder


def test_the_launcher_is_in_the_environments_bin_unchanged(installed: Path) -> None:
    launcher = installed / "v" / "bin" / "attend"

    assert launcher.read_text() == (ROOT / "bin" / "attend").read_text()
    assert os.access(launcher, os.X_OK)


def test_the_hot_files_and_all_they_read_are_in_the_wheel(installed: Path) -> None:
    (wheel,) = installed.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()

    needed = [f"attendd/hot/{path.name}" for path in (ROOT / "attendd" / "hot").glob("*.py")]
    needed += [
        str(path.relative_to(ROOT)) for path in (ROOT / "attendd" / "store").rglob("*.sql")
    ]
    needed += [f"disclosures/{path.name}" for path in (ROOT / "disclosures").glob("*.md")]
    assert set(needed) <= set(names)


def test_a_hook_teaches_from_what_was_installed(installed: Path) -> None:
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [installed / "v" / "bin" / "attend", *HOOK],
            input='{"hook_event_name": "SessionStart", "session_id": "s-1", "cwd": "/"}',
            env={"HOME": home, "PATH": "/nonexistent"},
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=True,
        )

    assert "[attend sensor=disclosure priority=high]" in done.stdout
