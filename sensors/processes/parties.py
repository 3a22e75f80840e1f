"""Whom builds concern: the attended sessions, by their folder and their client."""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

Concern = frozenset[str | int]
"""The directories of sessions that something concerns, and the pids of their clients."""


class Party(NamedTuple):
    """An attended session.

    Attributes:
        workdir: its directory.
        client: the process of its client; ``None`` without one.
        is_here: tells whether a directory belongs to its project.
        wake: has its sensor look at once.
    """

    workdir: str
    client: int | None
    is_here: Callable[[str], bool]
    wake: Callable[[], None]

    @property
    def concern(self) -> Concern:
        """What is meant by this one alone."""
        return frozenset(
            (self.workdir,) if self.client is None else (self.workdir, self.client)
        )


class Parties:
    """The attended sessions whose sensors share a table, for as long as those are there."""

    def __init__(self) -> None:
        self._all: WeakKeyDictionary[object, Party] = WeakKeyDictionary()

    def take(self, who: object, party: Party) -> bool:
        """Take note of one; tell whether anything concerns it that concerned nobody."""
        if (known := self._all.get(who)) is not None and known.concern == party.concern:
            new = False
        else:
            new = not party.concern <= self.now().concern
        self._all[who] = party
        return new

    def of(self, who: object) -> Concern:
        """Return what is meant by one."""
        party = self._all.get(who)
        return party.concern if party else frozenset()

    def now(self) -> "Present":
        """Return those that are there now; may be asked in another thread."""
        return Present(list(self._all.values()))

    def wake_one(self, who: object) -> None:
        """Have the sensor of one look."""
        if (party := self._all.get(who)) is not None:
            party.wake()

    def wake(self, concern: Concern) -> None:
        """Have the sensors of those look that something concerns."""
        for party in list(self._all.values()):
            if party.concern & concern:
                party.wake()


class Present:
    """The attended sessions of one moment.

    Attributes:
        clients: the processes of their clients.
        concern: all that is meant by them.
    """

    def __init__(self, parties: Collection[Party]) -> None:
        self.concern = frozenset(each for party in parties for each in party.concern)
        self.clients = frozenset(each.client for each in parties if each.client is not None)
        self._places = {each.workdir: each.is_here for each in parties}

    def concerned(self, folder: str, above: Sequence[int]) -> Concern:
        """Return whom a process concerns.

        Args:
            folder: where it works.
            above: pids of its ancestors.
        """
        here = (path for path, is_here in self._places.items() if folder and is_here(folder))
        return frozenset((*here, *self.clients.intersection(above)))
