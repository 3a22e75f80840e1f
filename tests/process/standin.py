"""A shell that stands in for Claude Code."""

import json
import subprocess
import time
import uuid
from pathlib import Path
from typing import Any

from tests.process.reading import Reading

ROOT = Path(__file__).resolve().parents[2]
LAUNCHER = ROOT / "bin" / "attend"
HOT = ROOT / "attendd" / "hot" / "main.py"
HOOK = ("hook", "--within=20")
"""A hook with time enough on a busy machine."""
HURRIED = ("hook", "--within=1")
"""One that gives up soon, yet not before it has come to what it can't have."""


class Client(Reading):
    """A shell that stands in for Claude Code: its record, its transcript, its children."""

    def __init__(
        self, home: Path, env: dict[str, str], workdir: Path, session: str = "", words: str = ""
    ) -> None:
        """Start it.

        Args:
            home: the person's.
            env: its environment.
            workdir: the session's directory.
            session: the session's id; empty: a new one.
            words: of its command line.
        """
        self.home = home
        self.env = env
        self.workdir = workdir
        self.session = session or str(uuid.uuid4())
        super().__init__(
            subprocess.Popen(
                ["sh", "-s", "--", *words.split()],
                cwd=workdir,
                env=env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        )
        self.pid = self.process.pid
        folder = home / ".claude"
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

    def monitor(self, interpreter: str = "", before: str = "") -> None:
        """Arm `attend run`, its lines coming out of this client's pipe.

        Args:
            interpreter: what runs it; empty: what its launcher finds.
            before: a shell's words that run a command line; empty runs it as it is.
        """
        named = f"CLAUDECODE=1 CLAUDE_PID={self.pid}"
        program = f"'{interpreter}' -I -S '{HOT}'" if interpreter else f"'{LAUNCHER}'"
        self.do(f"{named} {before} {program} run </dev/null &")

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
            "pidDomain": f"linux:{machine_id()}:{Path('/proc/self/ns/pid').readlink()}",
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

    def row(self, kind: str, at: float | None = None, **fields: Any) -> dict[str, Any]:
        """Append a row to the transcript, made at a moment or now, and return it."""
        stamp = time.time() if at is None else at
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

    def answer(
        self, tokens: int = 1000, text: str = "done", at: float | None = None, **content: Any
    ) -> dict[str, Any]:
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
            at,
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


def machine_id() -> str:
    """Return what the system calls this machine, as the client would."""
    path = Path("/etc/machine-id")
    return path.read_text().strip() if path.exists() else "0" * 32
