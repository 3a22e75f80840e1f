"""What the wall clock showed when: clients write that down, and it may be set at any moment."""

_SET_S = 0.1
"""So much more or less it moves only by being set."""
_MOST = 16


class Walls:
    """How far the wall clock was ahead of the clock that counts suspend, as seen at looks."""

    def __init__(self) -> None:
        self._ahead: list[tuple[float, float]] = []
        self._seen = float("-inf")

    def see(self, now: float, wall: float) -> None:
        """Take note of the present on both clocks."""
        if not self._ahead or abs(wall - now - self._ahead[-1][1]) > _SET_S:
            # What is asked about has mostly happened just now, so after it was set.
            self._ahead = [*self._ahead[1 - _MOST :], (self._seen, wall - now)]
        self._seen = now

    def at(self, moment: float) -> float:
        """Return what the wall clock showed at a moment, after `see`."""
        known = (ahead for since, ahead in reversed(self._ahead) if since <= moment)
        return moment + next(known, self._ahead[0][1])
