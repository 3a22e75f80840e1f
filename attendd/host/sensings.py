"""All sensors of one session at run time, and which of them what happens concerns."""

from pathlib import Path

from attendd.host.sensing import Sensing

RESTING_S = 600.0
"""How often sensors that rest while their session is idle look all the same."""


class Sensings(dict[str, Sensing]):
    """The sensors of one session, by name."""

    _rested = 0.0

    def looks_again(self, name: str, now: float, next_poll: float) -> float:
        """Return when a sensor looks again; see `Sensing.looks_again`."""
        return self[name].looks_again(now, next_poll, self.rested(now))

    def rested(self, now: float) -> float:
        """Return when those that rest look next: together, which costs less than in turn."""
        if not now < self._rested <= now + RESTING_S:
            self._rested = now + RESTING_S
        return self._rested

    @property
    def watched(self) -> set[Path]:
        """All paths that they want watched."""
        return {path for sensing in self.values() for path in sensing.watched}

    def watching(self, paths: set[Path]) -> list[str]:
        """Name those that want one of these paths watched."""
        return [name for name, each in self.items() if not each.watched.isdisjoint(paths)]

    def arm(self) -> list[str]:
        """Take note that what they want is watched now; name those for which that is new."""
        fresh = [name for name, each in self.items() if each.watched != each.armed]
        for name in fresh:
            self[name].armed = self[name].watched
        return fresh

    def resting(self) -> list[str]:
        """Name those that rest while the session is idle."""
        return [name for name, each in self.items() if each.rests]

    def unresting(self) -> list[str]:
        """Name those of kinds that go on looking when it has become idle."""
        return [name for name, each in self.items() if not each.kind.rests]
