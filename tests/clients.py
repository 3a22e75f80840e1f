"""A pretend client: its folder as Claude Code keeps it, its processes real ones that only wait."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import msgspec

from attendd.harness import ClaudeHarness
from attendd.harness.session import ClaudeView
from attendd.hot import process
from attendd.store.figures import Stated
from tests.transcripts import START, Written

PROJECT = "/home/u/project"
FOLDER = "-home-u-project"


class Client:
    """One process of a client, and the record it keeps.

    Attributes:
        pid: the process.
        start: when it started.
        record: what its record says; written by `ClientFolder.write`.
    """

    def __init__(self, session: str, at: float) -> None:
        self._process = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
        self.pid = self._process.pid
        self.start = process.start_time(self.pid) or ""
        self.record: dict[str, Any] = {
            "pid": self.pid,
            "sessionId": session,
            "procStart": self.start,
            "cwd": PROJECT,
            "version": "2.1.328",
            "name": "project-00",
            "entrypoint": "cli",
            "kind": "interactive",
            "status": "idle",
            "statusUpdatedAt": at * 1000,
        }

    def kill(self) -> None:
        """End the process; its record stays."""
        self._process.kill()
        self._process.communicate()


def states(**more: Any) -> Stated:
    """Return what a client states in its status line: nothing but what is given."""
    nothing = dict.fromkeys(field.name for field in msgspec.structs.fields(Stated))
    return Stated(**{**nothing, "session": "one", "at": 1.0, **more})


class ClientFolder:
    """The client's folder, its processes, and an adapter on it whose clock stands still.

    Attributes:
        path: the folder.
        time: what the adapter's clock shows.
        harness: the adapter.
        clients: all processes; to be ended with `close`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.time = START
        self.harness = ClaudeHarness(path, clock=self)
        self.clients: list[Client] = []
        (path / "sessions").mkdir(parents=True)
        (path / "projects" / FOLDER).mkdir(parents=True)

    def now(self) -> float:
        """See `attendd.clock.Clock.now`."""
        return self.time

    def wall(self) -> float:
        """See `attendd.clock.Clock.wall`."""
        return self.time

    def slept(self) -> float:
        """See `attendd.clock.Clock.slept`."""
        return 0.0

    def client(self, session: str = "one") -> Client:
        """Start a process that runs a session."""
        client = Client(session, self.time)
        self.clients.append(client)
        self.write(client)
        return client

    def write(self, client: Client, **changes: Any) -> None:
        """Write a client's record, in place as it does."""
        client.record.update(changes)
        self.put(self.record_path(client), json.dumps(client.record).encode())

    def turn(self, client: Client, status: str = "busy") -> None:
        """Let a client note that it does something else from now on."""
        self.write(client, status=status, statusUpdatedAt=self.time * 1000)

    def record_path(self, client: Client) -> Path:
        """Name a client's record."""
        return self.path / "sessions" / f"{client.pid}.json"

    def transcript(self, session: str = "one") -> Path:
        """Name a session's transcript."""
        return self.path / "projects" / FOLDER / f"{session}.jsonl"

    def say(self, written: Written, session: str = "one") -> None:
        """Write a session's transcript."""
        self.put(self.transcript(session), written.data)

    def put(self, path: Path, data: bytes) -> None:
        """Write a file in place, as of now on the adapter's clock."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("r+b" if path.exists() else "wb") as file:
            file.write(data)
            file.truncate()
        os.utime(path, (self.time, self.time))

    def view(self, client: Client, transcript: str = "") -> ClaudeView:
        """Follow the session that a client runs, as looked at once."""
        session = str(client.record["sessionId"])
        view = self.harness.view(session, client.pid, client.start, PROJECT, transcript)
        view.refresh()
        return view

    def close(self) -> None:
        """End all processes."""
        for client in self.clients:
            client.kill()
