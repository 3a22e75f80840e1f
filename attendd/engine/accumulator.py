"""What one sensor has seen and not told yet: it adds up, merges what is equal, and fades."""

from collections.abc import Iterable, Sequence

import msgspec

from attendd.model import Lane, Observation, Priority

MAX_MAGNITUDE = 10.0
"""The largest magnitude of one observation; sums may be larger."""


class Item(msgspec.Struct, kw_only=True):
    """One pending observation, or several equal ones.

    Attributes:
        id: its number within the attention.
        text: what happened.
        topic: what it is about.
        lane: the rules it lives under.
        magnitude: what is left of the sum of its observations'.
        wakes: whether any of them is worth waking an idle session.
        count: how many they are.
        fired: the priority it fired with, if the batch then had no room for it.
        folded: whether it stands for different observations that were too many to keep.
        again: the number of the last observation that was merged into it; 0 without one.
    """

    id: int
    text: str
    topic: str = ""
    lane: Lane = Lane.EVENT
    magnitude: float = 0.0
    wakes: bool = False
    count: int = 1
    fired: Priority | None = None
    folded: bool = False
    again: int = 0

    @property
    def latest(self) -> int:
        """The number of the last observation in it; 0 for a fold, which is of what is past."""
        return 0 if self.folded else max(self.id, self.again)

    @property
    def key(self) -> tuple[Lane, str, str]:
        """What equal observations have in common."""
        return self.lane, self.topic, self.text

    def observation(self) -> Observation:
        """Return it as the sensor would report it now."""
        return Observation(
            text=self.text,
            magnitude=min(MAX_MAGNITUDE, self.magnitude),
            topic=self.topic,
            lane=self.lane,
            wakes=self.wakes,
        )


class Accumulator:
    """The pending observations of one slot.

    Attributes:
        events: the event lane's, oldest first; a fold, if there is one, is the first.
        messages: the message lane's, oldest first.
    """

    __slots__ = ("_known", "events", "messages")

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self.events: list[Item] = []
        self.messages: list[Item] = []
        self._known: dict[tuple[Lane, str, str], Item] = {}
        for item in items:
            self._append(item)

    def __bool__(self) -> bool:
        return bool(self.events or self.messages)

    @property
    def items(self) -> list[Item]:
        """Everything pending, the message lane first."""
        return self.messages + self.events

    def add(self, observation: Observation, number: int) -> Item | None:
        """Take in an observation.

        Args:
            observation: not the session's own doing.
            number: the id it gets.

        Returns:
            The equal item it was merged into; ``None`` when it is a new one.
        """
        magnitude = _sane(observation.magnitude)
        known = self._known.get((observation.lane, observation.topic, observation.text))
        if known is not None:
            known.magnitude += magnitude
            known.count += 1
            known.again = number
            known.wakes |= observation.wakes
            return known
        self._append(
            Item(
                id=number,
                text=observation.text,
                topic=observation.topic,
                lane=observation.lane,
                magnitude=magnitude,
                wakes=observation.wakes,
            )
        )
        return None

    def loose(self) -> list[Item]:
        """Return the events that have not fired yet."""
        return [item for item in self.events if item.fired is None]

    def fade(self, factor: float, floor: float) -> list[Item]:
        """Let the events that have not fired lose magnitude.

        Args:
            factor: what is left of it, 0 to 1.
            floor: the magnitude below which an item is forgotten.

        Returns:
            What was forgotten.
        """
        gone = []
        for item in self.events:
            if item.fired is None:
                item.magnitude *= factor
                if item.magnitude < floor:
                    gone.append(item)
        self.remove(gone)
        return gone

    def fold(self, most: int, number: int) -> tuple[Item | None, list[Item]]:
        """Keep the events to a number by turning the oldest into a count.

        Args:
            most: how many may stay, the count itself not counted.
            number: the id that a new count gets.

        Returns:
            The count that stands for them now, and what it took in; nothing while there
            are not too many.
        """
        start = 1 if self.events and self.events[0].folded else 0
        excess = self.events[start : max(start, len(self.events) - most)]
        if not excess:
            return None, []
        self.remove(excess)
        fold = self.events[0] if start else Item(id=number, text="", folded=True, count=0)
        if not start:
            self.events.insert(0, fold)
        for item in excess:
            fold.count += item.count
            fold.magnitude += item.magnitude
            fold.wakes |= item.wakes
            fold.fired = fold.fired or item.fired
        fold.text = f"{fold.count} earlier changes, folded into this count"
        return fold, excess

    def remove(self, items: Sequence[Item]) -> None:
        """Let go of items."""
        if not items:
            return
        gone = {item.id for item in items}
        self.events = [item for item in self.events if item.id not in gone]
        self.messages = [item for item in self.messages if item.id not in gone]
        for item in items:
            if not item.folded:
                self._known.pop(item.key, None)

    def _append(self, item: Item) -> None:
        lane = self.messages if item.lane is Lane.MESSAGE else self.events
        if item.folded:
            lane.insert(0, item)
            return
        lane.append(item)
        self._known[item.key] = item


def total(items: Iterable[Item]) -> float:
    """Add up what items weigh."""
    return sum(item.magnitude for item in items)


def _sane(magnitude: float) -> float:
    """Bring a sensor's magnitude into range; whatever is no number is noise."""
    return min(MAX_MAGNITUDE, magnitude) if magnitude > 0 else 0.0
