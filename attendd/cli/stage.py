"""What the demo plays on: a scratch repository, and a session that looks like a real client's.

Everything lies in one temporary folder, with an `$ATTEND_HOME` and a client folder of its own;
nothing outside of it is read or written. The pretended client is the demo process itself: its
record names this process, so that `attend run` finds its session as it would in real life.
"""

import json
import os
import re
import shutil
import stat
import subprocess
import tempfile
import time
import uuid
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attendd.errors import AttendError
from attendd.hot import process

_MODEL = "claude-opus-5-5"
_CLIENT_VERSION = "2.1.328"
_PREFIX = "attend-demo-"
_TRIES, _PAUSE_S = 5, 0.05
_WHOSE = "demo"
"""The file in a demo's folder that names its process."""
_NOT_INHERITED = ("CLAUDE", "ATTEND_", "GIT_")


def left_behind() -> list[Path]:
    """Name the folders of demos of this user that were killed before they removed them."""
    return [each for each in _above().glob(f"{_PREFIX}*") if _is_left(each)]


def remove(root: Path) -> bool:
    """Remove such a folder; tell whether it is gone.

    An `attend run` in it may live on for a moment and write. Then what it wrote stays, and the
    file by which the folder is known, so that it is found again.
    """
    with suppress(OSError):
        for each in root.iterdir():
            if each.is_dir():
                shutil.rmtree(each, ignore_errors=True)
            elif each.name != _WHOSE:
                each.unlink()
        if [each.name for each in root.iterdir()] == [_WHOSE]:
            shutil.rmtree(root, ignore_errors=True)
    return not root.exists()


def _is_left(root: Path) -> bool:
    try:
        found = root.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            return False
        pid, pidns, start = (root / _WHOSE).read_text().split(" ")
        return process.alive(int(pid), start, pidns) is False
    except (OSError, ValueError):  # it is being made or removed, or is nothing of ours
        return False


def _above() -> Path:
    """Return where demos put their folders: a socket's path has a short limit.

    A user's own temporary folder may be deep.
    """
    return Path("/tmp" if os.access("/tmp", os.W_OK) else tempfile.gettempdir())  # noqa: S108 - mkdtemp is private


def _gitless() -> AttendError:
    return AttendError("git was not found", hint="install git, then try again")


class Stage:
    """A folder with a repository, a client's files and a place for attend's own state.

    Attributes:
        root: the temporary folder; `strike` removes it.
        repository: the work tree of the pretended session.
        session: its id. Where the system does not say when a process started, so that no
            client can be pretended, it is a name of its own.
    """

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_above()))
        self.repository = self.root / "lighthouse"
        self._start = process.start_time(os.getpid()) or ""
        whose = f"{os.getpid()} {process.pid_namespace()} {self._start}"
        (self.root / _WHOSE).write_text(whose)
        self.session = str(uuid.uuid4()) if self._start else "as:demo"
        self._client = self.root / "client"
        self._last_row: str | None = None
        folder = re.sub(r"[^A-Za-z0-9]", "-", str(self.repository))
        self._transcript = self._client / "projects" / folder / f"{self.session}.jsonl"

    def environment(self) -> dict[str, str]:
        """Return what `attend run` is started with: the user's own, without other sessions."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(_NOT_INHERITED)}
        kept["ATTEND_HOME"] = str(self.root / "attend")
        kept["CLAUDE_CONFIG_DIR"] = str(self._client)
        if self._start:
            kept["CLAUDE_PID"] = str(os.getpid())
        return kept

    @property
    def options(self) -> tuple[str, ...]:
        """What `attend run` is given besides."""
        return () if self._start else ("--as", "demo")

    def build(self) -> None:
        """Make the repository and the session's record and transcript.

        Raises:
            AttendError: there is no git, or it failed.
        """
        for folder in (self.repository, self._client / "sessions", self._transcript.parent):
            folder.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")
        self.write("lamp.py", "HEIGHT_M = 42\n")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message=Light the lamp")
        if self._start:
            self._record("busy")
        self._row("user", {"role": "user", "content": "Please make the lamp turn."}, human=True)
        self.answer(tokens=380_000)

    def strike(self) -> None:
        """Remove everything, also what a git that was interrupted still writes."""
        for _ in range(_TRIES):
            if remove(self.root):
                return
            time.sleep(_PAUSE_S)

    def _record(self, status: str) -> None:
        """Let the client say what its session is doing."""
        now_ms = int(datetime.now(UTC).timestamp() * 1000)
        record = {
            "pid": os.getpid(),
            "sessionId": self.session,
            "cwd": str(self.repository),
            "startedAt": now_ms,
            "procStart": self._start,
            "version": _CLIENT_VERSION,
            "kind": "interactive",
            "entrypoint": "cli",
            "pidDomain": f"linux:0:{process.pid_namespace()}",
            "name": "lighthouse-1",
            "status": status,
            "updatedAt": now_ms,
            "statusUpdatedAt": now_ms,
        }
        path = self._client / "sessions" / f"{os.getpid()}.json"
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(record))
        fresh.replace(path)

    def write(self, name: str, text: str) -> None:
        """Put a file into the work tree."""
        (self.repository / name).write_text(text)

    def git(self, *words: str, by: str = "Demo") -> None:
        """Run git in the repository in somebody's name.

        Raises:
            AttendError: there is no git, or it failed.
        """
        person = {
            f"GIT_{role}_{part}": value
            for role in ("AUTHOR", "COMMITTER")
            for part, value in (("NAME", by), ("EMAIL", f"{by.lower()}@example.org"))
        }
        own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        base = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        try:
            subprocess.run(
                ["git", "-C", str(self.repository), *words],  # noqa: S607 - the user's own git
                env=base | own | person,
                check=True,
                capture_output=True,
                text=True,
                timeout=30,
            )
        except FileNotFoundError:
            raise _gitless() from None
        except subprocess.SubprocessError as error:
            said = str(getattr(error, "stderr", "") or error).strip().splitlines()
            raise AttendError(f"git {words[0]} failed: {said[-1] if said else error}") from None

    def insist_on_git(self) -> None:
        """Make sure that there is git, before anything is said.

        Raises:
            AttendError: there is none.
        """
        if shutil.which("git") is None:
            raise _gitless()

    def answer(self, tokens: int, text: str = "Done.") -> None:
        """Let the model answer, with so many tokens in its window after that."""
        self._assistant([{"type": "text", "text": text}], tokens)

    def tool_call(self, command: str, tokens: int) -> str:
        """Let the model run a shell command; `tool_result` ends it. Returns the call's id."""
        call = f"toolu_{uuid.uuid4().hex[:20]}"
        use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}
        self._assistant([use], tokens)
        return call

    def tool_result(self, call: str) -> None:
        """End a tool call."""
        result = {"type": "tool_result", "tool_use_id": call, "content": "ok"}
        self._row("user", {"role": "user", "content": [result]})

    def _assistant(self, content: list[dict[str, Any]], tokens: int) -> None:
        usage = {
            "input_tokens": 10,
            "cache_creation_input_tokens": 1000,
            "cache_read_input_tokens": tokens - 1110,
            "output_tokens": 100,
        }
        message = {
            "id": f"msg_{uuid.uuid4().hex[:20]}",
            "type": "message",
            "role": "assistant",
            "model": _MODEL,
            "content": content,
            "usage": usage,
        }
        self._row("assistant", message)

    def _row(self, kind: str, message: dict[str, Any], *, human: bool = False) -> None:
        row = {
            "parentUuid": self._last_row,
            "isSidechain": False,
            "type": kind,
            "message": message,
            "uuid": str(uuid.uuid4()),
            "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds")[:-6] + "Z",
            "cwd": str(self.repository),
            "sessionId": self.session,
            "version": _CLIENT_VERSION,
        }
        if human:
            row |= {"origin": {"kind": "human"}, "promptSource": "typed"}
        self._last_row = str(row["uuid"])
        with self._transcript.open("a", encoding="utf-8") as transcript:
            transcript.write(json.dumps(row) + "\n")
