"""A throw-away home for the real client: nothing of the person's own is read or written."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

KEY = "sk-ant-made-up-for-tests-0000000000"
ROOT = Path(__file__).resolve().parents[2]
DEAD_END = "http://127.0.0.1:9"
"""A proxy that nobody answers: whatever is not loopback fails at once."""


T = TypeVar("T")


def eventually(look: Callable[[], T], within_s: float) -> T:
    """Return what ``look`` returns as soon as that is truthy, or its last word at the deadline."""
    limit = time.monotonic() + within_s
    while not (found := look()) and time.monotonic() < limit:
        time.sleep(0.05)
    return found


class Box:
    """A home, a folder for temporary files and a git repository to work in.

    Attributes:
        api_url: where the client finds its model.
        project: the repository's main work tree.
        beside: another one of it.
        programs: the folder before the system's own on the PATH; the one with attend.
    """

    def __init__(self, root: Path, api_url: str) -> None:
        self.root = root
        self.api_url = api_url
        self.programs = Path(sys.executable).parent
        self.home = root / "home"
        self.project = root / "project"
        self.client_dir = self.home / ".claude"
        self.client_dir.mkdir(parents=True)
        self.beside = root / "beside"
        (root / "tmp").mkdir()
        self._answer_first_questions()
        self._make_repository()

    def _answer_first_questions(self) -> None:
        trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        state = {
            "hasCompletedOnboarding": True,
            "lastOnboardingVersion": "999.0.0",
            "lastReleaseNotesSeen": "999.0.0",
            "theme": "dark",
            "bypassPermissionsModeAccepted": True,
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {str(folder): trusted for folder in (self.project, self.beside)},
        }
        (self.home / ".claude.json").write_text(json.dumps(state), encoding="utf-8")

    def _make_repository(self) -> None:
        self.project.mkdir()
        (self.project / "README").write_text("a project\n", encoding="utf-8")
        self.git("init", "-q", "-b", "main")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "first")
        self.git("branch", "elsewhere")
        self.git("worktree", "add", "-q", "-b", "beside", str(self.beside))

    def configure(self, text: str) -> None:
        """Write attend's configuration file."""
        path = self.root / "attend" / "config.toml"
        path.parent.mkdir(mode=0o700)
        path.write_text(text, encoding="utf-8")

    def environment(self) -> dict[str, str]:
        """All that the client gets to see."""
        identity = {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "Somebody"), ("EMAIL", "somebody@example.org"))
        }
        return identity | {
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": self.api_url,
            "ATTEND_HOME": str(self.root / "attend"),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_TELEMETRY": "1",
            "HOME": str(self.home),
            "HTTP_PROXY": DEAD_END,
            "HTTPS_PROXY": DEAD_END,
            "IS_SANDBOX": "1",  # lets root skip permissions; the box is one
            "LANG": "C.UTF-8",
            "NO_PROXY": "127.0.0.1",
            "PATH": os.pathsep.join([str(self.programs), "/usr/bin", "/bin"]),
            "SHELL": "/bin/sh",
            "TERM": "xterm-256color",
            "TMPDIR": str(self.root / "tmp"),
        }

    def git(self, *words: str) -> str:
        """Run git in the project, as somebody else than the session."""
        return self.run("git", *words).stdout

    def attend(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run attend as a person at a terminal would, in the project."""
        return self.run(str(Path(sys.executable).parent / "attend"), *words, check=False)

    def run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a program in the project with the box's environment, for at most two minutes."""
        return subprocess.run(
            command,
            cwd=self.project,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=check,
            timeout=120,
        )

    def processes(self) -> dict[int, str]:
        """The living processes that have this box as their home: pid to command line."""
        mark = f"HOME={self.home}".encode()
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    words = (folder / "cmdline").read_bytes().split(b"\0")
                    found[int(folder.name)] = b" ".join(words).decode(errors="replace").strip()
        return found

    def end(self) -> dict[int, str]:
        """Kill what still runs in the box, and say what that was."""
        left = self.processes()
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return left


@contextmanager
def throw_away(api_url: str) -> Iterator[Box]:
    """A box that is gone afterwards, with everything that ran in it.

    Its path is short, because the client keeps sockets in it.
    """
    root = Path(tempfile.mkdtemp(prefix="attend-live-"))
    box = Box(root, api_url)
    try:
        yield box
    finally:
        box.end()
        shutil.rmtree(root, ignore_errors=True)
