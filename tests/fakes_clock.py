"""A clock that goes exactly as far as somebody waits."""

import asyncio


class SimClock:
    """Both clocks of `attendd.clock.Clock`, starting at 0 and at a round wall time.

    Attributes:
        waits: how often somebody waited.
        asleep_s: how much of its time was slept through.
    """

    def __init__(self) -> None:
        self._now = 0.0
        self.offset = 1_800_000_000.0
        self.waits = 0
        self.asleep_s = 0.0

    def now(self) -> float:
        return self._now

    def wall(self) -> float:
        return self._now + self.offset

    def slept(self) -> float:
        return self.asleep_s

    def suspend(self, seconds: float) -> None:
        """Suspend the machine."""
        self._now += seconds
        self.asleep_s += seconds

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        """Let everything run that can, then go on to the moment, unless there is an event."""
        for _ in range(10):
            await asyncio.sleep(0)
            if event.is_set():
                return
        self.waits += 1
        self._now += seconds
