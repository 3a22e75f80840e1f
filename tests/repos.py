"""Real repositories for tests, and a git sensor that looks at one of them."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from attendd.api import Activity, Observation, Status
from sensors.git import GitConfig, GitSensor
from tests.fakes import FakeFocus


def fresh_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give this process a home of its own, and git a person."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "XDG_"))]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    (home / ".gitconfig").write_text(
        "[user]\nname = Juno Reyes\nemail = juno@example.org\n"
        "[init]\ndefaultBranch = main\n[advice]\ndetachedHead = false\n"
        '[protocol "file"]\nallow = always\n'
    )
    return home


class Repository:
    """A work tree that somebody works in, with the machine's git."""

    def __init__(self, path: Path, *options: str) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        if not (path / ".git").exists():
            self.git("init", "-q", *options)

    def git(self, *args: str, check: bool = True) -> str:
        """Run git as a person would, hooks, filters and all."""
        done = subprocess.run(
            ["git", *args], cwd=self.path, capture_output=True, text=True, check=False
        )
        if check and done.returncode:
            raise AssertionError(f"git {' '.join(args)}: {done.stderr}")
        return done.stdout.strip()

    def write(self, name: str, text: str = "x\n") -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def commit(self, name: str = "a.txt", text: str = "", message: str = "") -> str:
        """Change a file and commit it; return the commit."""
        self.write(name, text or f"{time.time_ns()}\n")
        self.git("add", "-A", name)
        self.git("commit", "-q", "-m", message or f"change {name}")
        return self.git("rev-parse", "HEAD")


class Watch:
    """A git sensor attending to a folder, polled by hand."""

    def __init__(self, path: Path, sensor: GitSensor | None = None) -> None:
        self.focus = FakeFocus(path, wall=time.time())
        self.focus.activity = Activity(status=Status.BUSY, worked_at=time.time())
        self.sensor = sensor or GitSensor(GitConfig())

    async def observe(self, *, after: float = 30.0, worked: bool = True) -> list[Observation]:
        """Poll after so many seconds, in which the session worked or did not."""
        self.focus.now += after
        self.focus.wall = time.time()
        if worked:
            self.focus.activity = Activity(status=Status.BUSY, worked_at=self.focus.wall)
        return list(await self.sensor.poll(self.focus))

    async def news(self, *, after: float = 30.0, worked: bool = True) -> list[str]:
        """Return what others did, as it would be told."""
        return [o.text for o in await self.observe(after=after, worked=worked) if not o.own]

    @contextmanager
    def own_call(self) -> Iterator[None]:
        """A tool call of the session runs meanwhile."""
        started = time.time()
        yield
        self.focus.own.append((started - 0.005, time.time()))


class Counter:
    """A `git` in front of git that keeps count of its runs."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        real = shutil.which("git")
        folder.mkdir()
        self._log = folder / "log"
        program = folder / "git"
        program.write_text(f'#!/bin/sh\necho "$*" >> "{self._log}"\nexec "{real}" "$@"\n')
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def runs(self) -> list[str]:
        """Return the commands that attend ran since the last time, without their options."""
        if not self._log.exists():
            return []
        lines = self._log.read_text().splitlines()
        self._log.unlink()
        words = ("version", "config", "status", "rev-list", "ls-files", "cat-file")
        ours = [line.split() for line in lines if line == "version" or line.startswith("-C ")]
        return [next(word for word in line if word in words) for line in ours]


class Trap:
    """A repository with a program in it that leaves a canary behind when it runs."""

    def __init__(self, tmp_path: Path, home: Path) -> None:
        self.home = home
        self.canary = tmp_path / "canary"
        self.repo = Repository(tmp_path / "repo")
        self.repo.commit("a.bin", "content\n")
        self.program = tmp_path / "program"
        self.program.write_text(f"#!/bin/sh\ntouch '{self.canary}'\nexec cat\n")
        self.program.chmod(0o755)

    def touch(self) -> None:
        """Make git compare the file's content: same size, other time."""
        os.utime(self.repo.path / "a.bin", (1_000_000_000, 1_000_000_000))

    def sprung(self) -> bool:
        found = self.canary.exists()
        self.canary.unlink(missing_ok=True)
        return found


def one_commit(said: list[str], on: str, subject: str) -> bool:
    """Tell whether one new commit, and nothing else, was said."""
    pattern = f'1 new commit on {on}, newest: "{subject}" \\(.{{9}}\\) by Juno Reyes'
    return len(said) == 1 and re.fullmatch(pattern, said[0]) is not None
