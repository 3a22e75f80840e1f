"""A private attend: its own home, its own clients, real processes; ended by pid."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.process import warm
from tests.process.reading import DEADLINE_S, Lines, Reading, eventually
from tests.process.standin import HOOK, HOT, HURRIED, LAUNCHER, ROOT, Client

__all__ = [
    "DEADLINE_S",
    "HOOK",
    "HOT",
    "HURRIED",
    "LAUNCHER",
    "ROOT",
    "Box",
    "Client",
    "Lines",
    "Reading",
    "boxed",
    "eventually",
]


class Box:
    """A home of its own, and everything that runs in it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.state = home / "attend" / "state"
        (home / ".claude").mkdir(parents=True)
        self.env = warm.KEPT | {
            "HOME": str(home),
            "ATTEND_HOME": str(home / "attend"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Somebody Else",
            "GIT_AUTHOR_EMAIL": "else@example.org",
            "GIT_COMMITTER_NAME": "Somebody Else",
            "GIT_COMMITTER_EMAIL": "else@example.org",
        }
        self.running: list[Reading] = []

    def repository(self, name: str = "project") -> Path:
        """Make a repository with one commit."""
        path = self.home / name
        path.mkdir()
        self.git(path, "init", "-q", "-b", "main")
        (path / "file").write_text("one\n")
        self.git(path, "add", "file")
        self.git(path, "commit", "-q", "-m", "First")
        return path

    def open_gates(self) -> None:
        """Configure no pause between batches, so that a test need not wait for one."""
        self.configure("[governor]\ngap_s = 0.0\nmax_batches = 1000\n")

    def configure(self, toml: str) -> None:
        """Write the person's configuration."""
        config = self.home / "attend" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(toml)

    def looked(self, count: int = 1, sensor: str = "git", since: float = 0.0) -> None:
        """Wait until a sensor has looked, since then, for so many attached readers."""
        sql = """SELECT count(*) FROM health JOIN attachment ON attachment.id = attachment
            WHERE sensor = ? AND polled_at > max(attached_at, ?) AND ended_at IS NULL"""

        eventually(lambda: self._ask("attend.db", sql, sensor, since) >= count)

    def journalled(self, code: str, text: str = "") -> None:
        """Wait until it is journalled that something was decided about a text."""
        sql = "SELECT count(*) FROM entry WHERE code = ? AND text LIKE ?"
        eventually(lambda: self._ask("journal.db", sql, code, f"%{text}%") > 0)

    def _ask(self, name: str, sql: str, *args: object) -> int:
        """Return the one number that a query has; 0 while the file is only being made."""
        try:
            path = quote(f"{self.state}/{name}")
            with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
                return int(db.execute(sql, args).fetchone()[0])
        except sqlite3.OperationalError:
            return 0

    def git(self, path: Path, *words: str) -> str:
        """Run git as somebody else would."""
        done = subprocess.run(
            ["git", *words], cwd=path, env=self.env, check=True, capture_output=True, text=True
        )
        return done.stdout

    def run(self, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run a command of the full program to its end."""
        env = self.env | options.pop("env", {})
        if warm.fits(env) and options.keys() <= {"cwd", "input"}:
            cwd, given = str(options.get("cwd", Path.cwd())), options.get("input", "")
            return warm.run(words, env, cwd, given, DEADLINE_S)
        return subprocess.run(
            [sys.executable, "-P", "-m", "attendd", *words],
            env=env,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
            **options,
        )

    def hot(self, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run a hot command to its end."""
        return subprocess.run(
            [sys.executable, "-I", "-S", str(HOT), *words],
            env=self.env | options.pop("env", {}),
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
            **options,
        )

    def reader(
        self, workdir: Path, *words: str, interpreter: str = sys.executable, **env: str
    ) -> Reading:
        """Start `attend run` outside any client."""
        return self.start([interpreter, "-I", "-S", str(HOT), "run", *words], workdir, env)

    def daemon(
        self,
        *before: str,
        interpreter: str = sys.executable,
        workdir: Path | None = None,
        hand_over: int = -1,
        **env: str,
    ) -> Reading:
        """Start `attendd`.

        Args:
            before: the words of a program that becomes it.
            interpreter: what runs it.
            workdir: where.
            hand_over: a descriptor that it inherits.
            env: what else is in its environment.
        """
        words = [*before, interpreter, "-P", "-m", "attendd.daemon"]
        return self.start(
            words, workdir or self.home, env, () if hand_over < 0 else (hand_over,)
        )

    def start(
        self,
        words: list[str],
        workdir: Path,
        env: dict[str, str] | None = None,
        fds: tuple[int, ...] = (),
        group: int | None = None,
    ) -> Reading:
        """Start a program that is ended with the box; 0 gives it a process group of its own."""
        reading = Reading(
            subprocess.Popen(
                words,
                cwd=workdir,
                env=self.env | (env or {}),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=fds,
                process_group=group,
            )
        )
        self.running.append(reading)
        return reading

    def client(self, workdir: Path, session: str = "", words: str = "") -> Client:
        """Start a stand-in for Claude Code, with some words on its command line."""
        client = Client(self.home, self.env, workdir, session, words)
        self.running.append(client)
        return client

    def end(self) -> None:
        """End everything that was started here."""
        for reading in self.running:
            reading.end()


@contextmanager
def boxed(home: Path) -> Iterator[Box]:
    """A `Box` that is ended and gone afterwards."""
    box = Box(home)
    try:
        yield box
    finally:
        box.end()
