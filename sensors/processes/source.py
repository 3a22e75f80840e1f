"""What the system shows of its processes, through ``/proc``; any of them may end meanwhile."""

import os
from pathlib import Path
from typing import Protocol

import msgspec

from sensors.processes.ending import Ending

PROC = Path("/proc")
_LONGEST = 65_536
_FIELDS = 20
_TTY = 4
_START = 19


class Stat(msgspec.Struct, frozen=True):
    """One process.

    Attributes:
        pid: its number.
        start: when it started, as its system counts it; with the pid it names the process.
        parent: the pid of its parent.
        name: of its program, cut by the system.
        terminal: whether it belongs to a terminal.
    """

    pid: int
    start: str
    parent: int
    name: str
    terminal: bool = False


class Source(Protocol):
    """Reads processes. What is gone, or not ours to look at, reads as nothing."""

    def pids(self) -> set[int]:
        """List all there are."""
        ...

    def stat(self, pid: int) -> Stat | None:
        """Read what a process is; ``None`` if it has ended, reaped or not."""
        ...

    def hold(self, stat: Stat) -> Ending:
        """Take hold of a process, so that its end will be known; never of another one."""
        ...

    def words(self, pid: int) -> list[str]:
        """Return its command line."""
        ...

    def folder(self, pid: int) -> str:
        """Return its current directory."""
        ...

    def variable(self, pid: int, name: str) -> str:
        """Return a variable of the environment it was started with."""
        ...

    def age_s(self, stat: Stat, now: float) -> float:
        """Return how long it has run.

        Args:
            stat: the process.
            now: seconds on the clock that counts suspend.
        """
        ...


class ProcSource:
    """The `Source` of Linux."""

    def __init__(self, proc: Path = PROC) -> None:
        self._proc = str(proc)
        self._tick_s = 1.0 / os.sysconf("SC_CLK_TCK")

    def pids(self) -> set[int]:
        """See `Source.pids`: one reading of a folder, whatever runs."""
        return {int(name) for name in os.listdir(self._proc) if name.isdecimal()}  # noqa: PTH208

    def stat(self, pid: int) -> Stat | None:
        """See `Source.stat`."""
        # The name may hold blanks and brackets; what follows its last bracket may not.
        head, _, tail = self._read(pid, "stat").rpartition(b")")
        fields = tail.split()
        if len(fields) < _FIELDS or fields[0] in (b"Z", b"X"):
            return None
        name = head.partition(b"(")[2].decode("utf-8", "replace")
        return Stat(
            pid,
            fields[_START].decode(),
            int(fields[1]),
            name,
            fields[_TTY] not in (b"0", b"-1"),
        )

    def hold(self, stat: Stat) -> Ending:
        """See `Source.hold`."""
        return Ending(stat.pid, stat.start, self._proc)

    def words(self, pid: int) -> list[str]:
        """See `Source.words`."""
        data = self._read(pid, "cmdline").rstrip(b"\0")
        return [word.decode("utf-8", "replace") for word in data.split(b"\0")] if data else []

    def folder(self, pid: int) -> str:
        """See `Source.folder`."""
        try:
            return os.readlink(f"{self._proc}/{pid}/cwd").removesuffix(" (deleted)")  # noqa: PTH115
        except OSError:
            return ""

    def variable(self, pid: int, name: str) -> str:
        """See `Source.variable`."""
        begin = f"{name}=".encode()
        for entry in self._read(pid, "environ").split(b"\0"):
            if entry.startswith(begin):
                return entry[len(begin) :].decode("utf-8", "replace")
        return ""

    def age_s(self, stat: Stat, now: float) -> float:
        """See `Source.age_s`: start times are ticks since boot."""
        return max(0.0, now - int(stat.start) * self._tick_s)

    def _read(self, pid: int, what: str) -> bytes:
        try:
            with open(f"{self._proc}/{pid}/{what}", "rb", 0) as file:  # noqa: PTH123 - cheaper
                return file.read(_LONGEST) or b""
        except OSError:
            return b""


def here() -> Source:
    """Return the source of this system.

    Raises:
        RuntimeError: it shows its processes in no way that we can read.
    """
    if (PROC / "self" / "stat").exists():
        return ProcSource()
    from sensors.processes.portable import PsutilSource  # noqa: PLC0415 - not needed elsewhere

    return PsutilSource()
