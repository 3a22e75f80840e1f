"""A machine whose processes are set by hand."""

from sensors.processes.source import Stat


class FakeSource:
    """Processes that are set by hand; what is not there reads as nothing.

    Attributes:
        reads: the pids whose state was read, in order.
    """

    def __init__(self) -> None:
        self.running: dict[int, tuple[int, list[str], str]] = {}
        self.listed: set[int] = set()
        self.starts: dict[int, str] = {}
        self.env: dict[int, str] = {}
        self.reads: list[int] = []
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

    def words(self, pid: int) -> list[str]:
        return self.running.get(pid, (0, [], ""))[1]

    def folder(self, pid: int) -> str:
        return self.running.get(pid, (0, [], ""))[2]

    def variable(self, pid: int, name: str) -> str:
        return self.env.get(pid, "")

    def age_s(self, stat: Stat, now: float) -> float:
        return now - float(stat.start)
