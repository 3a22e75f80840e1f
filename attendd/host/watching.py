"""What the host watches, and whom it looks at when something there has changed."""

import math
from collections.abc import Callable
from pathlib import Path

from attendd.harness import Harness
from attendd.host.neighbours import Neighbourhood
from attendd.host.roster import Roster
from attendd.loop import Loop
from attendd.watch import Watcher


class Watching:
    """The files of clients, and the paths that sensors name.

    Order counts: first a path is watched, then it is looked at once more, and a look that
    began before a change does not count for it. So no change goes by unseen.
    """

    def __init__(
        self,
        loop: Loop,
        roster: Roster,
        harness: Harness,
        hood: Neighbourhood,
        fared: Callable[[str], None],
    ) -> None:
        """Watch nothing yet.

        Args:
            loop: wakes whom a change concerns.
            roster: who is attended.
            harness: knows where clients write down what they do.
            hood: what is remembered of their neighbours.
            fared: told why nothing can be watched, empty while all is well.
        """
        self._loop = loop
        self._roster = roster
        self._harness = harness
        self._hood = hood
        self._fared = fared
        self._watcher = Watcher()
        self._wanted: set[Path] = set()
        self._fresh = False
        loop.every("armed", self._armed, math.inf)

    async def run(self) -> None:
        """Watch until cancelled."""
        await self._watcher.run(self._changed)

    def renew(self) -> None:
        """Watch what is wanted now."""
        wanted: set[Path] = set(self._harness.watch_paths())
        for member in self._roster.reading():
            wanted |= member.attended.sensings.watched
        if wanted != self._wanted:
            self._wanted, self._fresh = wanted, True
            self._watcher.set_paths(wanted)
        self._loop.wake("armed")

    def look(self) -> None:
        """Tell how watching fares."""
        self._fared(self._watcher.failed)

    def _changed(self, paths: set[Path]) -> None:
        if paths & set(self._harness.watch_paths()):
            self._look_at_clients()
        for member in self._roster.reading():
            member.attended.changed_at(paths)

    async def _armed(self, _now: float) -> float | None:
        """Once paths are watched, look at what changed since the last look at them."""
        watched = await self._watcher.settled()
        self.look()
        if self._fresh:
            self._fresh = False
            self._look_at_clients()
        for member in self._roster.reading():
            member.attended.armed(watched)
        return None

    def _look_at_clients(self) -> None:
        self._hood.stale()
        for member in self._roster.reading():
            member.attended.client.stale()
        self._loop.wake("clients")
        self._loop.wake("neighbours")
