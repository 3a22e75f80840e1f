"""Time in which nothing ran is said before anything is judged by it, and once."""

import asyncio
import math

import pytest

from attendd.loop import Loop
from tests.fakes_clock import SimClock
from tests.unit.looping import Counting, run_until


@pytest.mark.asyncio
async def test_a_sleep_of_the_machine_is_said_first_and_its_polls_are_made_once() -> None:
    clock = SimClock()
    lost: list[tuple[float, int]] = []
    due = Counting(clock, 60.0)

    async def wait(event: asyncio.Event, seconds: float) -> None:
        await clock.wait(event, seconds)
        if clock.now() == 120.0 and not clock.slept():
            clock.suspend(8 * 3600.0)

    loop = Loop(clock, wait)
    loop.lost = lambda seconds: lost.append((seconds, len(due.polled)))
    loop.add("a", due)
    await run_until(loop, clock, 8 * 3600.0 + 200.0)

    woken = 8 * 3600.0 + 120.0
    assert lost == [(8 * 3600.0, 2)]
    assert due.polled == [0.0, 60.0, woken, woken + 60.0]


@pytest.mark.asyncio
async def test_a_sleep_that_begins_in_the_middle_of_a_turn_is_said_as_well() -> None:
    clock = SimClock()
    lost: list[float] = []

    class Sleepy(Counting):
        def due(self, now: float) -> list[str]:
            if now == 120.0:
                clock.suspend(8 * 3600.0)
            return super().due(now)

    loop = Loop(clock, clock.wait)
    loop.lost = lost.append
    loop.add("a", Sleepy(clock, 60.0))
    await run_until(loop, clock, 8 * 3600.0 + 200.0)

    assert lost == [8 * 3600.0]


@pytest.mark.asyncio
async def test_a_sleep_in_the_middle_of_a_timers_work_is_said_before_it_judges() -> None:
    clock = SimClock()
    said: list[str] = []
    loop = Loop(clock, clock.wait)
    loop.lost = lambda seconds: said.append(f"lost {seconds:.0f}")

    async def timer(now: float) -> float:
        await asyncio.sleep(0)
        if now == 100.0:
            clock.suspend(8 * 3600.0)
        loop.look()
        said.append(f"judged at {clock.now():.0f}")
        return now + 100.0

    loop.every("timer", timer, 0.0)
    await run_until(loop, clock, 8 * 3600.0 + 250.0)

    assert said[0] == "judged at 0"
    assert said[1].startswith("lost 287"), "it had planned to look a little later"
    assert said[2:] == ["judged at 28900", "judged at 28900", "judged at 29000"]


@pytest.mark.asyncio
async def test_what_is_rung_for_often_is_never_taken_for_lost_time() -> None:
    clock = SimClock()
    loop = Loop(clock, clock.wait)
    loop.lost = lambda seconds: pytest.fail(f"{seconds}")

    async def ring(now: float) -> float:
        loop.wake("other")
        return now + 7.0

    async def other(_now: float) -> None:
        return None

    loop.every("ring", ring, 0.0)
    loop.every("other", other, math.inf)
    await run_until(loop, clock, 600.0)
