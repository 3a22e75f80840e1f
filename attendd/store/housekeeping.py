"""What is removed from the store, and when: only what has come to rest, and only long after.

What must arrive is never touched here, whoever it is for.
"""

from collections.abc import Callable

import msgspec

from attendd.errors import LackingError
from attendd.hot import db as hot
from attendd.hot import ledger, mail
from attendd.hot.moment import Moment
from attendd.store import memory_tidying, tidying
from attendd.store.link import Link

KEPT_S = 30 * 24 * 3600.0
"""How long what has come to rest is kept, by the wall clock."""
KEPT_BATCHES = 20_000
"""How many batches that have come to rest are kept at most: some 20 MB."""
CHUNK = 500
"""How much one sweep removes of a kind, so that it holds nobody up."""
PAGES = 1000
"""How many free pages one sweep returns to the disk."""

OVER = f"""state IN ('stored', 'claimed') AND {ledger.lapsed(ledger.STALE_S)}
    AND lane = 'event' AND batch IS NOT NULL"""
_AT_REST = """SELECT id FROM delivery WHERE batch IS NOT NULL
    AND state IN ('offered', 'expired', 'undeliverable')
    AND (created_at < :before OR id <= (SELECT max(id) FROM delivery) - :batches)
    ORDER BY id LIMIT :chunk"""
_GONE = """SELECT id FROM attachment WHERE ended_at < :before AND NOT EXISTS (
    SELECT 1 FROM delivery WHERE delivery.session = attachment.session
    AND delivery.attachment = attachment.id AND state IN ('stored', 'claimed'))
    LIMIT :chunk"""
_FORGOTTEN = """SELECT id FROM session WHERE seen_at < :before
    AND NOT EXISTS (SELECT 1 FROM attachment WHERE attachment.session = session.id)
    AND NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.session = session.id)
    AND NOT EXISTS (SELECT 1 FROM session AS earlier WHERE earlier.successor = session.id)
    LIMIT :chunk"""


class Swept(msgspec.Struct, frozen=True, kw_only=True):
    """What one sweep did, in rows.

    Attributes:
        expired: batches that nobody will show any more, marked with the reason.
        batches: old ones removed.
        messages: old ones removed, with all their deliveries.
        attachments: old ones removed, with their checkpoints and sensor health.
        sessions: old ones removed, of which nothing else was left.
        tellings: old ones removed.
        more: whether another sweep would find more right away.
        lacking: what the store has lost, so that nothing was removed of it; a sentence each.
    """

    expired: int
    batches: int
    messages: int
    attachments: int
    sessions: int
    tellings: int
    more: bool
    lacking: tuple[str, ...] = ()


def sweep(
    link: Link, wall: float, boot: str, bt: float, kept_batches: int = KEPT_BATCHES
) -> Swept:
    """Mark what has grown stale, remove some of what is old, give space back.

    What the store works on without is cleared up each by itself, so that the loss of one holds
    up no other.

    Args:
        link: the store.
        wall: now.
        boot: the boot id.
        bt: now, on the clock that counts suspend.
        kept_batches: how many at rest are kept at most.

    Raises:
        StoreError: nothing was removed.
    """
    asked = {
        "wall": wall,
        "before": wall - KEPT_S,
        "kept": KEPT_S,
        "batches": kept_batches,
        "chunk": CHUNK,
        "boot": boot,
        "bt": bt,
    }

    def work(db: hot.Connection) -> Swept:
        expired = _count(db, _expire(ledger.STALE, "stale"), asked)
        expired += _count(db, _expire(OVER, "unconfirmed"), asked)
        aged = tidying.age(db, asked)
        removed = {
            "batches": _remove_batches(db, asked),
            "messages": tidying.remove_messages(db, asked),
            "attachments": _remove_attachments(db, asked),
            "tellings": _count(db, _remove("telling", "at < :before"), asked),
            "sessions": _count(db, f"DELETE FROM session WHERE id IN ({_FORGOTTEN})", asked),
        }
        tidying.remove_belongings(db, wall - KEPT_S)
        db.execute("DELETE FROM conduit WHERE session NOT IN (SELECT id FROM session)")
        more = CHUNK in (aged, *removed.values())
        return Swept(expired=expired, more=more, lacking=(), **removed)

    swept = link.write(work)
    said = [_apart(link, tidying.remove_stated, wall - KEPT_S)]
    said += [_apart(link, part, wall - memory_tidying.SHOWN_S) for part in memory_tidying.PARTS]
    link.give_back(PAGES)
    return msgspec.structs.replace(swept, lacking=tuple(dict.fromkeys(filter(None, said))))


def age(link: Link, now: Moment) -> int:
    """Stop offering what groups were told too long ago, if there is any; return how many.

    Raises:
        StoreError: the store can't be used.
    """
    asked = {**mail.clocks(now), "before": now.wall - KEPT_S, "chunk": CHUNK}
    if not link.read(tidying.AGING, asked):
        return 0
    return link.write(lambda db: tidying.age(db, asked))


def _apart(
    link: Link, remove: Callable[[hot.Connection, float, int], None], before: float
) -> str:
    """Remove what is old of one part; say so if the store has lost that."""
    try:
        link.write(lambda db: remove(db, before, CHUNK))
    except LackingError as error:
        return str(error.args[0])
    return ""


def _remove_batches(db: hot.Connection, asked: dict[str, object]) -> int:
    ids = db.execute(_AT_REST, asked).fetchall()
    db.executemany(
        """DELETE FROM outbox WHERE id = (SELECT batch FROM delivery WHERE id = ?)
            AND (SELECT count(*) FROM delivery WHERE delivery.batch = outbox.id) = 1""",
        ids,
    )
    db.executemany("DELETE FROM delivery WHERE id = ?", ids)
    return len(ids)


def _remove_attachments(db: hot.Connection, asked: dict[str, object]) -> int:
    ids = db.execute(_GONE, asked).fetchall()
    db.executemany("DELETE FROM checkpoint WHERE attachment = ?", ids)
    db.executemany("DELETE FROM health WHERE attachment = ?", ids)
    db.executemany("DELETE FROM attachment WHERE id = ?", ids)
    return len(ids)


def _expire(condition: str, reason: str) -> str:
    return f"UPDATE delivery SET state = 'expired', reason = '{reason}' WHERE {condition}"


def _remove(table: str, condition: str) -> str:
    return f"""DELETE FROM {table} WHERE rowid IN (
        SELECT rowid FROM {table} WHERE {condition} LIMIT :chunk)"""


def _count(db: hot.Connection, sql: str, asked: dict[str, object]) -> int:
    return db.execute(sql, asked).rowcount
