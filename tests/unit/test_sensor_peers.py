"""The peers sensor: who came, went and turned, once each."""

from typing import Any

import msgspec
import pytest
import pytest_asyncio

from attendd.api import Activity, Neighbour, Observation, Status
from sensors.peers import PeersConfig, PeersSensor
from tests.fakes import FakeFocus, texts

TURNING = (Status.BUSY, Status.IDLE, Status.WAITING)


class Scene:
    """A sensor and its focus; neighbours come and go by hand."""

    def __init__(self) -> None:
        self.focus = FakeFocus()
        self.sensor = PeersSensor(PeersConfig())
        self.here: dict[str, Neighbour] = {}

    def come(self, key: str, session: str = "", **fields: Any) -> None:
        fields = {"name": key.title(), "status": Status.IDLE} | fields
        fields.setdefault("came_at", self.focus.wall)
        self.here[key] = Neighbour(key=key, session=session or f"{key}-id-of-it", **fields)

    def turn(self, key: str, status: Status) -> None:
        self.here[key] = msgspec.structs.replace(self.here[key], status=status)

    async def poll(self, seconds: float = 10.0) -> list[Observation]:
        self.focus.pass_time(seconds)
        self.focus.around = tuple(self.here.values())
        return list(await self.sensor.poll(self.focus))


@pytest_asyncio.fixture
async def scene() -> Scene:
    scene = Scene()
    scene.come("ada", came_at=0.0)
    assert await scene.poll() == []
    return scene


pytestmark = pytest.mark.asyncio


async def test_who_was_there_at_first_is_no_news(scene: Scene) -> None:
    assert await scene.poll() == []


async def test_who_comes_and_goes_is_told_once_each(scene: Scene) -> None:
    scene.come("juno", branch="fix-login", worktree="/w/login")
    came = await scene.poll() + await scene.poll()
    del scene.here["juno"]
    went = await scene.poll() + await scene.poll()

    assert texts(came) == [
        "Juno (session juno-id-) appeared in this project on branch fix-login,"
        " in the work tree login"
    ]
    assert texts(went) == ["Juno (session juno-id-) is gone"]
    assert [each.magnitude for each in came + went] == [3, 3]


@pytest.mark.parametrize(
    ("status", "channels", "magnitude"),
    [
        (Status.BUSY, (), 3),
        (Status.UNKNOWN, (), 3),  # a terminal
        (Status.IDLE, (), 2),
        (Status.BUSY, ("deploy",), 2),
    ],
)
async def test_who_comes_is_worth_a_line_in_the_project_while_work_goes_on(
    scene: Scene, status: Status, channels: tuple[str, ...], magnitude: float
) -> None:
    """What weighs less than 3 rides along with something else."""
    scene.focus.activity = Activity(status=status)
    scene.come("juno", here=not channels, channels=channels)

    (came,) = await scene.poll()

    assert came.magnitude == magnitude


async def test_who_works_in_the_same_work_tree_is_told_as_that(scene: Scene) -> None:
    scene.come("juno", branch="main", beside=True)

    (came,) = await scene.poll()
    assert came.text.endswith("appeared in this very work tree on branch main")


async def test_clear_and_resume_are_neither_a_coming_nor_a_going(scene: Scene) -> None:
    scene.here["ada"] = msgspec.structs.replace(scene.here["ada"], session="another")

    assert await scene.poll() == []


async def test_a_second_process_of_a_session_is_no_second_session(scene: Scene) -> None:
    scene.come("second", session=scene.here["ada"].session)
    came = await scene.poll()
    del scene.here["ada"]
    went = await scene.poll()

    assert (came, went) == ([], [])


async def test_who_can_only_now_be_seen_has_not_just_come(scene: Scene) -> None:
    """As when the session itself enters a channel, or a record could not be read before."""
    scene.come("juno", here=False, channels=("deploy",), came_at=scene.focus.wall - 7200)

    assert await scene.poll() == []


async def test_a_clock_that_is_set_hides_nobody(scene: Scene) -> None:
    scene.focus.wall -= 3600
    scene.come("juno")

    assert len(await scene.poll()) == 1


async def test_who_leaves_a_channel_is_not_said_to_have_ended(scene: Scene) -> None:
    scene.come("juno", here=False, channels=("deploy",), place="web")
    came = await scene.poll()
    del scene.here["juno"]
    went = await scene.poll()

    assert texts(came) == ["Juno (session juno-id-), at work on web, appeared in #deploy"]
    assert texts(went) == ["Juno (session juno-id-), at work on web, is no longer in #deploy"]


async def test_who_goes_to_another_project_is_not_said_to_be_gone(scene: Scene) -> None:
    away = scene.here.pop("ada")
    scene.focus.left = [msgspec.structs.replace(away, here=False, worktree="/w", place="web")]
    went = await scene.poll() + await scene.poll()
    scene.focus.left = []
    scene.come("ada", moved=True, branch="main")
    came = await scene.poll() + await scene.poll()

    assert texts(went) == ["Ada (session ada-id-o) has left for another project, web"]
    assert texts(came) == [
        "Ada (session ada-id-o) appeared in this project on branch main, from another project"
    ]


async def test_who_goes_to_another_project_may_still_be_in_a_channel(scene: Scene) -> None:
    scene.come("juno", channels=("deploy",), worktree="/here")
    await scene.poll()
    scene.come("juno", channels=("deploy",), worktree="/w", here=False, place="web")
    went = await scene.poll() + await scene.poll()
    scene.come("juno", channels=("deploy",), worktree="/here", moved=True)
    came = await scene.poll() + await scene.poll()

    assert texts(went) == ["Juno (session juno-id-) has left for another project, web"]
    assert texts(came) == [
        "Juno (session juno-id-) appeared in this project, in the folder here,"
        " from another project"
    ]


async def test_whose_repository_is_gone_has_not_moved(scene: Scene) -> None:
    scene.focus.left = [msgspec.structs.replace(scene.here.pop("ada"), here=False)]

    assert texts(await scene.poll()) == ["Ada (session ada-id-o) is no longer in this project"]


async def test_a_programs_short_session_is_not_told_at_all(scene: Scene) -> None:
    scene.come("script", headless=True)
    told = await scene.poll(20) + await scene.poll(20)
    del scene.here["script"]

    assert told + await scene.poll(20) == []


async def test_a_programs_long_session_is_told(scene: Scene) -> None:
    scene.come("script", headless=True)
    early = await scene.poll(20)
    late = await scene.poll(60)
    del scene.here["script"]

    assert (len(early), len(late), len(await scene.poll())) == (0, 1, 1)


async def test_what_the_session_itself_started_is_its_own(scene: Scene) -> None:
    scene.come("child", own=True)

    assert [each.own for each in await scene.poll()] == [True]


async def test_many_at_once_are_one_line(scene: Scene) -> None:
    for at in range(12):
        scene.come(f"s{at}")

    assert texts(await scene.poll()) == ["12 sessions appeared: S0, S1, S2 and 9 more"]


async def test_a_turn_after_calm_is_told_at_once_and_the_next_one_if_it_lasts(
    scene: Scene,
) -> None:
    scene.turn("ada", Status.WAITING)
    first = await scene.poll()
    scene.turn("ada", Status.BUSY)
    second = [text for _ in range(5) for text in texts(await scene.poll(10))]
    third = texts(await scene.poll(20))

    assert texts(first) == ["Ada (session ada-id-o) began to wait for its person"]
    assert (second, third) == ([], ["Ada (session ada-id-o) began to work"])


async def test_ten_that_flap_for_ten_minutes_say_little(scene: Scene) -> None:
    for at in range(10):
        scene.come(f"s{at}", came_at=0.0)
    await scene.poll()

    told = []
    for tick in range(120):
        for at in range(10):
            scene.turn(f"s{at}", TURNING[(tick + at) % 2])
        told += await scene.poll(5)

    assert 1 <= len(told) <= 12


async def test_a_look_outlives_a_change_of_host(scene: Scene) -> None:
    state = msgspec.json.decode(msgspec.json.encode(scene.sensor.snapshot()))
    scene.sensor = PeersSensor(PeersConfig())
    scene.sensor.restore(state)
    del scene.here["ada"]
    scene.come("juno")

    assert len(await scene.poll()) == 2
