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
        slow_s: a longer pause than the configured one, as the host wishes now; 0: none.
    """

    def __init__(
        self,
        shown: "Iterable[float]" = (),
        gap_s: float = GAP_S,
        most: int = MOST,
        window_s: float = WINDOW_S,
    ) -> None:
        """Begin with the moments at which messages were shown lately; see `adapt`."""
        self.slow_s = 0.0
        self._terms = (gap_s, most, window_s)
        self._shown = sorted(shown)

    def adapt(self, gap_s: float, most: int, window_s: float) -> bool:
        """Go by other terms from now on; tell whether they are others.

        Args:
            gap_s: the shortest pause between two writes, in seconds.
            most: how many messages in any window.
            window_s: how long that is, in seconds.
        """
        before, self._terms = self._terms, (gap_s, most, window_s)
        return before != self._terms

    def wait(self, now: float) -> float:
        """Return after how many seconds the next message may be shown; 0: now."""
        gap_s, most, window_s = self._terms
        self._forget(now)
        if not self._shown:
            return 0.0
        wait = max(0.0, self._shown[-1] + max(gap_s, self.slow_s) - now)
        if self.room(now) < 1:
            wait = max(wait, _LEAST_S, self._shown[-most] + window_s - now)
        return wait

    def room(self, now: float) -> int:
        """Return how many messages one write may show now."""
        _, most, window_s = self._terms
        self._forget(now)
        for older, at in enumerate(self._shown):
            if at > now - window_s:
                return max(0, most - len(self._shown) + older)
        return most

    def note(self, now: float, count: int = 1) -> None:
        """Take note that so many were shown; a line about many of them counts as one."""
        self._shown += [now] * count

    def _forget(self, now: float) -> None:
        gap_s, _, window_s = self._terms
        since = now - max(window_s, gap_s, self.slow_s)
        while self._shown and self._shown[0] <= since:
            del self._shown[0]
        while self._shown and self._shown[-1] > now:
            del self._shown[-1]
