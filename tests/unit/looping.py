"""Something for a loop to look at, and a way to run one for so long."""

import asyncio
import math

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
