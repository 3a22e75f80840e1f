import asyncio
import math
from collections.abc import Callable

import pytest

from attendd.loop import Loop
from tests.fakes_clock import SimClock


class Counting:
    """A `Due` with one sensor of a fixed interval that can be slow."""

    def __init__(
        self, clock: SimClock, interval_s: float, *, slow: asyncio.Event | None = None
    ) -> None:
        self._clock = clock
        self._interval_s = interval_s
        self._slow = slow
        self._at = 0.0
        self.polled: list[float] = []
        self.settled = 0

    def due(self, now: float) -> list[str]:
        if now < self._at:
            return []
        self._at = math.inf
        return ["sensor"]

    async def poll(self, name: str) -> None:
        self.polled.append(self._clock.now())
        if self._slow is not None:
            await self._slow.wait()
        self._at = self._clock.now() + self._interval_s

    def settle(self, now: float) -> float | None:
        self.settled += 1
        return self._at


async def run_until(loop: Loop, clock: SimClock, end: float) -> None:
    async def stop(_now: float) -> None:
        loop.stop()

    loop.every("end", stop, end)
    await loop.run()


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
