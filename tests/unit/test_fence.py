"""A poll that waits in a thread, as for a disk that is gone, keeps nobody waiting but itself."""

import asyncio
import gc
import threading
from collections.abc import Iterator, Sequence
from typing import Any, cast

import pytest
from anyio import CancelScope, to_thread

from attendd.api import Focus, Observation, SensorConfig, SensorType
from attendd.host.faulty import in_full
from attendd.host.fence import EndlessError, fenced
from attendd.host.sensing import Sensing
from tests.fakes import FakeFocus

pytestmark = pytest.mark.asyncio
LIMIT_S = 0.05
DEADLINE_S = 20.0


class Disk:
    """Does not answer until it is told to."""

    def __init__(self) -> None:
        self.answers = threading.Event()
        self.begun = threading.Event()
        self.asked = 0

    def look(self) -> str:
        """Look there, which takes until it answers."""
        self.asked += 1
        self.begun.set()
        assert self.answers.wait(DEADLINE_S)
        return "it answered"


@pytest.fixture
def disk() -> Iterator[Disk]:
    """A disk that answers in the end, so that no thread stays."""
    made = Disk()
    yield made
    made.answers.set()


class Looking:
    """Looks at a disk in a thread, as the documentation has it, and says what it saw."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    async def poll(self, _focus: Focus) -> Sequence[Observation]:
        """Look, then say it."""
        return [Observation(text=await to_thread.run_sync(self._disk.look), magnitude=1)]


class Waking(FakeFocus):
    """Tells when the sensor is made due."""

    def __init__(self) -> None:
        super().__init__()
        self.due = asyncio.Event()

    def wake(self) -> None:
        """Tell."""
        self.due.set()


def sensing(disk: Disk) -> Sensing:
    kind = SensorType("looking", "", SensorConfig, lambda _: Looking(disk))
    return Sensing(kind, SensorConfig(timeout_s=LIMIT_S), 0.0)


async def test_the_deadline_holds_for_a_poll_that_waits_in_a_thread(disk: Disk) -> None:
    with pytest.raises(EndlessError, match=r"no answer within 0.05 s, .* can't be cancelled"):
        await fenced(lambda: to_thread.run_sync(disk.look), LIMIT_S)

    assert not disk.answers.is_set()


async def test_there_is_one_look_while_it_hangs_and_what_it_found_comes_with_the_next(
    disk: Disk,
) -> None:
    subject, focus = sensing(disk), Waking()
    lent = cast("Focus", focus)
    with pytest.raises(TimeoutError, match="no answer within"):
        await subject.poll(lent)
    for _ in range(3):
        with pytest.raises(TimeoutError, match="an earlier poll has not ended"):
            await subject.poll(lent)
    assert disk.asked == 1

    disk.answers.set()
    await asyncio.wait_for(focus.due.wait(), DEADLINE_S)

    assert [each.text for each in await subject.poll(lent)] == ["it answered"] * 2
    assert disk.asked == 2
    assert len(await subject.poll(lent)) == 1


async def test_looks_that_hang_take_no_threads_from_others(disk: Disk) -> None:
    free = to_thread.current_default_thread_limiter().available_tokens

    for _ in range(5):
        with pytest.raises(TimeoutError):
            await sensing(disk).poll(cast("Focus", FakeFocus()))

    assert to_thread.current_default_thread_limiter().available_tokens == free


async def test_who_stops_waiting_for_a_poll_need_not_wait_for_its_thread(disk: Disk) -> None:
    """As a host does that is to end."""
    polling = asyncio.create_task(fenced(lambda: to_thread.run_sync(disk.look), DEADLINE_S))
    assert await asyncio.to_thread(disk.begun.wait, DEADLINE_S)

    polling.cancel()
    done, _ = await asyncio.wait((polling,), timeout=DEADLINE_S)

    assert done
    assert polling.cancelled()
    assert not disk.answers.is_set()


async def test_a_poll_that_fails_while_the_host_ends_is_nobodys_loss() -> None:
    """The one that waits is cancelled in the very step in which the poll raises."""
    said: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, about: said.append(about))
    waiting: list[asyncio.Task[None]] = []

    async def poll() -> None:
        await asyncio.sleep(0)
        waiting[0].cancel()
        raise ValueError("b")

    waiting.append(asyncio.create_task(fenced(poll, DEADLINE_S)))
    await asyncio.wait(waiting, timeout=DEADLINE_S)
    assert waiting.pop().cancelled()
    gc.collect()

    assert said == []


async def test_a_traceback_says_in_which_line_a_poll_hangs(disk: Disk) -> None:
    async def deep() -> None:
        await to_thread.run_sync(disk.look)

    async def poll() -> None:
        await deep()

    with pytest.raises(TimeoutError) as raised:
        await fenced(poll, LIMIT_S)

    shown = in_full(raised.value)
    assert f'File "{__file__}", line ' in shown
    assert shown.index("await deep()") < shown.index("await to_thread.run_sync(disk.look)")


async def test_a_poll_may_clear_up_when_its_time_is_over() -> None:
    cleared: list[Any] = []

    async def poll() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            with CancelScope(shield=True):
                await asyncio.sleep(0)
            cleared.append(1)

    with pytest.raises(TimeoutError, match="no answer"):
        await fenced(poll, LIMIT_S)

    assert cleared == [1]
