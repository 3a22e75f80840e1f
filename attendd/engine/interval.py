"""The pause of one sensor between two looks: shorter while things happen, longer in peace."""

import msgspec

from attendd.engine.settings import Pace, SlotShape


class Interval(msgspec.Struct, kw_only=True):
    """Where the pause stands.

    Attributes:
        current_s: the pause of a sensor that works, in seconds.
        quiet: polls in a row that found nothing.
        failures: polls in a row that failed.
    """

    current_s: float
    quiet: int = 0
    failures: int = 0

    def changed(self, shape: SlotShape, pace: Pace) -> None:
        """Take note of a poll that found something: look again sooner."""
        self.current_s = bounded(self.current_s / pace.shrink, shape)
        self.quiet = 0
        self.failures = 0

    def unchanged(self, shape: SlotShape, pace: Pace) -> None:
        """Take note of a poll that found nothing: after enough of them look less often."""
        self.quiet += 1
        self.failures = 0
        if self.quiet >= shape.decay_threshold:
            self.current_s = bounded(self.current_s * pace.growth, shape)

    def failed(self) -> None:
        """Take note of a poll that failed."""
        self.failures += 1

    def pause_s(self, shape: SlotShape, pace: Pace) -> float:
        """Return how long to wait before the next poll, in seconds.

        A failing sensor's pause doubles with each failure, up to ten times its longest normal
        one and ten minutes (by default); the first success brings back what it was before.
        """
        if not self.failures:
            return bounded(self.current_s, shape)
        longest = max(
            shape.interval_s, min(shape.interval_s * pace.max_backoff, pace.max_backoff_s)
        )
        doublings = min(self.failures, 64)
        return min(longest, bounded(self.current_s, shape) * pace.backoff**doublings)


def bounded(seconds: float, shape: SlotShape) -> float:
    """Keep a pause within a sensor's shortest and longest; what is no number is its longest."""
    if not seconds > 0:
        return shape.interval_s
    return min(shape.interval_s, max(shape.min_interval_s, seconds))
