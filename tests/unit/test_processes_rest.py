"""Many sensors share one look at the processes; who follows no build has another look."""

import asyncio
import gc
from pathlib import Path

import msgspec
import pytest

from attendd.api import Report
from sensors.processes import ProcessesConfig, ProcessesSensor, naming
from sensors.processes.rest import Rest, Watch
from sensors.processes.table import Table
from tests.fakes import FakeFocus
from tests.unit.machine import FakeSource

INTERVAL_S = 30.0


class Session:
    """A session of its own project, and its sensor."""

    def __init__(self, table: Table, client: int) -> None:
        self.focus = FakeFocus(Path(f"/p{client}"))
        self.focus.client_pid = client
        self.sensor = ProcessesSensor(ProcessesConfig(), table)

    async def poll(self) -> list[str]:
        return [each.text for each in await self.sensor.poll(self.focus)]


class Machine:
    """Three sessions on one machine."""

    def __init__(self) -> None:
        self.source = FakeSource()
        table = Table(self.source, naming.WATCHED)
        self.sessions = [Session(table, client) for client in (100, 200, 300)]
        for session in self.sessions:
            assert session.focus.client_pid is not None
            self.source.run(session.focus.client_pid, 1, "claude")

    def poll(self, *which: int) -> list[list[str]]:
        """Have some sensors polled in the same breath, an interval after the last time."""
        for each in self.sessions:
            each.focus.pass_time(INTERVAL_S)
        self.source.now = self.sessions[0].focus.now

        async def together() -> list[list[str]]:
            return await asyncio.gather(*(self.sessions[at].poll() for at in which))

        return asyncio.run(together())

    def resting(self) -> list[bool]:
        return [each.sensor.may_rest() for each in self.sessions]

    def woken(self) -> list[int]:
        return [each.focus.woken for each in self.sessions]


@pytest.fixture
def machine() -> Machine:
    made = Machine()
    made.poll(0, 1, 2)
    made.poll(0, 1, 2)
    return made


def test_while_there_are_no_builds_one_looks_and_the_others_rest(machine: Machine) -> None:
    assert sorted(machine.resting()) == [False, True, True]


def test_whom_a_build_concerns_is_woken_once(machine: Machine) -> None:
    looks = machine.resting().index(False)
    others = [at for at in range(3) if at != looks]
    machine.source.run(900, 1, "make", folder=f"/p{(others[0] + 1) * 100}")

    assert machine.poll(looks) == [[]]
    assert [machine.woken()[at] for at in others] == [1, 0]
    assert [len(said) for said in machine.poll(*others)] == [1, 0]
    machine.poll(looks, *others)
    assert [machine.resting()[at] for at in others] == [False, True]
    assert [machine.woken()[at] for at in others] == [1, 0]


def test_who_follows_a_build_to_its_end_looks_all_the_time(machine: Machine) -> None:
    machine.source.run(900, 1, "make", folder="/p100")
    machine.poll(0, 1, 2)
    assert not machine.resting()[0]

    del machine.source.running[900]

    assert [len(said) for said in machine.poll(0, 1, 2)] == [1, 0, 0]
    assert sorted(machine.resting()) == [False, True, True]


def test_whose_rest_is_over_looks_itself_if_nobody_has(machine: Machine) -> None:
    looks = machine.resting().index(False)
    other = (looks + 1) % 3

    machine.poll(other)

    assert machine.resting()[other] is False
    machine.poll(looks, other)
    assert sorted(machine.resting()) == [False, True, True]


def test_a_session_follows_what_is_reported_until_it_is_over_and_told(machine: Machine) -> None:
    other = (machine.resting().index(False) + 1) % 3
    focus = machine.sessions[other].focus
    report = Report(key="k", command="make", session="s2", began=focus.now, began_at=focus.wall)
    focus.reported = [report]

    machine.poll(0, 1, 2)
    assert not machine.resting()[other]

    end = {"ended": focus.now + 20, "ended_at": focus.wall + 20}
    focus.reported = [msgspec.structs.replace(report, **end, code=0)]
    assert len(machine.poll(0, 1, 2)[other]) == 1
    assert machine.resting()[other] or machine.resting().count(False) == 1


def test_one_of_those_who_rest_looks_where_who_looked_for_them_is_gone() -> None:
    class Somebody:
        pass

    async def scene() -> list[str]:
        rest, woken = Rest(), asyncio.Queue[str]()
        looks, second, third = Somebody(), Somebody(), Somebody()
        rest.looked(looks, lambda _: False)
        assert rest.may(second, lambda: woken.put_nowait("second"), 0.001)
        assert rest.may(third, lambda: woken.put_nowait("third"), 0.001)
        async with asyncio.timeout(20):
            return [await woken.get(), await woken.get()]  # the second does not look either

    assert asyncio.run(scene()) == ["second", "third"]


def test_who_is_gone_is_neither_woken_nor_kept_alive() -> None:
    class Somebody:
        pass

    async def scene() -> list[str]:
        rest, woken = Rest(), list[str]()
        first, second = Somebody(), Somebody()
        rest.looked(first, lambda _: False)
        assert rest.may(second, lambda: woken.append("second"), 30.0)
        del second
        gc.collect()
        rest.looked(first, lambda _: True)
        return woken

    assert asyncio.run(scene()) == []


class AtWork:
    """Sessions at work, those who answer when they are woken and those who don't.

    Attributes:
        woken: who was, one by one.
    """

    def __init__(self, *, answer: set[str]) -> None:
        self.woken = asyncio.Queue[str]()
        self._answer = answer
        self._names: dict[object, str] = {}
        self._watch = Watch(self._wake)

    def take(self, name: str) -> None:
        """Begin to work."""
        who = type("Somebody", (), {})()
        self._names[who] = name
        self._watch.take(who, 0.001)

    def _wake(self, who: object) -> None:
        name = self._names[who]
        self.woken.put_nowait(name)
        if name in self._answer:
            self._watch.take(who, 0.001)
            self._watch.looked()

    async def next(self, count: int) -> list[str]:
        """Wait for some to be woken."""
        async with asyncio.timeout(20):
            return [await self.woken.get() for _ in range(count)]


def test_another_at_work_looks_where_the_one_that_was_woken_does_not() -> None:
    async def scene() -> list[str]:
        sessions = AtWork(answer={"second"})
        sessions.take("first")
        sessions.take("second")
        return await sessions.next(4)

    assert asyncio.run(scene()) == ["first", "second", "second", "second"]


def test_those_at_work_look_in_turn_and_one_that_comes_back_as_well() -> None:
    async def scene() -> list[str]:
        sessions = AtWork(answer={"second", "third"})
        sessions.take("first")
        found = await sessions.next(1)
        sessions.take("second")  # after a time in which nobody was at work
        sessions.take("third")
        return found + await sessions.next(4)

    assert asyncio.run(scene()) == ["first", "second", "third", "second", "third"]
