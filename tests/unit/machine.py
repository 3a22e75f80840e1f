"""A machine whose processes are set by hand, and a sensor that looks at it."""

import asyncio
from pathlib import Path
from typing import Any

from attendd.api import Command, Neighbour, Observation
from sensors.processes import ProcessesConfig, ProcessesSensor, naming
from sensors.processes.ending import Ending
from sensors.processes.source import Stat
from sensors.processes.table import Table
from tests.fakes import FakeFocus

CLIENT, OTHER = 100, 200


class FakeSource:
    """Processes that are set by hand; what is not there reads as nothing.

    Attributes:
        reads: the pids whose state was read, in order.
        lines: the pids whose command line was read, in order.
    """

    def __init__(self) -> None:
        self.running: dict[int, tuple[int, list[str], str]] = {}
        self.listed: set[int] = set()
        self.starts: dict[int, str] = {}
        self.env: dict[int, str] = {}
        self.reads: list[int] = []
        self.lines: list[int] = []
        self.now = 0.0

    def run(self, pid: int, parent: int, *words: str, folder: str = "/p") -> None:
        self.running[pid] = (parent, list(words), folder)
        self.starts[pid] = f"{self.now}"

    def pids(self) -> set[int]:
        return set(self.running) | self.listed

    def stat(self, pid: int) -> Stat | None:
        self.reads.append(pid)
        if pid not in self.running:
            return None
        parent, words, _ = self.running[pid]
        return Stat(pid, self.starts[pid], parent, words[0].rpartition("/")[2][:15])

    def hold(self, _stat: Stat) -> Ending:
        return Ending()

    def words(self, pid: int) -> list[str]:
        self.lines.append(pid)
        return self.running.get(pid, (0, [], ""))[1]

    def folder(self, pid: int) -> str:
        return self.running.get(pid, (0, [], ""))[2]

    def variable(self, pid: int, name: str) -> str:
        return self.env.get(pid, "")

    def age_s(self, stat: Stat, now: float) -> float:
        return now - float(stat.start)


class Scene:
    """A sensor, its session and the machine; a first look has been taken."""

    def __init__(self) -> None:
        self.source = FakeSource()
        self.focus = FakeFocus(Path("/p"))
        self.focus.client_pid = CLIENT
        self.focus.around = [
            Neighbour(key="o", session="0ther-session", name="Juno", pid=OTHER)
        ]
        self.source.now = self.focus.now
        self.source.run(CLIENT, 1, "claude")
        self.source.run(OTHER, 1, "claude")
        self.table = Table(self.source, naming.WATCHED)
        self.sensor = ProcessesSensor(ProcessesConfig(), self.table)
        assert self.poll() == []

    def poll(self, seconds: float = 10.0) -> list[Observation]:
        self.focus.pass_time(seconds)
        self.source.now = self.focus.now
        return list(asyncio.run(self.sensor.poll(self.focus)))

    def ran(self, text: str, **fields: Any) -> None:
        """Have the session's transcript say that it runs a command from now on."""
        self.focus.ran = [Command(text=text, started_at=self.focus.wall, **fields)]

    def end(self, pid: int) -> list[Observation]:
        del self.source.running[pid]
        return self.poll()


def said(found: list[Observation]) -> list[tuple[str, float, bool, bool]]:
    return [(each.text, each.magnitude, each.own, each.wakes) for each in found]
