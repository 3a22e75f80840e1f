import asyncio
from collections.abc import Callable

import pytest

from attendd.loop import Loop
from tests.fakes_clock import SimClock
from tests.unit.looping import Counting, run_until


@pytest.mark.asyncio
async def test_a_quiet_hour_has_exactly_the_polls_that_were_due() -> None:
    clock = SimClock()
    loop = Loop(clock, clock.wait)
    due = Counting(clock, 60.0)
    loop.add("a", due)

    await run_until(loop, clock, 3599.0)

    assert due.polled == [60.0 * n for n in range(60)]


@pytest.mark.asyncio
async def test_nothing_ticks_when_nothing_is_due() -> None:
    """The loop sleeps to the next due time, and at most its longest sleep."""
    clock = SimClock()
    loop = Loop(clock, clock.wait)
    loop.add("a", Counting(clock, 25.0))

    await run_until(loop, clock, 100.0)

    assert clock.waits <= 12


@pytest.mark.asyncio
async def test_a_slow_poll_delays_nobody_else() -> None:
    clock = SimClock()
    loop = Loop(clock, clock.wait)
    never = asyncio.Event()
    slow, quick = Counting(clock, 10.0, slow=never), Counting(clock, 10.0)
    loop.add("slow", slow)
    loop.add("quick", quick)

    await run_until(loop, clock, 99.0)

    assert slow.polled == [0.0]
    assert len(quick.polled) == 10


@pytest.mark.asyncio
async def test_what_was_removed_is_not_polled_again() -> None:
    clock = SimClock()
    loop = Loop(clock, clock.wait)
    due = Counting(clock, 10.0)
    loop.add("a", due)

    async def remove(_now: float) -> None:
        loop.remove("a")

    loop.every("remove", remove, 35.0)
    await run_until(loop, clock, 100.0)

    assert due.polled == [0.0, 10.0, 20.0, 30.0]


@pytest.mark.asyncio
async def test_a_timer_is_called_when_it_says_and_when_planned_before() -> None:
    clock = SimClock()
    loop = Loop(clock, clock.wait)
    called: list[float] = []

    async def timer(now: float) -> float | None:
        called.append(now)
        return now + 40.0 if len(called) == 1 else None

    async def planner(_now: float) -> None:
        loop.plan("timer", 30.0)
        loop.plan("timer", 35.0)

    loop.every("timer", timer, 10.0)
    loop.every("planner", planner, 20.0)
    await run_until(loop, clock, 100.0)

    assert called == [10.0, 30.0]


@pytest.mark.asyncio
async def test_stopping_cancels_the_polls_under_way() -> None:
    clock = SimClock()
    loop = Loop(clock, clock.wait)
    loop.add("slow", Counting(clock, 10.0, slow=asyncio.Event()))

    async with asyncio.timeout(5):
        await run_until(loop, clock, 20.0)


@pytest.mark.asyncio
async def test_a_timer_that_is_woken_just_before_it_ends_is_called_again_at_once() -> None:
    clock = SimClock()
    loop = Loop(clock, clock.wait)
    called: list[float] = []

    async def timer(now: float) -> float:
        called.append(now)
        if len(called) == 1:
            loop.wake("timer")
        return now + 50.0

    loop.every("timer", timer, 10.0)
    await run_until(loop, clock, 70.0)

    assert called == [10.0, 10.0, 60.0]


class Slow:
    """A timer whose calls end when they are let, and which never again wishes to be called."""

    def __init__(self) -> None:
        self.at: list[float] = []
        self.together = 0
        self.most = 0
        self._go_on = asyncio.Event()

    async def __call__(self, now: float) -> None:
        self.at.append(now)
        self.together += 1
        self.most = max(self.most, self.together)
        await self._go_on.wait()
        self.together -= 1

    def ends(self) -> None:
        self._go_on.set()


def at(loop: Loop, moment: float, *actions: Callable[[], None]) -> None:
    """Do something at a moment."""

    async def act(_now: float) -> None:
        for action in actions:
            action()

    loop.every(f"at {moment}", act, moment)


@pytest.mark.asyncio
async def test_a_timer_that_is_woken_while_it_is_at_work_is_called_once_more_afterwards() -> (
    None
):
    clock = SimClock()
    loop = Loop(clock, clock.wait)
    slow = Slow()
    loop.every("slow", slow, 10.0)
    for moment in (20.0, 25.0, 30.0):
        at(loop, moment, lambda: loop.wake("slow"))
    at(loop, 40.0, slow.ends)
    await run_until(loop, clock, 100.0)

    assert slow.at == [10.0, 40.0]
    assert slow.most == 1


@pytest.mark.asyncio
async def test_a_timer_that_is_planned_while_it_is_at_work_waits_for_its_end() -> None:
    clock = SimClock()
    loop = Loop(clock, clock.wait)
    slow = Slow()
    loop.every("slow", slow, 10.0)
    at(loop, 20.0, lambda: loop.plan("slow", 60.0))
    at(loop, 40.0, slow.ends)
    await run_until(loop, clock, 100.0)

    assert slow.at == [10.0, 60.0]


@pytest.mark.asyncio
async def test_a_timer_that_was_removed_at_work_is_not_called_again() -> None:
    clock = SimClock()
    loop = Loop(clock, clock.wait)
    slow = Slow()
    loop.every("slow", slow, 10.0)
    at(loop, 20.0, lambda: loop.wake("slow"))
    at(loop, 30.0, lambda: loop.remove("slow"))
    at(loop, 40.0, slow.ends)
    await run_until(loop, clock, 100.0)

    assert slow.at == [10.0]


@pytest.mark.asyncio
async def test_a_timer_in_the_place_of_one_at_work_is_called_once_that_is_done() -> None:
    clock = SimClock()
    loop = Loop(clock, clock.wait)
    slow, other = Slow(), Slow()
    loop.every("slow", slow, 10.0)
    at(loop, 20.0, lambda: loop.every("slow", other, 30.0))
    at(loop, 40.0, slow.ends)
    await run_until(loop, clock, 100.0)

    assert (slow.at, other.at) == ([10.0], [40.0])
