"""Who else is here: looked up once for all attended sessions, and again on every change.

Clients say so in files whose folder is watched; that one was killed is told by its pidfd. So a
look is seldom, and a session whose surroundings did not change is not bothered.
"""

import asyncio
import math
import os
from collections.abc import Callable

import anyio
import anyio.to_thread
import msgspec

from attendd.clock import Clock
from attendd.harness import Harness, LiveSession
from attendd.host.places import Place, Places
from attendd.host.sights import Eyes, Runs, Sights
from attendd.hot import persona, process
from attendd.model import Neighbour
from attendd.store import Store
from attendd.store.around import Known, Reader

_FRESH_S = 25.0
"""How old a look may grow while nothing is heard of a change."""
_UNHEARD_S = 1.0
"""The same where nothing can be heard: once for all who look at the same moment."""
_PRINT = "sdk-cli"
_NOBODY = Known(session="", name="", project="", workdir="")


class Neighbourhood:
    """All sessions that run now, and how each attended one sees them.

    Attributes:
        sights: those sessions, as of the last look.
        watched: whether it would be heard of a change; else a look stands for a moment only.
    """

    def __init__(
        self, harness: Harness, store: Store, clock: Clock, changed: Callable[[], None]
    ) -> None:
        """Begin without having looked.

        Args:
            harness: knows the clients' sessions.
            store: knows what they are called.
            clock: the time.
            changed: called when a client was killed, so that it is worth looking again.
        """
        self._harness = harness
        self._store = store
        self._clock = clock
        self._changed = changed
        self.watched = True
        self._looking = anyio.Lock()
        self._looked_at = -math.inf
        self._changes = 0
        self.sights = Sights()
        self._known: dict[str, Known] = {}
        self._clients: dict[str, LiveSession] = {}
        self._pidfds: dict[str, int] = {}
        self._places = Places(clock)
        self._ancestors: dict[str, frozenset[tuple[int, str]]] = {}

    def stale(self) -> None:
        """Let the next question be answered by a new look."""
        self._looked_at = -math.inf
        self._changes += 1

    async def around(
        self, session: str, client: tuple[int, str] | None, workdir: str
    ) -> tuple[Neighbour, ...]:
        """List the neighbours of a session; see `eyes`."""
        return self.sights.of(await self.eyes(session, client, workdir))

    async def eyes(self, session: str, client: tuple[int, str] | None, workdir: str) -> Eyes:
        """Tell how a session sees the others, after a look where the last one is old.

        Args:
            session: its id now.
            client: its client's process, by pid and start time; ``None`` without one.
            workdir: its directory.

        Raises:
            StoreError: the store can't be read.
        """
        async with self._looking:
            fresh_s = _FRESH_S if self.watched else _UNHEARD_S
            if not 0 <= self._clock.now() - self._looked_at < fresh_s:
                await self._look()
        home, channels = self._places.of(workdir), frozenset(self._own(session).channels)
        return Eyes(session, client, home.project, home.worktree, channels)

    def elsewhere(self, key: str) -> Neighbour | None:
        """Return a session that runs, wherever that is, as of the last look."""
        found = (run.neighbour for run in self.sights.runs if run.neighbour.key == key)
        return next((msgspec.structs.replace(each, here=False) for each in found), None)

    def place(self, workdir: str) -> Place:
        """Tell where a directory lies, as of a minute ago at most."""
        return self._places.of(workdir)

    def close(self) -> None:
        """Stop watching processes."""
        for key in list(self._pidfds):
            self._unwatch(key)

    # -- one look -------------------------------------------------------------------

    async def _look(self) -> None:
        began, changes = self._clock.now(), self._changes
        clients = await anyio.to_thread.run_sync(self._find)
        readers = [each for each in self._store.around.readers() if _reads(each)]
        ids = [each.session for each in clients.values()] + [each.session for each in readers]
        self._known = known = self._store.around.known(ids)
        self._clients = clients
        before = {run.neighbour.key: run for run in self.sights.runs}
        runs = [
            *(self._client(key, live, known, before.get(key)) for key, live in clients.items()),
            *(self._declared(reader, known) for reader in readers),
        ]
        self.sights.take(runs, self._ancestors)
        self._watch(clients)
        self._places.forget()
        if changes == self._changes:
            self._looked_at = began

    def _find(self) -> dict[str, LiveSession]:
        """List the live sessions; who was there stays until it is known to have ended."""
        found = {_key(each): each for each in self._harness.live(find=False)}
        for key, each in self._clients.items():
            if key not in found and not self._harness.ended(each):
                found[key] = each
        for key, each in found.items():
            if key not in self._ancestors:
                above = process.ancestors(each.pid)
                self._ancestors[key] = frozenset((pid, start) for pid, start, _ in above)
            self._places.of(each.cwd)
        self._ancestors = {key: self._ancestors[key] for key in found}
        return found

    def _own(self, session: str) -> Known:
        if session not in self._known:  # one at a terminal, or one that has just come
            self._known |= {session: _NOBODY} | self._store.around.known([session])
        return self._known[session]

    def _client(
        self, key: str, live: LiveSession, known: dict[str, Known], before: Runs | None
    ) -> Runs:
        person = known.get(live.session, _NOBODY)
        place = self._places.of(live.cwd)
        neighbour = Neighbour(
            key=key,
            session=live.session,
            name=person.name,
            place=persona.place(place.project),
            worktree=place.worktree,
            branch=place.branch,
            status=live.status,
            since=live.since,
            came_at=self._started_at(live.start),
            headless=live.entrypoint == _PRINT,
            pid=live.pid,
        )
        moved_at = before.moved_at if before else None
        if before and before.live and before.live.cwd != live.cwd:
            moved = before.place.project != place.project
            moved_at = self._clock.wall() if moved else moved_at
        return Runs(neighbour, live, person, place, moved_at)

    def _declared(self, reader: Reader, known: dict[str, Known]) -> Runs:
        person = known.get(reader.session, _NOBODY)
        place = self._places.of(person.workdir)
        neighbour = Neighbour(
            key=reader.session,
            session=reader.session,
            name=person.name,
            place=persona.place(place.project),
            worktree=place.worktree,
            branch=place.branch,
            came_at=reader.attached_at,
        )
        return Runs(neighbour, None, person, place)

    def _started_at(self, start: str) -> float | None:
        """Turn a process's start time into wall time, where it is in ticks since boot.

        It is rounded so that it is the same at the next look.
        """
        if not start.isdecimal():
            return None
        ago = self._clock.now() - int(start) / os.sysconf("SC_CLK_TCK")
        return round(self._clock.wall() - ago, 1)

    # -- ends that no file tells of ----------------------------------------------------

    def _watch(self, clients: dict[str, LiveSession]) -> None:
        for key in self._pidfds.keys() - clients.keys():
            self._unwatch(key)
        for key in clients.keys() - self._pidfds.keys():
            pidfd = process.open_pidfd(clients[key].pid, clients[key].start)
            if pidfd is not None:
                self._pidfds[key] = pidfd
                asyncio.get_running_loop().add_reader(pidfd, self._ended, key)
            elif self._harness.ended(clients[key]):  # since it was seen just now
                self._look_again()

    def _ended(self, key: str) -> None:
        self._unwatch(key)
        self._look_again()

    def _look_again(self) -> None:
        self.stale()
        self._changed()

    def _unwatch(self, key: str) -> None:
        pidfd = self._pidfds.pop(key)
        asyncio.get_running_loop().remove_reader(pidfd)
        os.close(pidfd)


def _key(live: LiveSession) -> str:
    return f"{live.pid}:{live.start}"


def _reads(reader: Reader) -> bool:
    """Whether a reader may live: one that can't be seen from here is no news when it goes."""
    return process.alive(reader.pid, reader.start, reader.pidns, reader.boot) is True
