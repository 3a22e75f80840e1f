"""Which messages are removed, and when: long after they came to rest with everybody.

A message that was not shown to one of its recipients stays whole, whoever has read it. What a
mailbox joined, muted and heard goes with the session that it belongs to.
"""

from attendd.hot import db as hot
from attendd.hot.ids import USER

PRINTED = "printed:"
"""Before a delivery's number: the key under which it is kept how many lines of its text were
printed, where they are printed in parts."""

_UNSETTLED = "('stored', 'claimed', 'announced', 'queued')"
_MOVED_AT = """max(delivery.created_at, coalesce(announced_at, 0), coalesce(offered_at, 0),
    coalesce(queued_at, 0), coalesce(fetched_at, 0), coalesce(seen_at, 0),
    coalesce(read_at, 0), coalesce(answered_at, 0), coalesce(message.retracted_at, 0))"""
_GIVEN_UP = """CASE WHEN state = 'undeliverable' THEN coalesce((SELECT seen_at FROM session
    WHERE session.id = delivery.session), 0) + :kept ELSE 0 END"""
"""When nobody came back for so long that it was given up."""
OLD = f"""SELECT id FROM message INDEXED BY message_age
    WHERE created_at < :before AND NOT EXISTS (
        SELECT 1 FROM delivery WHERE delivery.message = message.id AND (state IN {_UNSETTLED}
        OR {_MOVED_AT} >= :before OR {_GIVEN_UP} >= :before))
    LIMIT :chunk"""
_FORGET_PRINTED = f"""DELETE FROM meta
    WHERE key IN (SELECT '{PRINTED}' || id FROM delivery WHERE message = ?)"""
_BELONGINGS = ("membership", "mute", "heard")


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
    db.execute("DELETE FROM mute WHERE until_at < ?", (before,))
    db.execute(
        """DELETE FROM channel WHERE made_at < ?
            AND name NOT IN (SELECT channel FROM membership)""",
        (before,),
    )


def remove_stated(db: hot.Connection, before: float, _chunk: int) -> None:
    """Remove what clients stated of sessions a while ago; also of those nothing reads for."""
    db.execute("DELETE FROM stated WHERE at < ?", (before,))
