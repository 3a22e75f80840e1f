"""Prepared hook output: what lies ready for an attended session's hooks.

A hook can't wait for the host, and the host is not asked when one comes. So what a hook would
show is composed beforehand and laid ready in the store, and nothing of it counts as told until
a hook has claimed it. While it lies there it is kept current: replaced when there is more to
tell, and never stale as long as a host vouches for it.
"""

import base64
import math
import os
from collections.abc import Callable, Iterable

import msgspec

from attendd import fingerprint, log
from attendd.clock import Clock
from attendd.engine.attention import Attention
from attendd.engine.batch import Batch as Lines
from attendd.engine.batch import Decision, Mood
from attendd.engine.render import render
from attendd.engine.settings import Lines as Limits
from attendd.errors import StoreError
from attendd.hot import hooked, process
from attendd.model import Lane, Priority
from attendd.store import Batch, Checkpoint, Store

AGAIN_S = 5.0
"""When the store can't be used, how soon it is tried again."""
HAND_S = 2.0
"""How soon it is looked again what has become of what a hook has in hand."""
FRESH_S = 480.0
"""What lies there unchanged is vouched for again after so long: stale is 600 s."""

_log = log.get_logger("desk")


class Laid(msgspec.Struct, frozen=True):
    """What lies ready.

    Attributes:
        correlation: names it in the store.
        session: for whom.
        batch: its lines.
        place: where it lies.
        at: since when it is vouched for.
        digest: of its text, which the store has.
    """

    correlation: str
    session: str
    batch: Lines
    place: str
    at: float
    digest: str = ""


class Desk:
    """The desk of one attachment.

    Attributes:
        only: whether nothing but hooks reaches the session, so that all goes this way.
        laid: what lies there; ``None`` for nothing.
        taken: the batch in which hooks have told each of the observations of the last one.
        heard: called with each batch that a hook has told, and the session it was told to.
    """

    def __init__(
        self, store: Store, clock: Clock, attachment: str, taught: Iterable[str] = ()
    ) -> None:
        """Begin with nothing on it.

        Args:
            store: where things are laid.
            clock: the time.
            attachment: whose desk.
            taught: topics of what is taught, which never prolongs a turn by itself.
        """
        self.only = False
        self.laid: Laid | None = None
        self.taken: dict[int, str] = {}
        self.heard: Callable[[Lines, str], None] = lambda _batch, _session: None
        self._store = store
        self._clock = clock
        self._attachment = attachment
        self._taught = frozenset(taught)

    def restore(self, laid: Laid | None) -> None:
        """Take up what an earlier host laid ready, as the last checkpoint has it.

        Raises:
            StoreError: what is not in it can't be cleared away.
        """
        self.laid = laid
        for place in (hooked.ready(self._attachment), hooked.riding(self._attachment)):
            self._store.outbox.clear(place, laid.correlation if laid else "")

    def collect(self, attention: Attention) -> list[Decision]:
        """Count as told what a hook has claimed since the last time.

        Raises:
            StoreError: that can't be found out.
        """
        if self.laid is None or not self._store.outbox.claimed(self.laid.correlation):
            return []
        return self._took(attention)

    def lay(
        self,
        attention: Attention,
        session: str,
        mood: Mood,
        limits: Limits,
        checkpoint: Callable[[], Checkpoint],
    ) -> tuple[list[Decision], float]:
        """Lay ready what a hook may show now, in place of what lies there.

        Args:
            attention: whose it is.
            session: for whom.
            mood: whether a person has prompted it.
            limits: the room in a batch.
            checkpoint: makes one that knows what lies there, to be kept together with it.

        Returns:
            What was decided, and when to do so again if nothing happens.
        """
        now = self._clock.now()
        decisions: list[Decision] = []
        try:
            if self._in_hand(now):
                return decisions, now + HAND_S
            decisions += self.collect(attention)
            step = attention.preview(now, mood, riders_only=not self.only)
            decisions += step.decisions
            text = "" if step.batch is None else render(step.batch, limits)
            fresh = self._make(session, step.batch, text, now) if step.batch else None
            if not self._same(fresh, now) and self._clear(attention, decisions) and fresh:
                self._put(fresh, text, checkpoint)
        except StoreError as error:
            _log.warning("nothing lies ready for hooks", session=session, why=str(error))
            return decisions, now + AGAIN_S
        vouched = self.laid.at + FRESH_S if self.laid else math.inf
        again_at = step.next_at if self.only and step.next_at is not None else math.inf
        return decisions, min(vouched, again_at)

    def without_told(self, batch: Lines, attention: Attention) -> Lines:
        """Leave out of a batch what a hook has claimed at this very moment.

        Raises:
            StoreError: that can't be found out.
        """
        shared = _items(self.laid.batch) & _items(batch) if self.laid else set()
        if not shared or self._clear(attention, []):
            return batch
        kept = tuple(line for line in batch.lines if not shared & set(line.items))
        return msgspec.structs.replace(batch, lines=kept)

    # -- how --------------------------------------------------------------------

    def _in_hand(self, now: float) -> bool:
        """Whether a hook is about to show what lies there, and may have to give it back."""
        laid, boot = self.laid, process.boot_id()
        return laid is not None and self._store.outbox.in_hand(laid.correlation, boot, now)

    def _make(self, session: str, batch: Lines, text: str, now: float) -> Laid:
        place = hooked.ready if self._opens(batch) else hooked.riding
        name = base64.b32encode(os.urandom(5)).decode().lower()
        digest = fingerprint.of(text.encode("utf-8", "replace"), 16).hex()
        return Laid(name, session, batch, place(self._attachment), now, digest)

    def _opens(self, batch: Lines) -> bool:
        """Tell whether a batch is worth prolonging a turn for: more than what merely rides."""
        return any(
            line.lane is Lane.MESSAGE
            or (
                line.priority is not Priority.LOW
                and any(each.topic not in self._taught for each in line.observations)
            )
            for line in batch.lines
        )

    def _same(self, fresh: Laid | None, now: float) -> bool:
        laid = self.laid
        if laid is None or fresh is None:
            return laid is fresh
        same = all(
            getattr(laid, each) == getattr(fresh, each)
            for each in ("session", "place", "digest")
        )
        return same and 0 <= now - laid.at < FRESH_S

    def _put(self, fresh: Laid, text: str, checkpoint: Callable[[], Checkpoint]) -> None:
        batch = Batch(
            attachment=fresh.place,
            session=fresh.session,
            lane=str(fresh.batch.lane),
            text=text,
            correlation=fresh.correlation,
            wall=self._clock.wall(),
            boot=process.boot_id(),
            bt=fresh.at,
        )
        self.laid = fresh
        try:
            self._store.outbox.put(batch, checkpoint())
        except StoreError:
            self.laid = None
            raise

    def _clear(self, attention: Attention, decisions: list[Decision]) -> bool:
        """Take back what lies there; false where a hook was quicker, so all is to be redone."""
        if self.laid is None:
            return True
        if not self._store.outbox.take_back(self.laid.correlation):
            decisions += self._took(attention)
            return False
        self.laid = None
        return True

    def _took(self, attention: Attention) -> list[Decision]:
        laid, self.laid = self.laid, None
        if laid is None:
            return []
        self.taken = dict.fromkeys(_items(laid.batch), laid.correlation)
        self.heard(laid.batch, laid.session)
        return attention.took(laid.batch, self._clock.now())


def _items(batch: Lines) -> set[int]:
    return {item for line in batch.lines for item in line.items}
