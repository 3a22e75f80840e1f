"""All sensors of one session at run time, and which of them what happens concerns."""

import asyncio
import random
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import msgspec

from attendd.api import SensorConfig, SensorType
from attendd.engine.batch import SlotView
from attendd.engine.settings import SlotShape
from attendd.host.sensing import Sensing
from attendd.store import Health

FIRST_S = 300.0
"""How soon sensors that rest look once more after their session has become idle."""
RESTING_S = 900.0
"""How long it takes at most until they look again and again after that."""

UNWATCHED_S = 45.0
"""The same, and how often clients' files are looked at, where nothing tells of a change."""

TEACHER = "disclosure"
"""Its first look is made before all others, so that what explains the lines comes before them,
however much another sensor says."""


class Sensings(dict[str, Sensing]):
    """The sensors of one session, by name.

    Attributes:
        unwatched: whether nobody is told when a path changes that they want watched.
    """

    unwatched = False
    _taught: asyncio.Event | None = None
    _rested = 0.0
    _has_rested = False

    def have(self, kind: SensorType, config: SensorConfig, wall: float) -> bool:
        """Have a sensor that is configured so, with what it knew under other settings.

        Returns:
            Whether it is new, or is configured otherwise than it was.
        """
        known = self.get(kind.name)
        if known is not None and known.config == config:
            return False
        fresh = Sensing(kind, config, wall)
        if known is not None and (state := known.snapshot()):
            fresh.restore(msgspec.json.decode(state), known.heard)
        self[kind.name] = fresh
        return True

    def shapes(self) -> dict[str, SlotShape]:
        """Return what the engine wants to know of each."""
        return {name: SlotShape.of(each.config) for name, each in self.items()}

    def snapshots(self) -> tuple[dict[str, Any], dict[str, int]]:
        """Return each one's last look, and the last telling of a hook that it knows of."""
        looks = {name: sensing.snapshot() for name, sensing in self.items()}
        return looks, {name: sensing.heard for name, sensing in self.items()}

    def restore(self, looks: Mapping[str, Any], heard: Mapping[str, int]) -> list[str]:
        """Take up what `snapshots` returned; name those that nobody woke meanwhile."""
        for name, sensing in self.items():
            sensing.restore(looks.get(name), heard.get(name, 0))
        return [n for n, each in self.items() if each.watcher is not None or each.kind.rests]

    def told(self, names: Set[str]) -> None:
        """Count a batch with lines of some of them."""
        for name in names & self.keys():
            self[name].health.told += 1

    def in_use(self) -> set[str]:
        """Name those of which something was ever told."""
        return {name for name, each in self.items() if each.health.told}

    def begin(self, due: list[str]) -> list[str]:
        """Return which are to look now, in that order; it is taken note of."""
        if TEACHER in due and TEACHER in self and not self[TEACHER].health.polled_at:
            self._taught = asyncio.Event()
        return sorted(due, key=TEACHER.__ne__)

    async def turn(self, name: str) -> None:
        """Wait, before the look of one, for the first look of the `TEACHER`, if that is due."""
        if name != TEACHER and self._taught is not None:
            await self._taught.wait()

    def ended(self, name: str) -> None:
        """Take note that the look of one has ended, well or not."""
        if name == TEACHER and self._taught is not None:
            self._taught.set()

    def rows(self, attachment: str, slots: Sequence[SlotView], ahead_s: float) -> list[Health]:
        """Return how each fares; see `Sensing.row`."""
        found = ((self.get(slot.name), slot) for slot in slots)
        return [each.row(attachment, slot, ahead_s) for each, slot in found if each]

    def looks_again(self, name: str, now: float, next_poll: float) -> float:
        """Return when a sensor looks again; see `Sensing.looks_again`."""
        return self[name].looks_again(now, next_poll, self.rested(now))

    def rested(self, now: float) -> float:
        """Return when those that rest look next: together, which costs less than in turn."""
        if self.unwatched and not now < self._rested <= now + UNWATCHED_S:
            self._rested = now + UNWATCHED_S
        elif not now < self._rested <= now + RESTING_S:
            apart = random.uniform(0.5, 1.0)  # noqa: S311 - so that sessions don't look as one
            self._rested = now + (RESTING_S * apart if self._has_rested else FIRST_S)
            self._has_rested = True
        return self._rested

    @property
    def watched(self) -> set[Path]:
        """All paths that they want watched."""
        return {path for sensing in self.values() for path in sensing.watched}

    def watching(self, paths: set[Path]) -> list[str]:
        """Name those that want one of these paths watched."""
        return [name for name, each in self.items() if not each.watched.isdisjoint(paths)]

    def arm(self, watched: Set[Path]) -> list[str]:
        """Take note of what is watched now; name those for which that is new.

        What one has come to want only since is not, and it is named once that is.
        """
        fresh = [
            name
            for name, each in self.items()
            if each.watched != each.armed and each.watched <= watched
        ]
        for name in fresh:
            self[name].armed = self[name].watched
        return fresh

    def roused(self) -> list[str]:
        """Name those that rest while the session is idle, as it begins to work."""
        self._rested, self._has_rested = 0.0, False
        return [name for name, each in self.items() if each.rests]

    def unresting(self) -> list[str]:
        """Name those of kinds that go on looking when it has become idle."""
        return [name for name, each in self.items() if not each.kind.rests]
