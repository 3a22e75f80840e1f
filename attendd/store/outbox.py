"""Batches on their way to sessions: put in, looked after, asked about."""

import sys
from collections.abc import Sequence

import msgspec

from attendd.hot import db as hot
from attendd.hot import ledger, mail
from attendd.hot.hooked import ready, riding
from attendd.hot.moment import Moment
from attendd.store.checkpoints import save_checkpoint
from attendd.store.link import Link
from attendd.store.rows import Checkpoint, Conduit, Delivery, columns, rows

_OF_BOTH = ("id", "session", "attachment", "created_at")
_FIELDS = ", ".join(
    f"delivery.{field}" if field in _OF_BOTH else field for field in Delivery.__struct_fields__
)
_FROM = "FROM delivery JOIN outbox ON outbox.id = delivery.batch"
_UNTOLD = """(repeats = 0 AND (state = 'stored' OR (state = 'expired' AND reason = 'stale')))"""
_FOR_HOOKS = [f"coalesce(attachment, '') LIKE '%{of('')}'" for of in (ready, riding)]
DUE = f"""SELECT DISTINCT session FROM delivery INDEXED BY delivery_due
    WHERE state IN ('stored', 'claimed') AND hold = ''
    AND (message IS NOT NULL OR NOT {" AND NOT ".join(_FOR_HOOKS)}) AND (message IS NULL
    OR NOT ({mail.AGED} OR {mail.MUTED_AFTER.format(author=mail.AUTHOR, wall=":wall")}))"""
WAITING = f"""SELECT {_FIELDS} {_FROM} WHERE delivery.session = :session
    AND state IN ('stored', 'claimed')
    AND (:attachment IS NULL OR delivery.attachment = :attachment) ORDER BY delivery.id"""


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """Lines for one attachment.

    Attributes:
        attachment: who is to show them.
        session: whom they are for.
        lane: ``message`` if any of them must arrive, else ``event``.
        text: whole lines, each ended by a newline.
        correlation: a new id, the same in the journal.
        wall: now.
        boot: the boot id.
        bt: now, on the clock that counts suspend.
    """

    attachment: str
    session: str
    lane: str
    text: str
    correlation: str
    wall: float
    boot: str
    bt: float


class Outbox:
    """Deliveries of batches. Every method can raise `attendd.errors.StoreError`."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def put(self, batch: Batch, checkpoint: Checkpoint | None = None) -> int:
        """Commit a batch together with the state that knows that it was told.

        A host that dies right after has a successor that does not tell it again.

        Args:
            batch: what to show; its correlation can be put again without harm.
            checkpoint: the state of that attachment after it; ``None`` leaves the last one.

        Returns:
            The id of its delivery.
        """

        def work(db: hot.Connection) -> int:
            delivery = ledger.add_batch(
                db,
                {
                    "attachment": batch.attachment,
                    "session": batch.session,
                    "lane": batch.lane,
                    "text": batch.text,
                    "correlation": batch.correlation,
                    "wall": batch.wall,
                    "boot": batch.boot,
                    "bt": batch.bt,
                },
            )
            if checkpoint is not None:
                save_checkpoint(db, checkpoint)
            return delivery

        return self._link.write(work)

    def claimed(self, correlation: str) -> bool:
        """Tell whether somebody has claimed a batch, so that it counts as told."""
        sql = f"SELECT 1 {_FROM} WHERE correlation = ? AND NOT {_UNTOLD}"
        return bool(self._link.read(sql, (correlation,)))

    def in_hand(self, correlation: str, boot: str, bt: float) -> bool:
        """Tell whether somebody has claimed a batch, and may give it back untold."""
        sql = f"""SELECT 1 {_FROM} WHERE correlation = :correlation AND state = 'claimed'
            AND NOT {ledger.LAPSED}"""
        return bool(self._link.read(sql, {"correlation": correlation, "boot": boot, "bt": bt}))

    def take_back(self, correlation: str) -> bool:
        """Take a batch away; false if somebody has claimed it, which leaves it as it is."""
        return not self._take_away("correlation = ?", (correlation,))

    def clear(self, attachment: str, but: str = "") -> None:
        """Take away what lies unclaimed for an attachment, but for one correlation."""
        self._take_away("delivery.attachment = ? AND correlation <> ?", (attachment, but))

    def _take_away(self, which: str, asked: tuple[str, ...]) -> bool:
        """Remove batches that nobody has claimed; tell whether others are left."""

        def work(db: hot.Connection) -> bool:
            sql = f"SELECT delivery.id, batch, {_UNTOLD} {_FROM} WHERE {which}"
            found = db.execute(sql, asked).fetchall()
            for delivery, batch, untold in found:
                if untold:
                    db.execute("DELETE FROM delivery WHERE id = ?", (delivery,))
                    db.execute("DELETE FROM outbox WHERE id = ?", (batch,))
            return not all(untold for _, _, untold in found)

        return self._link.write(work)

    def due(self, now: Moment) -> set[str]:
        """Return every mailbox in which something waits that a reader may show."""
        return {box for (box,) in self._link.read(DUE, mail.clocks(now))}

    def waiting(self, session: str, attachment: str | None = None) -> list[Delivery]:
        """Return what has not come to rest yet for a session, or for one of its readers."""
        asked = {"session": session, "attachment": attachment}
        return rows(Delivery, self._link.read(WAITING, asked))

    def get(self, deliveries: Sequence[int]) -> list[Delivery]:
        """Return how some deliveries fare, in the order of their ids."""
        marks = ", ".join("?" * len(deliveries))
        sql = f"SELECT {_FIELDS} {_FROM} WHERE delivery.id IN ({marks}) ORDER BY delivery.id"
        return rows(Delivery, self._link.read(sql, tuple(deliveries)))

    def recent(self, session: str | None, limit: int) -> list[Delivery]:
        """Return the latest deliveries, newest first, to one session or to all."""
        sql = f"""SELECT {_FIELDS} {_FROM} WHERE :session IS NULL OR delivery.session = :session
            ORDER BY delivery.id DESC LIMIT :limit"""
        return rows(Delivery, self._link.read(sql, {"session": session, "limit": limit}))

    def told_at(self, session: str) -> float | None:
        """Return when a session was last shown something, a message too; wall time."""
        sql = "SELECT max(offered_at) FROM delivery WHERE session = ?"
        told: float | None = self._link.read(sql, (session,))[0][0]
        return told

    def find(self, correlation: str) -> list[Delivery]:
        """Return the batches whose correlation begins so, oldest first."""
        sql = f"""SELECT {_FIELDS} {_FROM} WHERE correlation >= :start
            AND correlation < :end ORDER BY delivery.id"""
        span = {"start": correlation, "end": correlation + chr(sys.maxunicode)}
        return rows(Delivery, self._link.read(sql, span))

    def conduits(self, session: str) -> list[Conduit]:
        """Return how each way into a session fares, by name."""
        sql = f"SELECT {columns(Conduit)} FROM conduit WHERE session = ? ORDER BY name"
        return rows(Conduit, self._link.read(sql, (session,)))
