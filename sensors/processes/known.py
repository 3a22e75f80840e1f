"""Which processes were read already, and who started which.

A process is read at the first looks that find it, and never again.
"""

from collections.abc import Sequence

from sensors.processes import naming
from sensors.processes.source import Source, Stat

_YOUNG = 2
"""At so many looks a process is read: between fork and exec it has its parent's name."""
_FARTHEST = 64


class Known:
    """The processes of this machine, each with what was read of it.

    Attributes:
        pids: those of the last look.
    """

    def __init__(self, source: Source, watched: Sequence[str]) -> None:
        """Begin without having looked.

        Args:
            source: reads processes.
            watched: what counts as a build; see `naming.WATCHED`.
        """
        self.pids: set[int] = set()
        self._source = source
        self._watched = watched
        self._read: dict[int, tuple[Stat, int]] = {}

    def look(self) -> None:
        """See which processes there are."""
        self.pids = self._source.pids()
        for gone in self._read.keys() - self.pids:
            del self._read[gone]

    def new(self) -> list[Stat]:
        """Read those that are new, and return those whose names may be a build's."""
        found = []
        for pid in sorted(self.pids):
            times = self._read[pid][1] if pid in self._read else 0
            if times >= _YOUNG:
                continue
            stat = self._source.stat(pid)
            if stat is not None:
                self._read[pid] = (stat, times + 1)
                if naming.may_interest(stat.name, self._watched):
                    found.append(stat)
        return found

    def forget(self, pid: int) -> None:
        """Read it again: its number may have been used again."""
        self._read.pop(pid, None)

    def above(self, stat: Stat) -> tuple[int, ...]:
        """Return the pids of a process's ancestors, nearest first."""
        found: list[int] = []
        at = stat.parent
        while at > 1 and at not in found and len(found) < _FARTHEST:
            found.append(at)
            above = self._stat(at)
            at = above.parent if above else 0
        return tuple(found)

    def called(self, pid: int) -> str:
        """Return what to call the build that a process is; ``''`` if it is none."""
        stat = self._stat(pid)
        if stat is None or not naming.may_interest(stat.name, self._watched):
            return ""
        return naming.called(self._source.words(pid), self._watched)

    def _stat(self, pid: int) -> Stat | None:
        known = self._read.get(pid)
        return known[0] if known else self._source.stat(pid)
