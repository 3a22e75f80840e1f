"""The governor of messages: none is dropped, but not all come at once. Pure."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

GAP_S = 3.0
"""The shortest pause between two writes with messages; after a quiet time none is kept."""
MOST = 30
"""So many messages in any `WINDOW_S`."""
WINDOW_S = 60.0

_LEAST_S = 0.001
"""A wait that is longer than what two sums of fractions may differ by."""


class Pace:
    """When how many messages may be shown. Moments are seconds of one clock.

    Attributes:
        gap_s: the pause that is kept, `GAP_S` or what the host wishes.
    """

    def __init__(self, shown: "Iterable[float]" = ()) -> None:
        """Begin with the moments at which messages were shown lately."""
        self.gap_s = GAP_S
        self._shown = sorted(shown)

    def wait(self, now: float) -> float:
        """Return after how many seconds the next message may be shown; 0: now."""
        self._forget(now)
        if not self._shown:
            return 0.0
        wait = max(0.0, self._shown[-1] + self.gap_s - now)
        if self.room(now) < 1:
            wait = max(wait, _LEAST_S, self._shown[-MOST] + WINDOW_S - now)
        return wait

    def room(self, now: float) -> int:
        """Return how many messages one write may show now."""
        lately = [at for at in self._shown if now - WINDOW_S < at <= now]
        return max(0, MOST - len(lately))

    def note(self, now: float, count: int = 1) -> None:
        """Take note that so many were shown; a line about many of them counts as one."""
        self._shown += [now] * count

    def _forget(self, now: float) -> None:
        span = max(WINDOW_S, self.gap_s)
        self._shown = [at for at in self._shown if now - span < at <= now]
