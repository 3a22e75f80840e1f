"""How a sensor fares at run time: whether it fails, floods, or sees less than it could."""

import msgspec

FLOODS = "it says more than one thing a second: most of it is only counted, others come first"
"""What is said of a sensor that floods its session."""


class Health(msgspec.Struct):
    """How a sensor fares.

    Attributes:
        failures: failed polls in a row.
        since: wall clock of the last change of its state.
        detail: the last failure, in one line; empty while well.
        polled_at: wall clock of the last poll that ended; 0 before it.
        limits: why it sees less than it could though its polls go well; mostly empty.
        told: batches with a line of this sensor in them.
        floods: whether it says more than can be told.
    """

    since: float
    failures: int = 0
    detail: str = ""
    polled_at: float = 0.0
    told: int = 0
    floods: bool = False
    limits: str = ""

    @property
    def state(self) -> str:
        """``ok``, ``limited``, ``flooding`` or ``failing``."""
        if self.failures:
            return "failing"
        if self.floods:
            return "flooding"
        return "limited" if self.limits else "ok"

    @property
    def said(self) -> str:
        """What is to be said about that; empty while all is well."""
        return self.detail or (FLOODS if self.floods else self.limits)
