"""What happens between a sensor's look and the setting of its watches is looked at once more."""

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from attendd.api import Focus, Observation, SensorConfig, SensorType
from tests.hosting import hosting, show_up

pytestmark = pytest.mark.asyncio
DEADLINE_S = 20


@pytest.fixture
def home(user: Path) -> Path:
    """A home with a folder of clients' records."""
    home = user.parent.parent
    (home / ".claude" / "sessions").mkdir(parents=True)
    return home


class Resting:
    """Keeps what it saw. It looks once, and then for an hour only when it is touched."""

    def __init__(self) -> None:
        self.seen: list[object] = []
        self._more = asyncio.Event()

    def kind(self) -> SensorType:
        """Offer this very object."""

        class Config(SensorConfig, frozen=True, kw_only=True):
            interval_s: float = 3600.0
            min_interval_s: float = 3600.0

        return SensorType("resting", "what is there", Config, lambda _: self, rests=True)

    async def poll(self, focus: Focus) -> Sequence[Observation]:
        """Look who is there."""
        self.saw({each.session for each in await focus.neighbours()})
        return []

    def saw(self, found: object) -> None:
        """Keep what a look found."""
        self.seen.append(found)
        self._more.set()

    async def sees(self, wanted: object) -> None:
        """Wait for a look that finds this."""
        async with asyncio.timeout(DEADLINE_S):
            while wanted not in self.seen:
                self._more.clear()
                await self._more.wait()


class Unresting(Resting):
    """Keeps when its session had worked last as it looked, be it idle or not."""

    def kind(self) -> SensorType:
        """Offer this very object."""
        return msgspec.structs.replace(super().kind(), rests=False)

    async def poll(self, focus: Focus) -> Sequence[Observation]:
        """Look when the session worked."""
        self.saw(focus.activity.worked_at)
        return []


class Watching(Resting):
    """Is asked for its paths after its first look, and before anything is watched."""

    def __init__(self, meanwhile: Callable[[], object], *paths: Path) -> None:
        super().__init__()
        self._meanwhile = meanwhile
        self._paths = paths

    async def poll(self, focus: Focus) -> Sequence[Observation]:
        """Look who is there and what the files hold."""
        await super().poll(focus)
        self.saw([path.read_text() for path in self._paths])
        return []

    def watches(self) -> Sequence[Path]:
        """Name the paths, late."""
        self._meanwhile()
        self._meanwhile = bool
        return self._paths


async def test_a_neighbour_who_comes_before_the_watches_are_set_is_seen(home: Path) -> None:
    sensor = Watching(lambda: show_up(home, "other"))

    async with hosting(home, sensor.kind()):
        await sensor.sees({"other"})

    assert sensor.seen[0] == set()


async def test_a_path_that_changes_before_it_is_watched_is_looked_at_again(home: Path) -> None:
    file = home / "file"
    file.write_text("before")
    sensor = Watching(lambda: file.write_text("after"), file)

    async with hosting(home, sensor.kind()):
        await sensor.sees(["after"])

    assert sensor.seen[1] == ["before"]


async def test_who_looks_also_while_a_session_is_idle_looks_when_its_turn_has_ended(
    home: Path,
) -> None:
    """Though the turn was over before anybody saw that it was under way."""
    show_up(home, "me")
    transcript = home / ".claude" / "projects" / "p" / "me.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.touch()
    os.utime(transcript, (1000, 1000))
    sensor = Unresting()

    async with hosting(home, sensor.kind(), client=True):
        await sensor.sees(1000.0)
        os.utime(transcript, (2000, 2000))
        show_up(home, "me")
        await sensor.sees(2000.0)


class Roused(Resting):
    """Is made due by what its first look has kept, a while after it."""

    def kind(self) -> SensorType:
        """Offer this very object, which says itself that it may rest."""
        return msgspec.structs.replace(super().kind(), rests=False)

    def may_rest(self) -> bool:
        """Rest always."""
        return True

    async def poll(self, focus: Focus) -> Sequence[Observation]:
        """Count the looks."""
        if not self.seen:
            asyncio.get_running_loop().call_later(0.05, focus.wake)
        self.saw(len(self.seen) + 1)
        return []


async def test_a_sensor_can_make_itself_due(home: Path) -> None:
    show_up(home, "me")
    sensor = Roused()

    async with hosting(home, sensor.kind(), client=True):
        await sensor.sees(2)


async def test_a_neighbour_who_comes_while_there_is_no_host_is_seen_by_the_next(
    home: Path,
) -> None:
    """Its sensor rests, and who would have woken it was not there."""
    sensor = Resting()
    async with hosting(home, sensor.kind()):
        await sensor.sees(set())
    show_up(home, "other")

    async with hosting(home, sensor.kind()):
        await sensor.sees({"other"})
