"""Who is around a session: an end is noticed whenever it comes, by each sensor that asked."""

import os
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest
import pytest_asyncio

from attendd.clock import SystemClock
from attendd.harness import ClaudeHarness, LiveSession
from attendd.host.around import Around
from attendd.host.neighbours import Neighbourhood
from attendd.host.reports import Reports
from attendd.hot import process
from attendd.store import Store
from sensors.peers import PeersConfig, PeersSensor
from tests.fakes import FakeFocus
from tests.hosting import show_up
from tests.store import fresh

pytestmark = pytest.mark.asyncio


class Clients(ClaudeHarness):
    """Lists the clients there are; one may be killed between the look and what follows it."""

    def __init__(self, home: Path) -> None:
        super().__init__(home / ".claude")
        self.to_kill: subprocess.Popen[bytes] | None = None

    def live(self, *, find: bool = True) -> Sequence[LiveSession]:
        """See `ClaudeHarness.live`."""
        found = super().live(find=find)
        if self.to_kill is not None:
            self.to_kill.kill()
            self.to_kill.wait()
        return found


class Passing(SystemClock):
    """The machine's clocks, further on by what a test lets pass."""

    passed_s = 0.0

    def now(self) -> float:
        """See `SystemClock.now`."""
        return super().now() + self.passed_s

    def wall(self) -> float:
        """See `SystemClock.wall`."""
        return super().wall() + self.passed_s


class Street:
    """A neighbourhood, and how often it found that it is worth looking again."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.clients = Clients(home)
        self.changes = 0
        self.store = Store(fresh.store(home / "attend.db"))
        self.clock = Passing()
        self.hood = Neighbourhood(self.clients, self.store, self.clock, self._changed)

    def around(self) -> Around:
        """Return what an attended session there is lent."""
        return Around(self.hood, Reports(self.home / "reports"), None)

    def _changed(self) -> None:
        self.changes += 1


@pytest.fixture
def client() -> Iterator["subprocess.Popen[bytes]"]:
    """A process that lives until it is killed."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def stop(process: "subprocess.Popen[bytes]") -> None:
    """Stop a process, and return once it is."""
    process.send_signal(signal.SIGSTOP)
    os.waitpid(process.pid, os.WUNTRACED)


@pytest_asyncio.fixture
async def street(tmp_path: Path) -> AsyncIterator[Street]:
    street = Street(tmp_path)
    yield street
    street.hood.close()
    street.store.close()


async def test_who_is_killed_right_after_a_look_is_missed_at_once(
    street: Street, client: "subprocess.Popen[bytes]"
) -> None:
    show_up(street.home, "other", client.pid)
    street.clients.to_kill = client

    seen = await street.hood.around("as:me", None, str(street.home))
    again = await street.hood.around("as:me", None, str(street.home))

    assert [each.session for each in seen] == ["other"]
    assert street.changes == 1
    assert again == ()


async def test_a_client_that_is_stopped_is_still_there(
    street: Street, client: "subprocess.Popen[bytes]"
) -> None:
    show_up(street.home, "other", client.pid)
    first = await street.hood.around("as:me", None, str(street.home))
    stop(client)
    street.clock.passed_s += 3600
    again = await street.hood.around("as:me", None, str(street.home))

    assert [each.key for each in first] == [each.key for each in again] != []
    assert street.changes == 0


async def test_a_machine_that_slept_is_no_news_of_anybody(
    street: Street, client: "subprocess.Popen[bytes]"
) -> None:
    """Both clocks count the time; processes and their records are as they were."""
    show_up(street.home, "other", client.pid)
    sensor, focus = PeersSensor(PeersConfig()), FakeFocus(street.home)
    said = []
    for slept_s in (0.0, 30.0, 8 * 3600.0):
        street.clock.passed_s += slept_s
        focus.now, focus.wall = street.clock.now(), street.clock.wall()
        focus.around = await street.hood.around("as:me", None, str(street.home))
        said.append(await sensor.poll(focus))

    assert [each.session for each in focus.around] == ["other"]
    assert said == [[], [], []]


async def test_one_sensor_that_asks_again_keeps_no_other_from_it(street: Street) -> None:
    """Whoever asks first after a change must not be taken for all who have asked."""
    around, home = street.around(), str(street.home)
    await around.lend("as:me", home, "peers")
    await around.lend("as:me", home, "processes")
    show_up(street.home, "other", os.getpid())
    street.hood.stale()
    await around.lend("as:me", home, "processes")

    assert await around.misled("as:me", home) == {"peers"}


async def test_a_change_is_named_once_and_only_to_whom_it_is_one(
    street: Street, client: "subprocess.Popen[bytes]"
) -> None:
    """Neither to a sensor that did not want to hear of it, nor to the one that turned."""
    home, me = str(street.home), (client.pid, process.start_time(client.pid) or "")
    show_up(street.home, "me", client.pid)
    others, own = street.around(), Around(street.hood, Reports(street.home), me)
    for each, session in ((others, "as:me"), (own, "me")):
        await each.lend(session, home, "peers")
        await each.lend(session, home, "processes", follow=False)
    named = []
    for status in ("busy", "busy", "idle"):
        show_up(street.home, "me", client.pid, status)
        street.hood.stale()
        for _ in range(2):
            named.append(await others.misled("as:me", home))
            assert await own.misled("me", home) == set()

    assert named == [{"peers"}, set(), set(), set(), {"peers"}, set()]


async def test_what_is_said_of_the_others_is_as_of_the_last_look(
    street: Street, client: "subprocess.Popen[bytes]"
) -> None:
    """An answer is kept for whoever asks again, but not for longer than what it was made of."""
    show_up(street.home, "other", client.pid)
    seen = []
    for status, home in (("idle", ""), ("idle", ""), ("busy", ""), ("busy", "elsewhere")):
        show_up(street.home, "other", client.pid, status)
        street.hood.stale()
        street.clock.passed_s += 60
        seen.append(await street.hood.around("as:me", None, str(street.home / home)))

    assert [[each.status.value for each in at] for at in seen] == [
        ["idle"],
        ["idle"],
        ["busy"],
        [],
    ]
    assert [each.beside for at in seen for each in at] == [True, True, True]


async def test_where_nothing_is_heard_of_a_change_each_poll_looks(street: Street) -> None:
    """Without a watch a look of others stands for their moment only."""
    street.hood.watched = False
    seen = []
    for at in range(3):
        if at == 1:
            show_up(street.home, "other")
        street.clock.passed_s += 2
        seen.append(len(await street.hood.around("as:me", None, str(street.home))))

    assert seen == [0, 1, 1]


async def test_who_moves_to_another_project_runs_on(
    street: Street, client: "subprocess.Popen[bytes]"
) -> None:
    """And comes back as one that has just come, however long its process has run."""
    for name in ("one", "two"):
        (street.home / name).mkdir()
    here = str(street.home / "one")
    seen = []
    for name in ("one", "two", "one"):
        show_up(street.home, "other", client.pid, workdir=str(street.home / name))
        street.hood.stale()
        street.clock.passed_s += 600
        seen.append(await street.hood.around("as:me", None, here))
        (key,) = {each.key for at in seen for each in at}
        elsewhere = street.hood.elsewhere(key)
        assert elsewhere is not None
        assert elsewhere.worktree == str(street.home / name)

    (first,), (), (last,) = seen
    assert (first.moved, last.moved) == (False, True)
    assert last.came_at == pytest.approx(street.clock.wall(), abs=60)
    client.kill()
    client.wait()
    street.hood.stale()
    await street.hood.around("as:me", None, here)
    assert street.hood.elsewhere(last.key) is None
