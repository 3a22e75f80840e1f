"""What the real client wrote (``fixtures/claude-code``), laid out again as it stood at a moment."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attendd.harness import ClaudeHarness
from attendd.harness.session import ClaudeView
from attendd.hot import process
from attendd.model import Gauge

ROOT = Path(__file__).parents[1] / "fixtures" / "claude-code"
VERSIONS = ("2.1.197", "2.1.328")
PROJECT = "-home-u-project"


class Recorded:
    """One recorded scenario, played forward step by step into a client's folder.

    A process that stands for each of the recorded clients lives from the first step on, and the
    records name it. To be closed.

    Attributes:
        moment: the time of the step that was laid out last; the adapter's clock.
        harness: an adapter on that folder.
        steps: label to what stood then.
        clients: the processes, in the order in which the real ones were started.
    """

    def __init__(self, version: str, scenario: str, folder: Path) -> None:
        self.source = ROOT / version / scenario
        self.folder = folder
        self.moment = 0.0
        self.steps: dict[str, Any] = {}
        for step in json.loads((self.source / "steps.json").read_text()):
            self.steps.setdefault(step["label"], step)
        self.harness = ClaudeHarness(folder, clock=self)
        (folder / "sessions").mkdir(parents=True)
        records = [r for step in self.steps.values() for r in step["records"].values()]
        pids = sorted({r["pid"] for r in records}, key=lambda pid: began(records, pid))
        self.clients = [
            subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
            for _ in pids
        ]
        self._stands_for = dict(zip(pids, self.clients, strict=True))
        self._starts = {c.pid: process.start_time(c.pid) or "" for c in self.clients}

    def close(self) -> None:
        """End what stands for the clients."""
        for client in self.clients:
            client.kill()
            client.communicate()

    def now(self) -> float:
        """See `attendd.clock.Clock.now`."""
        return self.moment

    def wall(self) -> float:
        """See `attendd.clock.Clock.wall`."""
        return self.moment

    def slept(self) -> float:
        """See `attendd.clock.Clock.slept`."""
        return 0.0

    def lines(self, name: str) -> list[bytes]:
        """Return all rows of a transcript."""
        return (self.source / name).read_bytes().splitlines()

    def main(self) -> str:
        """Return the name of the transcript of the first session."""
        first = next(iter(self.steps.values()))["records"].values()
        return f"{next(iter(first))['sessionId']}.jsonl"

    def play(self, label: str) -> None:
        """Lay everything out as it stood at a step."""
        step = self.steps[label]
        self.moment = step["at"]
        written = set()
        for record in step["records"].values():
            pid = self._stands_for[record["pid"]].pid
            path = self.folder / "sessions" / f"{pid}.json"
            here = {"pid": pid, "procStart": self._starts[pid]}
            record.pop("pidDomain", None)
            self._put(path, json.dumps({**record, **here}).encode())
            written.add(path)
        for path in set((self.folder / "sessions").iterdir()) - written:
            path.unlink()
        for name, count in step["lines"].items():
            rows = b"".join(line + b"\n" for line in self.lines(name)[:count])
            self._put(self.folder / "projects" / PROJECT / name, rows)

    def view(self, number: int = 0) -> ClaudeView:
        """Follow the session that a client ran when it first shows in the steps."""
        client = self.clients[number]
        recorded = next(pid for pid, c in self._stands_for.items() if c is client)
        first = next(
            record
            for step in self.steps.values()
            for record in step["records"].values()
            if record["pid"] == recorded
        )
        start = self._starts[client.pid]
        return self.harness.view(first["sessionId"], client.pid, start, first["cwd"])

    def _put(self, path: Path, data: bytes) -> None:
        """Write a file as the client does, in place; one that is as it was stays untouched."""
        old = path.read_bytes() if path.is_file() else b""
        if old == data:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        grows = bool(old) and data.startswith(old)
        with path.open("ab" if grows else "wb") as file:
            file.write(data[len(old) :] if grows else data)
        os.utime(path, (self.moment, self.moment))


def began(records: list[dict[str, Any]], pid: int) -> float:
    return min(float(record["startedAt"]) for record in records if record["pid"] == pid)


Play = Callable[..., Recorded]
"""Lays a scenario out; the release is the one under test unless named."""


def measured(view: ClaudeView) -> Gauge:
    view.refresh()
    gauge = view.gauge()
    assert gauge is not None
    return gauge


def usages(recorded: Recorded, name: str, label: str) -> list[int]:
    """Sum up, independently of the adapter, what each answer up to a step took."""
    found: dict[str, int] = {}
    for line in recorded.lines(name)[: recorded.steps[label]["lines"].get(name, 0)]:
        row: dict[str, Any] = json.loads(line)
        message = row.get("message", {})
        if row["type"] == "assistant" and message["model"] != "<synthetic>":
            found[message["id"]] = sum(
                message["usage"][f"{kind}_tokens"]
                for kind in ("input", "output", "cache_creation_input", "cache_read_input")
            )
    return list(found.values())
