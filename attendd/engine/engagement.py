"""A sensor that has told much falls silent for a while, then speaks up again by and by.

The curve is that of a nerve cell after a burst: an absolute silence, then a threshold that is
raised and falls back exponentially. Only the event lane knows it.
"""

import math

import msgspec

from attendd.engine.settings import Engagement

_HALVINGS = 50
"""Steps of a bisection: finer than any clock."""
_ROUNDING = 1e-9
"""The share of a threshold that may be missing."""


class Refractory(msgspec.Struct, kw_only=True):
    """When a slot fired with a magnitude that counts.

    Attributes:
        fires: the times, oldest first; older ones than the curve looks at are forgotten.
    """

    fires: list[float] = []

    def fired(self, now: float, magnitude: float, curve: Engagement) -> None:
        """Take note that the slot told something."""
        self.fires = [at for at in self.fires if now - at < curve.live_s][-curve.burst :]
        if magnitude >= curve.live_from:
            self.fires = [*self.fires, now][-curve.burst :]

    def factor(self, now: float, curve: Engagement) -> float:
        """Return what the slot's threshold is multiplied by at ``now``.

        Returns:
            1.0 at rest; from the curve's peak down towards 1.0 after a burst; ``inf``
            during the silence that directly follows one.

        Source:
            Absolute and relative refractory period of a spiking neuron, reduced to a silence
            and an exponential.
        """
        if not self._burst(now, curve):
            return 1.0
        since = max(0.0, now - self.fires[-1])
        if since < curve.silence_s:
            return math.inf
        return 1.0 + (curve.peak - 1.0) * math.exp2(-since / curve.half_life_s)

    def opens_at(
        self, now: float, magnitude: float, threshold: float, curve: Engagement, fade_s: float
    ) -> float | None:
        """Find when a sum that fades reaches the threshold that falls.

        Args:
            now: the present.
            magnitude: the sum at ``now``; below what it would have to reach.
            threshold: what it has to reach at rest.
            curve: the shape of silence and return.
            fade_s: the half-life of the sum, in seconds.

        Returns:
            The first moment from ``now`` on, or ``None`` if the sum fades too fast.
        """
        if not self._burst(now, curve):
            return now if reaches(magnitude, threshold) else None
        over = self.fires[-curve.burst] + curve.live_s
        start = max(now, self.fires[-1] + curve.silence_s)
        if start < over:
            left = magnitude * math.exp2(-(start - now) / fade_s)
            raised = threshold * (curve.peak - 1.0)
            raised *= math.exp2(-(start - self.fires[-1]) / curve.half_life_s)
            wait = crossing(left, threshold, raised, fade_s, curve.half_life_s)
            if wait is not None and start + wait < over:
                return start + wait
        left = magnitude * math.exp2(-max(0.0, over - now) / fade_s)
        return max(now, over) if reaches(left, threshold) else None

    def _burst(self, now: float, curve: Engagement) -> bool:
        """Tell whether as many fires count at ``now`` as make a burst."""
        return len(self.fires) >= curve.burst and now - self.fires[-curve.burst] < curve.live_s


def reaches(magnitude: float, threshold: float) -> bool:
    """Tell whether a sum is enough, whatever was lost of it in rounding."""
    return magnitude >= threshold * (1.0 - _ROUNDING)


def crossing(
    magnitude: float, threshold: float, raised: float, fade_s: float, fall_s: float
) -> float | None:
    """Find after how long a fading sum first reaches a falling threshold.

    Args:
        magnitude: the sum now; halves each ``fade_s``.
        threshold: the threshold at rest.
        raised: what is added to it now; halves each ``fall_s``.
        fade_s: seconds.
        fall_s: seconds.

    Returns:
        Seconds from now; ``None`` if it never does. Between the two curves lies a hill at
        most: the way up to its top is searched by bisection.
    """

    def enough(after: float) -> bool:
        bar = threshold + raised * math.exp2(-after / fall_s)
        return reaches(magnitude * math.exp2(-after / fade_s), bar)

    if enough(0.0):
        return 0.0
    if magnitude <= 0 or fall_s >= fade_s or raised * fade_s <= magnitude * fall_s:
        return None
    late = math.log2(raised * fade_s / (magnitude * fall_s)) / (1 / fall_s - 1 / fade_s)
    if not enough(late):
        return None
    early = 0.0
    for _ in range(_HALVINGS):
        middle = (early + late) / 2
        early, late = (early, middle) if enough(middle) else (middle, late)
    return late
