"""Where a figure is taken: a home of its own, the launcher as people call it, repositories."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tests.process.reading import eventually

ROOT = Path(__file__).resolve().parents[1]
HOT = ROOT / "attendd" / "hot" / "main.py"
HEADER = b"[attend sensor=disclosure"
BARE = [sys.executable, "-I", "-S", "-c", "pass"]
OPEN_GATES = """[governor]
gap_s = 0.0
gap_growth = 0.0
max_batches = 100000

[engagement]
burst = 100000
"""
"""Nothing is held back for having been told too much."""

_LOOKED = """SELECT count(DISTINCT attachment) FROM health JOIN attachment
    ON attachment.id = attachment WHERE sensor = ? AND polled_at > attached_at
    AND ended_at IS NULL"""
_SOMEBODY = {
    "GIT_AUTHOR_NAME": "Somebody Else",
    "GIT_AUTHOR_EMAIL": "else@example.org",
    "GIT_COMMITTER_NAME": "Somebody Else",
    "GIT_COMMITTER_EMAIL": "else@example.org",
    "GIT_CONFIG_NOSYSTEM": "1",
}


def launcher() -> str:
    """Return the path of `attend` as it is installed beside this interpreter.

    Raises:
        FileNotFoundError: it is not.
    """
    path = Path(sys.executable).parent / "attend"
    if not path.exists():
        raise FileNotFoundError(f"{path}: install attend into this environment first")
    return str(path)


class Home:
    """A home of its own; nothing of the person's is seen from it.

    Attributes:
        path: the folder.
        env: the environment of what runs in it.
    """

    def __init__(self, path: Path) -> None:
        """Make it."""
        self.path = path
        path.mkdir(parents=True)
        keep = {name: value for name, value in os.environ.items() if name in ("PATH", "TZ")}
        self.env = {
            **keep,
            **_SOMEBODY,
            "HOME": str(path),
            "ATTEND_HOME": str(path / "a"),
            "LC_ALL": "C.UTF-8",
        }

    @property
    def store(self) -> str:
        """The path of its store."""
        return f"{self.env['ATTEND_HOME']}/state/attend.db"

    def configure(self, text: str) -> None:
        """Write the configuration file."""
        file = Path(self.env["ATTEND_HOME"]) / "config.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def looked(self, sensor: str, sessions: int = 1) -> None:
        """Wait until a sensor has looked in so many sessions, so that it tells of what changes.

        Raises:
            TimeoutError: it has not.
        """
        eventually(lambda: self.ask(_LOOKED, sensor)[0] >= sessions, 120)

    def ask(self, sql: str, *words: str) -> list[int]:
        """Return the first column of what the store has; a zero while it is only being made."""
        try:
            with closing(sqlite3.connect(f"file:{self.store}?mode=ro", uri=True)) as db:
                return [row[0] for row in db.execute(sql, words)]
        except sqlite3.OperationalError:
            return [0]

    def git(self, folder: Path, *words: str) -> None:
        """Run git as somebody else."""
        subprocess.run(["git", *words], cwd=folder, env=self.env, check=True, stdout=-3)

    def repository(self, name: str, fill: Callable[[Path], None] | None = None) -> Path:
        """Make a repository with one commit."""
        folder = self.path / name
        folder.mkdir()
        self.git(folder, "init", "-q", "-b", "main")
        (folder / "file").write_text("one\n")
        if fill is not None:
            fill(folder)
        self.git(folder, "add", ".")
        self.git(folder, "commit", "-q", "-m", "First")
        return folder
