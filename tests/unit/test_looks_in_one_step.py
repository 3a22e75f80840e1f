"""What a sensor keeps changes in the step that returns what it saw, so no host dies between them.

A checkpoint may be written while a poll waits; with a new look and without its news these would
be lost to the next host.
"""

import time
from collections.abc import Callable, Coroutine, Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from attendd.api import (
    Command,
    Component,
    Gauge,
    Neighbour,
    Observation,
    Report,
    Sensor,
    StatefulSensor,
)
from sensors.context import ContextConfig, ContextSensor
from sensors.disclosure import DisclosureConfig, DisclosureSensor
from sensors.git import GitConfig, GitSensor
from sensors.peers import PeersConfig, PeersSensor
from sensors.processes import ProcessesConfig, ProcessesSensor, naming
from sensors.processes.table import Table
from tests.fakes import FakeFocus
from tests.repos import Repository, fresh_home
from tests.unit.machine import FakeSource

pytestmark = pytest.mark.asyncio


class Pause:
    """Waits for one round of the loop."""

    def __await__(self) -> Generator[None]:
        yield


class SlowFocus(FakeFocus):
    """Answers nothing at once."""

    async def gauge(self) -> Gauge | None:
        await Pause()
        return await super().gauge()

    async def own_doing(self, since: float, until: float) -> bool:
        await Pause()
        return await super().own_doing(since, until)

    async def neighbours(self, *, follow: bool = True) -> Sequence[Neighbour]:
        await Pause()
        return await super().neighbours(follow=follow)

    async def commands(self) -> Sequence[Command]:
        await Pause()
        return await super().commands()

    async def reports(self) -> Sequence[Report]:
        await Pause()
        return await super().reports()


class Stepwise:
    """Awaits a poll and looks at something each time that it waits."""

    def __init__(self, poll: Coroutine[Any, Any, Sequence[Observation]]) -> None:
        self._poll = poll
        self.look: Callable[[], object] = lambda: None
        self.seen: list[object] = []

    def __await__(self) -> Generator[Any, Any, Sequence[Observation]]:
        steps = self._poll.__await__()
        try:
            while True:
                awaited = next(steps)
                self.seen.append(self.look())
                yield awaited
        except StopIteration as end:
            found: Sequence[Observation] = end.value
            return found


class Case:
    """A sensor, what it is lent, and something that is news to it."""

    def __init__(self, sensor: Sensor, focus: SlowFocus, happens: Callable[[], object]) -> None:
        self.sensor = sensor
        self.focus = focus
        self.happens = happens


def git(folder: Path) -> Case:
    repository = Repository(folder)
    repository.commit()
    focus = SlowFocus(folder, wall=time.time())
    return Case(GitSensor(GitConfig()), focus, repository.commit)


def peers(folder: Path) -> Case:
    focus = SlowFocus(folder)
    one = Neighbour(key="o", session="0ther", name="Juno", pid=200)

    def comes() -> None:
        focus.around = [one]

    return Case(PeersSensor(PeersConfig()), focus, comes)


def processes(folder: Path) -> Case:
    source, focus = FakeSource(), SlowFocus(folder)
    focus.client_pid = 100
    source.now = focus.now
    source.run(100, 1, "claude")
    source.run(300, 100, "make", "all")

    def ends() -> None:
        del source.running[300]
        source.now = focus.now

    return Case(ProcessesSensor(ProcessesConfig(), Table(source, naming.WATCHED)), focus, ends)


def context(folder: Path) -> Case:
    focus = SlowFocus(folder, gauge=Gauge(session="s1", tokens_used=1, tokens_total=100))

    def fills() -> None:
        focus.reading = Gauge(session="s1", tokens_used=90, tokens_total=100, method="usage")

    return Case(ContextSensor(ContextConfig()), focus, fills)


def disclosure(folder: Path) -> Case:
    focus = SlowFocus(folder)

    def is_used() -> None:
        focus.components = [Component(id="messaging", text="how to answer", order=10)]

    return Case(DisclosureSensor(DisclosureConfig()), focus, is_used)


@pytest.mark.parametrize("make", [git, peers, processes, context, disclosure])
async def test_a_look_is_kept_in_the_step_that_tells_of_it(
    make: Callable[[Path], Case], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh_home(tmp_path, monkeypatch)
    case = make(tmp_path / "here")
    sensor = case.sensor
    assert isinstance(sensor, StatefulSensor)
    await sensor.poll(case.focus)
    before = sensor.snapshot()

    case.focus.pass_time(30.0)
    case.happens()
    poll = Stepwise(sensor.poll(case.focus))
    poll.look = sensor.snapshot
    told = await poll

    assert told
    assert poll.seen
    assert all(seen == before for seen in poll.seen)
    assert sensor.snapshot() != before
