"""A private attend: its own home, its own clients, real processes; ended by pid."""

import json
import os
import selectors
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[2]
HOT = ROOT / "attendd" / "hot" / "main.py"
DEADLINE_S = 20.0
"""How long anything may take before a test gives up; no test waits for it otherwise."""


class Lines:
    """Reads lines from a pipe, with a deadline."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._rest = b""
        os.set_blocking(pipe.fileno(), False)
        self.seen: list[str] = []

    def line(self, deadline_s: float = DEADLINE_S) -> str:
        """Return the next line without its newline.

        Raises:
            TimeoutError: none came in time; the message has what was seen before.
            EOFError: the pipe was closed.
        """
        found = self.more(deadline_s)
        if found is None:
            raise TimeoutError(f"no line in {deadline_s} s; before it: {self.seen[-20:]}")
        return found

    def more(self, deadline_s: float) -> str | None:
        """Return the next line; ``None`` if none comes in time."""
        until = time.monotonic() + deadline_s
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._pipe, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                left = until - time.monotonic()
                if left <= 0 or not waiting.select(left):
                    return None
                data = self._pipe.read(65536)
                if not data:
                    raise EOFError(f"closed; before it: {self.seen[-20:]}")
                self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        self.seen.append(line.decode("utf-8", "surrogateescape"))
        return self.seen[-1]

    def until(self, text: str, deadline_s: float = DEADLINE_S) -> list[str]:
        """Return lines up to the first that holds a text, that one included."""
        found = [self.line(deadline_s)]
        while text not in found[-1]:
            found.append(self.line(deadline_s))
        return found

    def end(self, deadline_s: float = DEADLINE_S) -> list[str]:
        """Return all lines up to the end of the pipe."""
        found = []
        try:
            while True:
                found.append(self.line(deadline_s))
        except EOFError:
            return found


class Reading:
    """A running `attend run`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        assert process.stdout is not None
        assert process.stderr is not None
        self.out = Lines(process.stdout)
        self.err = Lines(process.stderr)

    def kill(self, number: int = signal.SIGKILL) -> int:
        """Send a signal; return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(DEADLINE_S)

    def end(self) -> None:
        """End it if it runs."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(DEADLINE_S)
        for pipe in (self.process.stdout, self.process.stderr, self.process.stdin):
            if pipe is not None:
                pipe.close()


class Client(Reading):
    """A shell that stands in for Claude Code: its record, its transcript, its children."""

    def __init__(self, box: "Box", workdir: Path, session: str = "") -> None:
        self.box = box
        self.workdir = workdir
        self.session = session or str(uuid.uuid4())
        super().__init__(
            subprocess.Popen(
                ["sh"],
                cwd=workdir,
                env=box.env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        )
        self.pid = self.process.pid
        folder = box.home / ".claude"
        self.record_path = folder / "sessions" / f"{self.pid}.json"
        self.record_path.parent.mkdir(parents=True, exist_ok=True)
        encoded = "".join(c if c.isascii() and c.isalnum() else "-" for c in str(workdir))
        self.transcripts = folder / "projects" / encoded
        self.transcripts.mkdir(parents=True, exist_ok=True)
        self._leaf: str | None = None
        self.record("idle")

    @property
    def transcript(self) -> Path:
        """The session's transcript; made by the first row."""
        return self.transcripts / f"{self.session}.jsonl"

    def do(self, command: str) -> None:
        """Have the client run a command, as its tools and monitors would."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{command}\n".encode())
        self.process.stdin.flush()

    def monitor(self) -> None:
        """Arm `attend run`, its lines coming out of this client's pipe."""
        self.do(
            f"CLAUDECODE=1 CLAUDE_PID={self.pid} '{sys.executable}' -I -S '{HOT}' run </dev/null &"
        )

    def record(self, status: str) -> None:
        """Write the client's record of its session, whole."""
        stat = Path(f"/proc/{self.pid}/stat").read_text()
        start = stat.rpartition(")")[2].split()[19]
        now = int(time.time() * 1000)
        record = {
            "pid": self.pid,
            "sessionId": self.session,
            "cwd": str(self.workdir),
            "startedAt": now,
            "procStart": start,
            "version": "2.1.328",
            "kind": "interactive",
            "entrypoint": "cli",
            "pidDomain": f"linux:0:{Path('/proc/self/ns/pid').readlink()}",
            "name": "stand-in",
            "status": status,
            "updatedAt": now,
            "statusUpdatedAt": now,
        }
        fresh = self.record_path.with_suffix(".new")
        fresh.write_text(json.dumps(record))
        fresh.replace(self.record_path)

    def clear(self) -> None:
        """Go on under a new session id, as after `/clear`."""
        self.session = str(uuid.uuid4())
        self._leaf = None
        self.record("idle")

    def row(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Append a row to the transcript and return it."""
        stamp = time.time()
        row = {
            "parentUuid": self._leaf,
            "isSidechain": False,
            "type": kind,
            "uuid": str(uuid.uuid4()),
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(stamp))
            + f".{int(stamp % 1 * 1000):03d}Z",
            "sessionId": self.session,
            "cwd": str(self.workdir),
            "version": "2.1.328",
            "userType": "external",
            "entrypoint": "cli",
            "gitBranch": "main",
            **fields,
        }
        self._leaf = row["uuid"]
        with self.transcript.open("a") as file:
            file.write(json.dumps(row) + "\n")
        return row

    def prompt(self, text: str = "hello") -> None:
        """A person's prompt: the session is busy from here on."""
        self.record("busy")
        self.row(
            "user",
            message={"role": "user", "content": text},
            origin={"kind": "human"},
            promptSource="typed",
        )

    def answer(self, tokens: int = 1000, text: str = "done", **content: Any) -> dict[str, Any]:
        """An answer of the model that brings the context to so many tokens."""
        block = content or {"type": "text", "text": text}
        usage = {
            "input_tokens": 10,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": max(0, tokens - 20),
            "output_tokens": 10,
        }
        return self.row(
            "assistant",
            message={
                "id": f"msg_{uuid.uuid4().hex[:12]}",
                "type": "message",
                "role": "assistant",
                "model": "claude-sonnet-4-5",
                "content": [block],
                "stop_reason": "end_turn",
                "usage": usage,
            },
        )

    def tool_call(self, name: str = "Bash", **tool_input: Any) -> str:
        """The model calls a tool; return the call's id."""
        call = f"toolu_{uuid.uuid4().hex[:12]}"
        self.answer(type="tool_use", id=call, name=name, input=tool_input)
        return call

    def tool_result(self, call: str) -> None:
        """The call has ended."""
        self.row(
            "user",
            message={
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": call, "content": "ok"}],
            },
        )


class Box:
    """A home of its own, and everything that runs in it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.state = home / "attend" / "state"
        (home / ".claude").mkdir(parents=True)
        keep = {
            k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "TZ", "PYTHONPATH")
        }
        self.env = keep | {
            "HOME": str(home),
            "ATTEND_HOME": str(home / "attend"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Somebody Else",
            "GIT_AUTHOR_EMAIL": "else@example.org",
            "GIT_COMMITTER_NAME": "Somebody Else",
            "GIT_COMMITTER_EMAIL": "else@example.org",
        }
        self._running: list[Reading] = []

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
        config = self.home / "attend" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text("[governor]\ngap_s = 0.0\nmax_batches = 1000\n")

    def looked(self, count: int = 1, sensor: str = "git") -> None:
        """Wait until a sensor has taken its first look for so many attached readers."""
        sql = """SELECT count(*) FROM health JOIN attachment ON attachment.id = attachment
            WHERE sensor = ? AND polled_at > attached_at AND ended_at IS NULL"""

        def enough() -> bool:
            try:
                path = f"file:{self.state}/attend.db?mode=ro"
                with closing(sqlite3.connect(path, uri=True)) as db:
                    return bool(db.execute(sql, (sensor,)).fetchone()[0] >= count)
            except sqlite3.OperationalError:  # it is only being made
                return False

        eventually(enough)

    def git(self, path: Path, *words: str) -> str:
        """Run git as somebody else would."""
        done = subprocess.run(
            ["git", *words], cwd=path, env=self.env, check=True, capture_output=True, text=True
        )
        return done.stdout

    def run(self, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run a command of the full program to its end."""
        return subprocess.run(
            [sys.executable, "-P", "-m", "attendd", *words],
            env=self.env | options.pop("env", {}),
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
        return self._start([interpreter, "-I", "-S", str(HOT), "run", *words], workdir, env)

    def daemon(self) -> Reading:
        """Start `attendd`."""
        return self._start([sys.executable, "-P", "-m", "attendd.daemon"], self.home, {})

    def _start(self, words: list[str], workdir: Path, env: dict[str, str]) -> Reading:
        reading = Reading(
            subprocess.Popen(
                words,
                cwd=workdir,
                env=self.env | env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        )
        self._running.append(reading)
        return reading

    def client(self, workdir: Path, session: str = "") -> Client:
        """Start a stand-in for Claude Code."""
        client = Client(self, workdir, session)
        self._running.append(client)
        return client

    def end(self) -> None:
        """End everything that was started here."""
        for reading in self._running:
            reading.end()


def eventually(true: Callable[[], bool], deadline_s: float = DEADLINE_S) -> None:
    """Wait until something outside is so, looking often.

    Raises:
        TimeoutError: it was not so in time.
    """
    until = time.monotonic() + deadline_s
    ticks = os.eventfd(0, os.EFD_NONBLOCK)
    try:
        with selectors.DefaultSelector() as waiting:
            waiting.register(ticks, selectors.EVENT_READ)
            while not true():
                if time.monotonic() > until:
                    raise TimeoutError
                waiting.select(0.02)
    finally:
        os.close(ticks)


@contextmanager
def boxed(home: Path) -> Iterator[Box]:
    """A `Box` that is ended and gone afterwards."""
    box = Box(home)
    try:
        yield box
    finally:
        box.end()
