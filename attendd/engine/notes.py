"""What was decided and has not been handed out yet, and the numbers that tell things apart."""

from attendd.engine.accumulator import Item
from attendd.engine.batch import Code, Decision


class Notes:
    """Decisions in the order in which they were taken.

    Attributes:
        now: the moment they are taken at.
        last: the last number given to an observation.
    """

    __slots__ = ("_unsaid", "last", "now")

    def __init__(self, last: int = 0) -> None:
        self.now = 0.0
        self.last = last
        self._unsaid: list[Decision] = []

    def number(self) -> int:
        """Return the next number."""
        self.last += 1
        return self.last

    def say(
        self,
        code: Code,
        slot: str,
        item: Item,
        *,
        magnitude: float | None = None,
        detail: str = "",
    ) -> None:
        """Add a decision about an item.

        Args:
            code: the reason.
            slot: whose it is.
            item: what it is about.
            magnitude: what it was decided by; the item's own if not given.
            detail: what else there is to know.
        """
        self._unsaid.append(
            Decision(
                at=self.now,
                slot=slot,
                code=code,
                text=item.text,
                magnitude=item.magnitude if magnitude is None else magnitude,
                count=item.count,
                detail=detail,
                item=item.id,
                lane=item.lane,
            )
        )

    def add(self, decisions: list[Decision]) -> None:
        """Add decisions that were worded elsewhere."""
        self._unsaid += decisions

    def hand_out(self) -> list[Decision]:
        """Return what has not been handed out, once."""
        unsaid, self._unsaid = self._unsaid, []
        return unsaid
