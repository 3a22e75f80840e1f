"""Which messages are removed, and when: long after they came to rest with everybody.

A message that is for somebody who was not shown it stays whole, whoever else has read it. What
a group was told comes to rest by its age. What a mailbox joined, muted and heard goes with the
session that it belongs to.
"""

from attendd.hot import db as hot
from attendd.hot import mail
from attendd.hot.ids import USER
from attendd.hot.ledger import LAPSED

PRINTED = "printed:"
"""Before a delivery's number: the key under which it is kept how many lines of its text were
printed, where they are printed in parts."""

_TO_GROUP = "delivery.kind IN ('project', 'channel', 'open')"
AGING = f"""SELECT id FROM delivery INDEXED BY delivery_due WHERE message IS NOT NULL
    AND state IN ('stored', 'claimed') AND (state = 'stored' OR {LAPSED}) AND {_TO_GROUP}
    AND (created_at < :before OR {mail.AGED}) LIMIT :chunk"""
"""What groups were told too long ago to be offered, in whatever mailbox, held or not; what a
mute keeps back, too, once it is as old as what is removed."""
_AGE = f"UPDATE delivery SET state = 'expired', reason = 'aged' WHERE id IN ({AGING})"
_UNSETTLED = f"""(state IN ('stored', 'claimed')
    OR (state IN ('announced', 'queued') AND NOT {_TO_GROUP}))"""
_MOVED_AT = """max(delivery.created_at, coalesce(announced_at, 0), coalesce(offered_at, 0),
    coalesce(queued_at, 0), coalesce(fetched_at, 0), coalesce(seen_at, 0),
    coalesce(read_at, 0), coalesce(answered_at, 0), coalesce(message.retracted_at, 0))"""
_GIVEN_UP = """CASE WHEN state = 'undeliverable' THEN min(message.created_at + 2 * :kept,
    coalesce((SELECT seen_at FROM session WHERE session.id = delivery.session),
    message.created_at)) + :kept ELSE 0 END"""
"""When nobody came back for so long that it was given up. Of a session that came back after all
only the age of the message tells."""
OLD = f"""SELECT id FROM message INDEXED BY message_age
    WHERE created_at < :before AND NOT EXISTS (
        SELECT 1 FROM delivery WHERE delivery.message = message.id AND ({_UNSETTLED}
        OR {_MOVED_AT} >= :before OR {_GIVEN_UP} >= :before))
    LIMIT :chunk"""
_FORGET_PRINTED = f"""DELETE FROM meta
    WHERE key IN (SELECT '{PRINTED}' || id FROM delivery WHERE message = ?)"""
_BELONGINGS = ("membership", "mute", "heard")


def age(db: hot.Connection, asked: dict[str, object]) -> int:
    """Stop offering what groups were told too long ago, in the caller's transaction.

    Args:
        db: the store.
        asked: as for `remove_messages`, and the present: ``wall``, ``boot`` and ``bt``.

    Returns:
        How many deliveries.
    """
    return db.execute(_AGE, asked).rowcount


def remove_messages(db: hot.Connection, asked: dict[str, object]) -> int:
    """Remove old messages with their deliveries, in the caller's transaction.

    Args:
        db: the store.
        asked: ``before``, the wall clock that all must have been at rest at; ``kept``, how long
            that is ago; ``chunk``, how many at most.

    Returns:
        How many.
    """
    ids = db.execute(OLD, asked).fetchall()
    db.executemany(_FORGET_PRINTED, ids)
    db.executemany("DELETE FROM delivery WHERE message = ?", ids)
    db.executemany("DELETE FROM message WHERE id = ?", ids)
    return len(ids)


def remove_belongings(db: hot.Connection, before: float) -> None:
    """Remove what only sessions had that are forgotten by now, and channels nobody is in."""
    gone = f"session <> '{USER}' AND session NOT IN (SELECT id FROM session)"
    for table in _BELONGINGS:
        db.execute(f"DELETE FROM {table} WHERE {gone}")
    db.execute(
        """DELETE FROM meta WHERE key GLOB 'rounds:*'
            AND substr(key, 8) NOT IN (SELECT id FROM session)"""
    )
    db.execute("DELETE FROM mute WHERE until_at < ?", (before,))
    db.execute(
        """DELETE FROM channel WHERE made_at < ?
            AND name NOT IN (SELECT channel FROM membership)""",
        (before,),
    )


def remove_stated(db: hot.Connection, before: float, _chunk: int) -> None:
    """Remove what clients stated of sessions a while ago; also of those nothing reads for."""
    db.execute("DELETE FROM stated WHERE at < ?", (before,))
