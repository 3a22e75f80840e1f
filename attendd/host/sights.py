"""Those that run, as of one look, in the eyes of each that is attended. Pure.

What they have in common is made once for all of a project, and what turned is noted once, so
that a change costs each of them little, however many they are.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import msgspec

from attendd.harness import LiveSession
from attendd.host.places import Place
from attendd.model import Neighbour
from attendd.store.around import Known

_MOST = 256
"""So many turns are remembered: each is asked about at once."""


class Runs(msgspec.Struct, frozen=True):
    """A session that runs now.

    Attributes:
        neighbour: as everybody may know it; what depends on who looks is not filled in.
        live: what its client says of it; ``None`` where there is no client.
        known: what attend knows of it.
        place: where it works.
        moved_at: when it came there from another project, wall clock; ``None``: it began there,
            as far as is known.
    """

    neighbour: Neighbour
    live: LiveSession | None
    known: Known
    place: Place
    moved_at: float | None = None


class Eyes(NamedTuple):
    """All of a session on which depends how it sees the others.

    Attributes:
        session: its id.
        client: its client's process, by pid and start time; ``None`` without one.
        project: the key of its project.
        worktree: the top of its work tree.
        channels: names of those it is in.
    """

    session: str
    client: tuple[int, str] | None
    project: str
    worktree: str
    channels: frozenset[str]


class Sights:
    """Who runs, and who turned since when.

    Attributes:
        runs: those that run.
        version: how often that has changed.
    """

    def __init__(self) -> None:
        """Begin with nobody."""
        self.runs: Sequence[Runs] = ()
        self.version = 0
        self._above: Mapping[str, frozenset[tuple[int, str]]] = {}
        self._parents: Collection[tuple[int, str]] = ()
        self._turns: list[tuple[int, Runs | None, Runs | None]] = []
        self._forgotten = 0
        self._shared: dict[tuple[str, str, frozenset[str]], list[Neighbour]] = {}

    def take(
        self, runs: Sequence[Runs], above: Mapping[str, frozenset[tuple[int, str]]]
    ) -> None:
        """Take in a look.

        Args:
            runs: those that run.
            above: the ancestors of their clients, by pid and start time, by their keys.
        """
        if runs == self.runs:
            return
        before = {each.neighbour.key: each for each in self.runs}
        after = {each.neighbour.key: each for each in runs}
        self.version += 1
        for key in before.keys() | after.keys():
            was, is_now = before.get(key), after.get(key)
            if was != is_now:
                self._turns.append((self.version, was, is_now))
        if len(self._turns) > _MOST:
            self._forgotten = self._turns[-_MOST - 1][0]
            del self._turns[:-_MOST]
        self.runs, self._above = runs, above
        self._parents = frozenset().union(*above.values())
        self._shared.clear()

    def of(self, eyes: Eyes) -> tuple[Neighbour, ...]:
        """List the neighbours of a session, the one that came first at the top."""
        own = None if eyes.client is None else "{}:{}".format(*eyes.client)
        found = [
            each
            for each in self._seen(eyes.project, eyes.worktree, eyes.channels)
            if each.session != eyes.session and each.key != own
        ]
        if eyes.client in self._parents:
            found = [
                msgspec.structs.replace(each, own=eyes.client in self._above.get(each.key, ()))
                for each in found
            ]
        return tuple(found)

    def turned(self, eyes: Eyes, since: int) -> bool:
        """Tell whether a session sees anybody come, go or turn since a version."""
        if since < self._forgotten:
            return True
        for version, was, is_now in reversed(self._turns):
            if version <= since:
                break
            if _gist(was, eyes) != _gist(is_now, eyes):
                return True
        return False

    def _seen(self, project: str, worktree: str, channels: frozenset[str]) -> list[Neighbour]:
        """List all whom one sees that works there and is in these channels, itself included."""
        key = (project, worktree, channels)
        if key not in self._shared:
            self._shared[key] = [
                msgspec.structs.replace(each, beside=True)
                if each.here and each.worktree == worktree
                else each
                for each in self._of_project(project, channels)
            ]
        return self._shared[key]

    def _of_project(self, project: str, channels: frozenset[str]) -> list[Neighbour]:
        key = (project, "", channels)
        if key not in self._shared:
            found = [
                _seen(run, project, channels)
                for run in self.runs
                if run.place.project == project or channels & run.known.channels.keys()
            ]
            self._shared[key] = sorted(found, key=lambda each: (each.came_at or 0.0, each.key))
        return self._shared[key]


def _seen(run: Runs, project: str, channels: frozenset[str]) -> Neighbour:
    """Fill in what depends on the project and the channels of who looks."""
    here = bool(project) and run.place.project == project
    shared = {name: at for name, at in run.known.channels.items() if name in channels}
    came_at = run.neighbour.came_at
    moved = here and run.moved_at is not None
    if moved:
        came_at = run.moved_at
    if not here and shared:
        came_at = max(came_at or 0.0, min(shared.values()))
    return msgspec.structs.replace(
        run.neighbour, here=here, channels=tuple(sorted(shared)), came_at=came_at, moved=moved
    )


def _gist(run: Runs | None, eyes: Eyes) -> tuple[object, ...] | None:
    """Return what of one counts as another sight of it; ``None`` of one that is not seen."""
    if run is None or run.neighbour.session == eyes.session:
        return None
    if run.live is not None and eyes.client == (run.live.pid, run.live.start):
        return None
    here = run.place.project == eyes.project
    shared = eyes.channels & run.known.channels.keys()
    if not here and not shared:
        return None
    return (run.neighbour.session, run.neighbour.status, here, shared)
