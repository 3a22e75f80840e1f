"""The tick: polls what is due, together, and sleeps exactly until something is due again.

The loop knows slots and times, not sessions, stores or clients: what a poll needs it is lent,
and what a step decides it hands on.
"""

import asyncio
import heapq
import itertools
import math
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from contextlib import suppress
from typing import Protocol

from attendd.clock import Clock

LONGEST_SLEEP_S = 30.0
"""No sleep is longer: the system's timers stand still while the machine is suspended."""
LOST_S = 30.0
"""Who comes back from a sleep so much later than planned was kept from it."""


class Due(Protocol):
    """Something with polls to be made and decisions to be taken: one session's attention."""

    def due(self, now: float) -> list[str]:
        """Name the polls to start at ``now``; they count as under way from here on."""
        ...

    async def poll(self, name: str) -> None:
        """Make one poll. Never raises: a failed one is recorded by its owner."""
        ...

    def settle(self, now: float) -> float | None:
        """Decide what can be told at ``now``; return when there is something to do again.

        A poll under way is nothing to do: its end settles once more.
        """
        ...


Timer = Callable[[float], Awaitable[float | None]]
"""Does something at ``now``; returns when to do it again, ``None``: when planned or woken."""

Wait = Callable[[asyncio.Event, float], Awaitable[None]]
"""Waits for an event, at most so many seconds; returns at either."""


async def wait_for(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event, at most so many seconds."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


class Loop:
    """Runs any number of attentions and timers on one heap of times.

    Attributes:
        lost: is told, before anything else is done, for how many seconds nothing ran here: the
            machine was suspended, or this process was stopped.
    """

    def __init__(self, clock: Clock, wait: Wait = wait_for) -> None:
        self._clock = clock
        self._wait = wait
        self.lost: Callable[[float], None] = lambda _seconds: None
        self._woken = asyncio.Event()
        self._planned = clock.now()
        self._heap: list[tuple[float, int, Hashable]] = []
        self._order = itertools.count()
        self._at: dict[Hashable, float] = {}
        self._dues: dict[Hashable, Due] = {}
        self._timers: dict[Hashable, Timer] = {}
        self._stopped = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._settling: set[Hashable] = set()
        self._ringing: set[Hashable] = set()
        self._again: set[Hashable] = set()
        self._failure: BaseException | None = None

    def add(self, key: Hashable, due: Due) -> None:
        """Take on an attention; it is looked at at once."""
        self._dues[key] = due
        self.wake(key)

    def remove(self, key: Hashable) -> None:
        """Let go of an attention or a timer. Polls under way end by themselves."""
        self._dues.pop(key, None)
        self._timers.pop(key, None)
        self._at.pop(key, None)
        self._again.discard(key)

    def every(self, key: Hashable, timer: Timer, at: float) -> None:
        """Call a timer at ``at``, and again when it says, is planned or woken.

        It is called once at a time: one that is due while it is at work is called once more
        when it is done.
        """
        self._timers[key] = timer
        self._schedule(key, at)

    def plan(self, key: Hashable, at: float) -> None:
        """See to it that a timer is called at ``at`` or before."""
        if at < self._at.get(key, math.inf):
            self._schedule(key, at)
            self._woken.set()

    def wake(self, key: Hashable) -> None:
        """Look at an attention or call a timer now, whatever was planned for it."""
        self._schedule(key, self._clock.now())
        self._woken.set()

    def stop(self) -> None:
        """End `run` as soon as it gets its turn; polls under way are cancelled."""
        self._stopped = True
        self._woken.set()

    async def run(self) -> None:
        """Run until `stop`.

        Raises:
            BaseException: what a timer or a settling raised; everything has been stopped.
        """
        self._planned = self._clock.now()
        try:
            while not self._stopped:
                self._woken.clear()
                self._planned = self._look()
                for key in self._pop_due(self._planned):
                    self._turn(key)
                # Read the clock again: what was just done took time.
                now = self._look()
                pause = self._pause(now)
                self._planned = now + pause
                await self._wait(self._woken, pause)
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._failure is not None:
            raise self._failure

    def look(self) -> None:
        """Have lost time said at once: for a timer that has waited and is going to judge."""
        if self._look() > self._planned + LOST_S:
            self._planned = self._clock.now()
            self._woken.set()

    def _look(self) -> float:
        """Read the clock; say how much later it is than planned, if something kept us."""
        now = self._clock.now()
        if now - self._planned > LOST_S:
            self.lost(now - self._planned)
        return now

    def _turn(self, key: Hashable) -> None:
        if key in self._ringing:
            self._again.add(key)
        elif key in self._timers:
            self._ringing.add(key)
            self._start(self._ring(key, self._timers[key]))
        elif key in self._dues:
            due = self._dues[key]
            for name in due.due(self._clock.now()):
                self._start(self._poll(key, due, name))
            self._settle_soon(key)

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        self._failure = self._failure or error
        self.stop()

    async def _poll(self, key: Hashable, due: Due, name: str) -> None:
        await due.poll(name)
        if self._dues.get(key) is due:
            self._settle_soon(key)

    def _settle_soon(self, key: Hashable) -> None:
        """Settle once for all polls that end in the same breath."""
        if key not in self._settling:
            self._settling.add(key)
            asyncio.get_running_loop().call_soon(self._settle, key)

    def _settle(self, key: Hashable) -> None:
        self._settling.discard(key)
        due = self._dues.get(key)
        if due is None or self._stopped:
            return
        try:
            at = due.settle(self._clock.now())
        except Exception as error:  # noqa: BLE001 - it ends the loop, where it is raised again
            self._fail(error)
            return
        if at is not None:
            self._schedule(key, at)
            self._woken.set()

    async def _ring(self, key: Hashable, timer: Timer) -> None:
        at = await timer(self._clock.now())
        self._ringing.discard(key)
        if key in self._again:
            self._again.discard(key)
            self.wake(key)
        elif at is not None and self._timers.get(key) is timer:
            self.plan(key, at)  # unless it was woken meanwhile, and is to be called before

    def _schedule(self, key: Hashable, at: float) -> None:
        self._at[key] = at
        heapq.heappush(self._heap, (at, next(self._order), key))

    def _pop_due(self, now: float) -> list[Hashable]:
        """Take what is due off the heap; entries that were replanned since are skipped."""
        found: dict[Hashable, None] = {}
        while self._heap and self._heap[0][0] <= now:
            at, _, key = heapq.heappop(self._heap)
            if self._at.get(key) == at:
                del self._at[key]
                found[key] = None
        return list(found)

    def _pause(self, now: float) -> float:
        while self._heap and self._at.get(self._heap[0][2]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        if not self._heap:
            return LONGEST_SLEEP_S
        return min(LONGEST_SLEEP_S, max(0.0, self._heap[0][0] - now))
