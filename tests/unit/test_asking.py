"""A disk that does not answer holds up nobody but those who need to know what is on it."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from attendd import asking
from attendd.asking import Asking
from attendd.config import LiveConfig
from attendd.host.configured import Configured
from attendd.host.places import Places, find
from attendd.hot.identity import project_file
from sensors.processes import ProcessesConfig, ProcessesSensor, naming
from sensors.processes.table import HANGS_S, Table
from tests.fakes import FakeFocus
from tests.fakes_clock import SimClock
from tests.unit.machine import FakeSource

DEADLINE_S = 20.0


class Disk:
    """Does not answer about what lies there until it is told to."""

    def __init__(self, where: str) -> None:
        self.answers = threading.Event()
        self.begun = threading.Event()
        self.asked = 0
        self._where = where

    def reach(self, path: str) -> str:
        """Go to a directory, which takes as long as its disk does."""
        if path.startswith(self._where):
            self.asked += 1
            self.begun.set()
            assert self.answers.wait(DEADLINE_S)
        return path


@pytest.fixture
def disk() -> Iterator[Disk]:
    """A mount at ``/gone`` that has lost its server; it comes back in the end."""
    made = Disk("/gone")
    yield made
    made.answers.set()


def settled(asked: Asking[str], path: str) -> None:
    """Wait until the last answer has come in."""
    waiting = threading.Event()
    for _ in range(2000):
        if not asked.waits(path):
            return
        waiting.wait(0.01)
    pytest.fail("there is no answer")


def test_who_asks_goes_on_without_an_answer_and_has_it_once_it_is_there() -> None:
    disk = Disk("/gone")
    subject = Asking(disk.reach)

    for _ in range(3):
        with pytest.raises(TimeoutError, match="the file system of /gone does not answer"):
            subject.ask("/gone")
        assert subject.ask("/here") == "/here"

    assert disk.asked == 1
    disk.answers.set()
    settled(subject, "/gone")
    assert subject.ask("/gone") == "/gone"


def test_questions_about_one_disk_do_not_pile_up_and_others_are_answered() -> None:
    disk = Disk("/gone")
    subject = Asking(disk.reach)

    for number in range(2 * asking.MANY_LATE):
        with pytest.raises(TimeoutError):
            subject.ask(f"/gone/{number}")

    assert disk.asked == asking.MANY_LATE
    assert subject.ask("/here") == "/here"
    disk.answers.set()


def test_what_goes_wrong_is_raised_where_it_was_asked() -> None:
    subject = Asking(lambda path: str(int(path)))

    with pytest.raises(ValueError, match="/x"):
        subject.ask("/x")
    assert subject.ask("5") == "5"


def test_a_directory_lies_where_it_lay_before_its_disk_was_gone(
    disk: Disk, tmp_path: Path
) -> None:
    clock = SimClock()
    places = Places(clock, lambda path: find(disk.reach(path)))
    disk.answers.set()
    before = places.of("/gone/p")
    disk.answers.clear()

    for pause_s in (61.0, 700.0):
        clock.suspend(pause_s)
        assert places.of("/gone/p") == before
        assert places.of(str(tmp_path)).project == str(tmp_path)
        places.forget()

    assert places.of("/gone/never-seen").project == ""


def test_what_is_set_stays_so_while_nobody_can_read_it(disk: Disk) -> None:
    configured = Configured(LiveConfig({}), lambda path: project_file(disk.reach(path)))
    disk.answers.set()
    before = configured.of("/gone/p")
    disk.answers.clear()

    assert configured.of("/gone/p") is before
    assert configured.of("/gone/q").config == before.config


@pytest.mark.asyncio
async def test_a_look_at_processes_that_hangs_is_the_only_one_and_is_said(disk: Disk) -> None:
    source = FakeSource()
    table = Table(source, naming.WATCHED)

    class Hung(FakeFocus):
        def is_here(self, path: str) -> bool:
            return super().is_here(disk.reach(path))

    sessions = []
    for client in (100, 200):
        source.run(client, 1, "claude")
        focus = Hung(Path(f"/p{client}"))
        focus.client_pid = client
        sessions.append((ProcessesSensor(ProcessesConfig(), table), focus))
    (first, focus), (second, other) = sessions
    await first.poll(focus)
    await second.poll(other)
    source.run(500, 1, "python3", folder="/gone/x")
    focus.pass_time(30)
    polling = asyncio.create_task(first.poll(focus))
    assert await asyncio.to_thread(disk.begun.wait, DEADLINE_S)

    other.pass_time(30 + HANGS_S + 1)
    with pytest.raises(TimeoutError, match="an earlier look at the processes has not ended"):
        await second.poll(other)

    disk.answers.set()
    assert await asyncio.wait_for(polling, DEADLINE_S) == []
    assert await second.poll(other) == []
