"""How often one session may be told anything: a governor for each lane, and one for waking."""

import math

import msgspec

from attendd.engine.batch import Code
from attendd.engine.settings import Governor, Messages

ONE_SENSOR_AT_MOST = 0.25
"""Changes per second with which one sensor counts at most in the pause of all."""
FLOOD = 1.0
"""Changes per second from which a sensor floods. More than that makes no difference."""
_NEXT_TO_NONE = 1e-3
_HALVINGS = 50
"""Steps of a bisection: finer than any clock."""


class EventGovernor(msgspec.Struct, kw_only=True):
    """The event lane's: few batches in a time, further apart the more is going on.

    Attributes:
        opened: when the last batches were told, oldest first.
        rates: changes per second of each sensor, exponentially weighted, as of `rate_at`.
        rate_at: when the last change came.
    """

    opened: list[float] = []
    rates: dict[str, float] = {}
    rate_at: float = 0.0

    def changed(self, now: float, slot: str, changes: int, settings: Governor) -> None:
        """Take note of changes that a sensor reported."""
        left = self._left(now, settings)
        rates = {name: rate * left for name, rate in self.rates.items()}
        rate = rates.get(slot, 0.0) + changes / settings.rate_window_s
        rates[slot] = min(FLOOD, rate)
        self.rates = {name: rate for name, rate in rates.items() if rate > _NEXT_TO_NONE}
        self.rate_at = now

    def rate_now(self, now: float, settings: Governor) -> float:
        """Return the recent changes per second, of each sensor no more than counts."""
        left = self._left(now, settings)
        return sum(min(ONE_SENSOR_AT_MOST, rate * left) for rate in self.rates.values())

    def floods(self, slot: str, now: float, settings: Governor, *, already: bool) -> bool:
        """Tell whether a sensor reports more than anybody can be told.

        Args:
            slot: which.
            now: the present.
            settings: the numbers.
            already: whether it did before; then it does until it counts no more than others.
        """
        rate = self.rates.get(slot, 0.0) * self._left(now, settings)
        return rate >= (ONE_SENSOR_AT_MOST if already else FLOOD)

    def told(self, now: float, settings: Governor) -> None:
        """Take note of a batch with events in it."""
        self.opened = [*self.opened, now][-settings.max_batches :]

    def hold(self, now: float, settings: Governor) -> Code | None:
        """Return why no batch may be told at ``now``; ``None`` if one may."""
        if now < self._window_opens(settings):
            return Code.HELD_RATE
        return None if self._gap_over(now, settings) else Code.HELD_GAP

    def opens_at(self, now: float, settings: Governor) -> float:
        """Return the first moment from ``now`` on when a batch may be told, if nothing changes.

        The gap shrinks while one waits for its end, so where the two meet is searched.
        """
        early = max(now, self._window_opens(settings))
        if self._gap_over(early, settings):
            return early
        late = self.opened[-1] + self._gap_s(early, settings)
        for _ in range(_HALVINGS):
            middle = (early + late) / 2
            if self._gap_over(middle, settings):
                late = middle
            else:
                early = middle
        return late

    def _window_opens(self, settings: Governor) -> float:
        if len(self.opened) < settings.max_batches:
            return -math.inf
        return self.opened[-settings.max_batches] + settings.window_s

    def _gap_s(self, now: float, settings: Governor) -> float:
        growth = settings.gap_growth * math.sqrt(self.rate_now(now, settings))
        grown = settings.gap_s * (1.0 + growth)
        return max(settings.gap_s, min(settings.max_gap_s, grown))

    def _left(self, now: float, settings: Governor) -> float:
        return math.exp(-max(0.0, now - self.rate_at) / settings.rate_window_s)

    def _gap_over(self, now: float, settings: Governor) -> bool:
        return not self.opened or now >= self.opened[-1] + self._gap_s(now, settings)


class MessageGovernor(msgspec.Struct, kw_only=True):
    """The message lane's: a short pause, and so many messages in a time.

    Attributes:
        told_at: when each of the last messages was told, oldest first.
    """

    told_at: list[float] = []

    def told(self, now: float, messages: int, settings: Messages) -> None:
        """Take note of messages that were told together."""
        self.told_at = [*self.told_at, *[now] * messages][-settings.max_messages :]

    def allowance(self, now: float, settings: Messages) -> int:
        """Return how many messages may be told at ``now``."""
        if self.hold(now, settings):
            return 0
        recent = sum(now < at + settings.window_s for at in self.told_at)
        return settings.max_messages - recent

    def hold(self, now: float, settings: Messages) -> Code | None:
        """Return why no message may be told at ``now``; ``None`` if one may."""
        if now < self._window_opens(settings):
            return Code.HELD_RATE
        return Code.HELD_GAP if now < self._gap_ends(settings) else None

    def opens_at(self, now: float, settings: Messages) -> float:
        """Return the first moment from ``now`` on when a message may be told."""
        return max(now, self._window_opens(settings), self._gap_ends(settings))

    def _window_opens(self, settings: Messages) -> float:
        if len(self.told_at) < settings.max_messages:
            return -math.inf
        return self.told_at[-settings.max_messages] + settings.window_s

    def _gap_ends(self, settings: Messages) -> float:
        return self.told_at[-1] + settings.gap_s if self.told_at else -math.inf


class WakeBudget(msgspec.Struct, kw_only=True):
    """How often events may wake an idle session.

    Attributes:
        woken: when they last did, oldest first.
    """

    woken: list[float] = []

    def spend(self, now: float, settings: Governor) -> None:
        """Take note of a wake."""
        self.woken = [*self.woken, now][-max(1, settings.max_wakes) :]

    def opens_at(self, now: float, settings: Governor) -> float:
        """Return the first moment from ``now`` on when there is a wake left."""
        if not settings.max_wakes:
            return math.inf
        if len(self.woken) < settings.max_wakes:
            return now
        return max(now, self.woken[-settings.max_wakes] + settings.wake_window_s)
