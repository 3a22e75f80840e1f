"""Whatever a host dies at, the next one tells what was not told, and nothing once more."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from attendd import registry
from attendd.api import Component, Focus, Observation, SensorConfig, SensorType
from attendd.config import LiveConfig
from attendd.errors import StoreError
from attendd.harness import NoView
from attendd.host.attended import Attended
from attendd.host.books import Books
from attendd.host.client import Client
from attendd.host.desk import Desk
from attendd.host.outlet import StoreOutlet
from attendd.hot import db as hot
from attendd.hot import hooked, ledger, process
from attendd.store import Store
from attendd.store.checkpoints import Checkpoints
from attendd.store.journal import Journal
from attendd.store.link import Link
from attendd.store.outbox import Outbox
from sensors import disclosure
from tests.fakes_clock import SimClock
from tests.store import fresh

pytestmark = pytest.mark.asyncio
T = TypeVar("T")
Ways = tuple[str, ...]
"""Where those who show lines to the session take them from."""
LESSON = Component(id="messaging", text="how to answer", order=10)
ALL = Counter(["how to answer", *(f"event {number}" for number in range(4))])
READER = "a1"
READS: Ways = (READER,)
HOOKS: Ways = (hooked.ready(READER), hooked.riding(READER))
EVENTS = {1: 1, 2: 2, 5: 1}
"""How many things happen in which round."""
ROUNDS = 10
ROUND_S = 150.0
SHORT = range(2, 5)
"""Rounds in which nobody takes what was told; it does not grow stale meanwhile."""
LONG = range(6)
"""Here it does."""


class Died(BaseException):
    """The host is no more."""


class Life:
    """Ends at one of its steps; each write to the store is one before it and one after."""

    def __init__(self, end: int, refused: int = -1) -> None:
        self.steps = 0
        self._end = end
        self._refused = refused

    def step(self, *, before: bool) -> None:
        self.steps += 1
        if self.steps == self._end:
            raise Died
        if before and self.steps == self._refused:
            raise StoreError("there is no room")


class MortalLink(Link):
    """A hold on a store for as long as its host lives."""

    def __init__(self, path: str, life: Life) -> None:
        super().__init__(path)
        self._life = life

    def write(self, work: Callable[[hot.Connection], T]) -> T:
        self._life.step(before=True)
        done = super().write(work)
        self._life.step(before=False)
        return done


class World:
    """Things that happen, a sensor that counts them, and a session that is told."""

    def __init__(self, home: Path, asleep: range, ways: Ways) -> None:
        self.clock = SimClock()
        self.happened = 0
        self.lines: list[str] = []
        self.hosts = 0
        self._home = home
        self._path = fresh.store(home / "attend.db")
        self._asleep = asleep
        self._ways = ways
        self._round = 0
        self._reading = Store(self._path)

    async def pass_by(self, end: int, refused: int = -1) -> bool:
        """Let all rounds pass, the first host until its end; tell whether it came to that."""
        life = Life(end, refused)
        died = True
        try:
            await self._host(life)
            died = False
        except Died:
            await self._host(Life(0))
        self._reading.close()
        return died

    async def _host(self, life: Life) -> None:
        store = self._store(life)
        kinds = {kind.name: kind for kind in [self._kind(), *disclosure.attend_sensors()]}
        outlet = StoreOutlet(
            store,
            Journal(self._home / "journal.db"),
            registry.load([]),
            self.clock,
            lambda: None,
        )
        client = Client(self._home, NoView("s1"), self.clock, store.figures.of)
        attended = Attended(READER, client, self.clock, outlet, [LESSON])
        attended.configure(LiveConfig(kinds).current(), kinds)
        attended.desk = Desk(store, self.clock, READER, ["messaging"])
        attended.desk.only = READER not in self._ways
        books = Books(store, self.clock, lambda: None)
        outlet.reads(READER, str(self._home / "nobody"))
        try:
            self._restore(books, attended)
            while self._round < ROUNDS:
                await self._look(attended)
                books.save(attended)
                self._next()
        finally:
            store.close()

    def _restore(self, books: Books, attended: Attended) -> None:
        try:
            books.restore(attended)
        except StoreError:  # a host tries that again
            books.restore(attended)

    async def _look(self, attended: Attended) -> None:
        for name in attended.due(self.clock.now()):
            await attended.poll(name)
        attended.settle(self.clock.now())

    def _next(self) -> None:
        if self._round not in self._asleep:
            self._show()
        self._round += 1
        self.happened += EVENTS.get(self._round, 0)
        self.clock.suspend(ROUND_S)

    def _show(self) -> None:
        boot, now = process.boot_id(), self.clock.now()
        for place in self._ways:
            found = self._reading.call(
                lambda db, place=place: ledger.claim(db, place, "s1", boot, now, 9)  # type: ignore[misc]
            )
            ids = [delivery for delivery, *_ in found]
            self._reading.call(lambda db, ids=ids: ledger.offered(db, ids, "x", 1.0))  # type: ignore[misc]
            self.lines += [line for _, text, _ in found for line in text.splitlines()]

    def _store(self, life: Life) -> Store:
        store, link = Store(self._path), MortalLink(self._path, life)
        store.outbox, store.checkpoints = Outbox(link), Checkpoints(link)
        return store

    def _kind(self) -> SensorType:
        def build(_config: SensorConfig) -> Counting:
            return Counting(self)

        return SensorType("counting", "counts", SensorConfig, build)


class Counting:
    """Tells of each thing that happened, of every other with low priority."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._seen = 0

    async def poll(self, _focus: Focus) -> Sequence[Observation]:
        first, self._seen = self._seen, self._world.happened
        return [
            Observation(text=f"event {number}", magnitude=5.0 if number % 2 else 2.0)
            for number in range(first, self._seen)
        ]

    def snapshot(self) -> Any:
        return self._seen

    def restore(self, state: Any) -> None:
        self._seen = int(state)


def told(world: World) -> Counter[str]:
    said = "\n".join(world.lines)
    return Counter(re.findall(r"event \d+|how to answer", said))


async def deaths(
    home: Path, asleep: range, ways: Ways = READS, *, refused: bool = False
) -> list[Counter[str]]:
    """Return what was told in the end, for each step that a host can die at."""
    (home / "config.toml").write_text("[governor]\ngap_s = 0.0\nmax_batches = 1000\n")
    found: list[Counter[str]] = []
    died = True
    while died:
        end = len(found) + 1
        folder = home / str(end)
        folder.mkdir()
        world = World(folder, asleep, ways)
        died = await world.pass_by(end, end - 2 if refused else -1)
        found.append(told(world))
    assert len(found) > 10
    return found


@pytest.mark.parametrize(
    ("ways", "refused"),
    [(READS, False), (HOOKS, False), (READS + HOOKS, False), (READS + HOOKS, True)],
    ids=["reader", "hooks", "both", "both, after it was refused a write"],
)
async def test_a_host_may_die_between_any_two_steps(
    user: Path, ways: Ways, *, refused: bool
) -> None:
    for found in await deaths(user.parent, SHORT, ways, refused=refused):
        assert found == ALL


async def test_teaching_that_nobody_took_in_time_is_taught_again_whatever_host_there_is(
    user: Path,
) -> None:
    for found in await deaths(user.parent, LONG):
        assert found["how to answer"] == 1
