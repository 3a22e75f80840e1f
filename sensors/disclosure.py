"""Teaches a session how to use attend, and again when that has scrolled out of reach.

The ledger of what was told where goes along from host to host, with the place and the epoch of
the conversation that it holds for, so the next one sees what of it was lost meanwhile.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from attendd.api import (
    Component,
    Focus,
    Gauge,
    Magnitude,
    Observation,
    Seconds,
    SensorConfig,
    SensorType,
    hookimpl,
)

MAGNITUDE = 5.0
"""What every telling weighs, so that it crosses any threshold by itself."""

GAP_S = 120.0
"""The shortest time between two components."""

UNKNOWN_WINDOW = 200_000
"""The window that is assumed where it is unknown: a quarter of it is 50,000 tokens."""

LOST_PCT = 10.0
"""A drop by so much of the window means that earlier teaching is lost."""

TURNS = 20
BYTES = 40_000
"""Distances where no gauge exists at all."""


class DisclosureConfig(SensorConfig, frozen=True, kw_only=True):
    """``[sensors.disclosure]``.

    Attributes:
        reheat_pct: how much of the context window goes by before a text is told again.
    """

    interval_s: Seconds = 60.0
    min_interval_s: Seconds = 20.0
    threshold: Magnitude = 1.5
    decay_threshold: int = 3
    reheat_pct: Annotated[float, msgspec.Meta(gt=0, le=100)] = 25.0


class Position(msgspec.Struct, frozen=True):
    """Where a conversation is.

    Attributes:
        tokens: on the axis of its window; ``None`` where no gauge exists.
        turns: prompts by people so far.
        bytes: how much the transcript has grown so far.
    """

    tokens: int | None
    turns: int = 0
    bytes: int = 0


class Ledger(msgspec.Struct):
    """Component to the position of its last telling, in one conversation at a time.

    Attributes:
        here: where the conversation is; ``None`` before the first `move`.
        marks: those positions.
        session: whose conversation.
        epoch: see `Gauge`.
        told_at: when something was told last that may still be there, on the focus' clock.
    """

    here: Position | None = None
    marks: dict[str, Position] = {}
    session: str = ""
    epoch: str = ""
    told_at: float | None = None

    def same(self, session: str, epoch: str) -> bool:
        """Tell whether this is still the conversation of the last `move`.

        An empty epoch is one that nobody knows, which proves nothing.
        """
        return session == self.session and (epoch == self.epoch or "" in (epoch, self.epoch))

    def move(self, position: Position, window: int, session: str, epoch: str) -> None:
        """Go to where the conversation is now.

        Another conversation, and a drop by `LOST_PCT` of the window, clears all marks, so that
        the next telling need not wait; a smaller drop moves them down with it.

        Args:
            position: that place.
            window: of the current model, in tokens.
            session: whose conversation.
            epoch: see `Gauge`; empty where there is none.
        """
        before = self.here
        same = self.same(session, epoch)
        self.here, self.session, self.epoch = position, session, epoch or self.epoch
        dropped = _drop(before, position)
        if not same or dropped >= window * LOST_PCT / 100 or _started_over(before, position):
            self.marks.clear()
            self.told_at = None  # what is gone keeps nothing else waiting
        elif dropped > 0:
            self.marks = {name: _lower(mark, dropped) for name, mark in self.marks.items()}

    def stamp(self, component: str, now: float) -> None:
        """Note that a component was told here."""
        self.told_at = now
        if self.here is not None:
            self.marks[component] = self.here

    def due(self, component: str, reheat_tokens: float) -> bool:
        """Tell whether a component was never told, or too far back."""
        here, mark = self.here, self.marks.get(component)
        if here is None or mark is None:
            return True
        if here.tokens is None:
            return here.turns - mark.turns >= TURNS or here.bytes - mark.bytes >= BYTES
        if mark.tokens is None:
            # told before there was a gauge: measured from here on
            self.marks[component] = msgspec.structs.replace(mark, tokens=here.tokens)
            return False
        return here.tokens - mark.tokens >= reheat_tokens


class DisclosureSensor:
    """Tells one component at a time: at its first use, and after each quarter of the window."""

    def __init__(self, config: DisclosureConfig) -> None:
        self._config = config
        self._ledger = Ledger()

    async def poll(self, focus: Focus) -> Sequence[Observation]:
        """Look where the conversation is, and tell what is due, lowest order first.

        A session without its first prompt is taught by the hook that starts it, and not here.
        """
        gauge = await focus.gauge()
        window = (gauge and gauge.tokens_total) or UNKNOWN_WINDOW
        self._move(focus, gauge, window)
        for topic in focus.missed:
            self._ledger.marks.pop(topic, None)
        for telling in focus.tellings:
            self._ledger.stamp(telling.topic, focus.now)
        if not focus.activity.prompted or self._too_soon(focus.now):
            return []
        reheat_tokens = window * self._config.reheat_pct / 100
        due = [c for c in focus.components if self._ledger.due(c.id, reheat_tokens)]
        if not due:
            return []
        chosen = min(due, key=lambda component: (component.order, component.id))
        self._ledger.stamp(chosen.id, focus.now)
        return [_observation(chosen)]

    def snapshot(self) -> Any:  # noqa: ANN401 - whatever JSON can hold
        """Return the ledger."""
        return msgspec.to_builtins(self._ledger)

    def restore(self, state: Any) -> None:  # noqa: ANN401 - what `snapshot` returned
        """Take up a ledger.

        Raises:
            msgspec.ValidationError: it is none.
        """
        self._ledger = msgspec.convert(state, Ledger)

    def _move(self, focus: Focus, gauge: Gauge | None, window: int) -> None:
        epoch = gauge.epoch if gauge else ""
        tokens = gauge.tokens_used if gauge else None
        last = self._ledger.here
        if (
            gauge
            and gauge.method == "none"
            and last
            and self._ledger.same(focus.session, epoch)
        ):
            tokens = last.tokens  # no answer to read yet says nothing of a drop
        position = Position(tokens, focus.activity.turns, focus.activity.bytes)
        self._ledger.move(position, window, focus.session, epoch)

    def _too_soon(self, now: float) -> bool:
        told_at = self._ledger.told_at
        return told_at is not None and 0 <= now - told_at < GAP_S


def _drop(before: Position | None, after: Position) -> int:
    if before is None or before.tokens is None or after.tokens is None:
        return 0
    return before.tokens - after.tokens


def _started_over(before: Position | None, after: Position) -> bool:
    """Tell whether turns or bytes fell, where they are all there is to go by."""
    if before is None or after.tokens is not None:
        return False
    return after.turns < before.turns or after.bytes < before.bytes


def _lower(mark: Position, tokens: int) -> Position:
    if mark.tokens is None:
        return mark
    return msgspec.structs.replace(mark, tokens=mark.tokens - tokens)


def _observation(component: Component) -> Observation:
    return Observation(topic=component.id, text=component.text, magnitude=MAGNITUDE)


@hookimpl
def attend_sensors() -> list[SensorType]:
    """Offer the disclosure sensor."""
    summary = "how to use the parts of attend that are in use, and again when it is far back"
    return [SensorType("disclosure", summary, DisclosureConfig, DisclosureSensor, rests=True)]
