"""How each thing that is to be shown fares with whom it is for: the SQL of delivery.

A delivery is *stored* until a process *claims* it for the time of a lease, shows it, and
records it as *offered*. A claim whose lease ran out belongs to a process that died or was
stopped between the write and the record, so nobody can know whether it was shown: the next
claim repeats it, once. After that it *expires*, unconfirmed. Readers, hooks and the host all go
through here, and nothing else remembers what was shown. Who reads for whom is in `roll`, whose
functions can be had from here as well.

Boot ids and readings of the clock that counts suspend (``bt``, seconds) are arguments. One may
be taken before a wait for a lock, so it can be a minute behind what it is compared with.
"""

import posix

from attendd.hot.db import Connection, change, read, write
from attendd.hot.roll import attach, blocked, detach, enrol, move_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypedDict

    class BatchRow(TypedDict):
        """Whole lines for one attachment; of lane ``message`` if any of them must arrive."""

        attachment: str
        session: str
        lane: str
        text: str
        correlation: str
        wall: float
        boot: str
        bt: float


__all__ = [
    "add_batch",
    "attach",
    "blocked",
    "claim",
    "conduit_failed",
    "conduit_ok",
    "detach",
    "enrol",
    "move_session",
    "offered",
    "release",
    "still_mine",
    "tellings_since",
    "told",
]

BRIEFING = "briefing"
"""In the place of a sensor: the start of a session told in one line what waits for it."""
LEASE_S = 15.0
"""How long a claim holds."""
STALE_S = 600.0
"""A batch of the event lane that nobody claimed for so long is not shown any more."""
_LATE_S = 60.0
"""How old a reading of the clock may be when it is compared."""

_WAITS = """batch IS NOT NULL AND session = :session AND state IN ('stored', 'claimed')
    AND (attachment IS NULL OR attachment = :attachment)"""


def lapsed(since_s: float = 0.0) -> str:
    """Write the condition that a claim ran out, so long ago; it takes ``:boot`` and ``:bt``.

    So has one that would hold for longer than any: the clock is another one.
    """
    return f"""(state = 'claimed' AND (lease_boot <> :boot
        OR :bt NOT BETWEEN lease_bt - {LEASE_S} - {_LATE_S} AND lease_bt + {since_s}))"""


LAPSED = lapsed()
STALE = f"""state IN ('stored', 'claimed') AND state = 'stored' AND lane = 'event'
    AND batch IS NOT NULL AND repeats = 0 AND (created_boot <> :boot
    OR :bt NOT BETWEEN created_bt - {_LATE_S} AND created_bt + {STALE_S})"""
"""What no claim will show any more; takes ``:boot`` and ``:bt``."""
_FREE = f"(state = 'stored' OR {LAPSED})"
DUE = f"""SELECT id, (SELECT text FROM outbox WHERE outbox.id = batch),
    repeats + (state = 'claimed'), ({STALE}) OR (state = 'claimed' AND repeats > 0)
    FROM delivery WHERE {_WAITS} AND {_FREE} ORDER BY id LIMIT :limit"""
"""What may be shown now, and of each whether it is rather to expire."""
_TAKE = f"""UPDATE delivery SET repeats = repeats + (state = 'claimed'), state = 'claimed',
    lease_by = :by, lease_boot = :boot, lease_bt = :until
    WHERE id IN ({{marks}}) AND {_WAITS} AND {_FREE}"""
EXPIRE_STALE = f"""UPDATE delivery SET state = 'expired', reason = 'stale'
    WHERE {_WAITS} AND {STALE}"""
EXPIRE_REPEATED = f"""UPDATE delivery SET state = 'expired', reason = 'unconfirmed'
    WHERE {_WAITS} AND {LAPSED} AND repeats > 0"""
TELLINGS = """SELECT id, topic, conduit, at FROM telling
    WHERE session = ? AND sensor = ? AND id > ? ORDER BY id"""
CONDUIT_OK = """INSERT INTO conduit (session, name, ok_at, latency_ms) VALUES (?, ?, ?, ?)
    ON CONFLICT (session, name) DO UPDATE SET ok_at = excluded.ok_at,
    latency_ms = coalesce(excluded.latency_ms, latency_ms)"""
"""A way into a session works: session, name, when (wall), and how long it took or ``None``."""


def add_batch(db: Connection, row: "BatchRow") -> int:
    """Put a batch for one attachment, as part of a transaction; once for each correlation.

    Returns:
        The id of its delivery.
    """
    added = db.execute(
        """INSERT OR IGNORE INTO outbox (correlation, attachment, session, text, created_at)
            VALUES (:correlation, :attachment, :session, :text, :wall)""",
        row,
    )
    if added.rowcount:
        db.execute(
            """INSERT INTO delivery (session, attachment, batch, lane, state, created_at,
                created_boot, created_bt) VALUES (:session, :attachment, last_insert_rowid(),
                :lane, 'stored', :wall, :boot, :bt)""",
            row,
        )
    known = db.execute(
        """SELECT delivery.id FROM delivery JOIN outbox ON outbox.id = batch
            WHERE correlation = :correlation""",
        row,
    )
    return int(known.fetchone()[0])


def claim(
    db: Connection, attachment: str, session: str, boot: str, bt: float, limit: int = 1
) -> list[tuple[int, str, int]]:
    """Take what is due for an attachment, oldest first, for the time of a lease.

    Args:
        db: the store; the claims are this connection's.
        attachment: who is to show it.
        session: the session it runs now.
        boot: the present boot's id; leases of another have run out.
        bt: the present.
        limit: how many at most. A death before the record leaves all of them in doubt.

    Returns:
        For each its delivery id, its text, and 1 where it may have been shown already, else 0.

    Raises:
        StoreError: the store can't be used; nothing was claimed.
    """
    asked = {"attachment": attachment, "session": session, "boot": boot, "bt": bt}
    found = read(db, DUE, {**asked, "limit": limit}, sure=False)
    if any(over for *_, over in found):
        write(
            db, lambda db: [db.execute(sql, asked) for sql in (EXPIRE_STALE, EXPIRE_REPEATED)]
        )
        found = read(db, DUE, {**asked, "limit": limit})
    if not found:
        return []
    by, until = claimer(db, attachment), bt + LEASE_S
    ids = {f"id{at}": row[0] for at, row in enumerate(found)}
    sql = _TAKE.format(marks=", ".join(f":{name}" for name in ids))
    if change(db, sql, {**asked, **ids, "by": by, "until": until}) == len(found):
        return [(at, text, again) for at, text, again, _ in found]
    # Somebody else was quicker with some of them.
    return [
        (at, text, again)
        for at, text, again, _ in found
        if still_mine(db, [at], attachment, boot, until)
    ]


def still_mine(db: Connection, ids: "Sequence[int]", by: str, boot: str, bt: float) -> bool:
    """Tell whether all of these are still claimed by this connection, right before the write.

    Raises:
        StoreError: the store can't be read.
    """
    marks = ", ".join("?" * len(ids))
    held = read(
        db,
        f"""SELECT count(*) FROM delivery WHERE id IN ({marks}) AND state = 'claimed'
            AND lease_by = ? AND lease_boot = ? AND lease_bt >= ?""",
        (*ids, claimer(db, by), boot, bt),
    )
    return bool(held[0][0] == len(ids))


def release(db: Connection, ids: "Sequence[int]", attachment: str) -> None:
    """Give back what this connection claimed and surely did not show; that is no repeat.

    Raises:
        StoreError: it was not given back. Each will be shown once more, marked.
    """
    sql = """UPDATE delivery SET state = 'stored', lease_by = '', lease_bt = NULL
        WHERE id = ? AND state = 'claimed' AND lease_by = ?"""
    by = claimer(db, attachment)
    write(db, lambda db: db.executemany(sql, [(at, by) for at in ids]))


def offered(
    db: Connection, ids: "Sequence[int]", conduit: str, wall: float, bt: float | None = None
) -> None:
    """Record that these were written where a session can see them, and that the conduit works.

    It is true whoever holds the claims by now, and even where one has expired as unconfirmed.

    Args:
        db: the store.
        ids: deliveries.
        conduit: the way they went.
        wall: when.
        bt: the same moment on the other clock, for the latency; ``None`` leaves that out.

    Raises:
        StoreError: it was not recorded. Each will be shown once more, marked.
    """

    def work(db: Connection) -> None:
        for at in ids:
            db.execute(
                """UPDATE delivery SET state = 'offered', reason = '', conduit = ?,
                    offered_at = ?, latency_ms = CASE WHEN lease_boot = created_boot
                        THEN max(0, (? - created_bt) * 1000) END
                    WHERE id = ? AND state IN ('claimed', 'expired')""",
                (conduit, wall, bt, at),
            )
            row = db.execute("SELECT session, latency_ms FROM delivery WHERE id = ?", (at,))
            for session, latency_ms in row.fetchall():
                db.execute(CONDUIT_OK, (session, conduit, wall, latency_ms))

    write(db, work)


def conduit_ok(
    db: Connection, session: str, name: str, wall: float, latency_ms: float | None = None
) -> None:
    """Record that a way into a session works, for instance that a hook was called.

    Raises:
        StoreError: it was not recorded.
    """
    write(db, lambda db: db.execute(CONDUIT_OK, (session, name, wall, latency_ms)))


def conduit_failed(db: Connection, session: str, name: str, wall: float, failure: str) -> None:
    """Record that a way into a session did not work, and why.

    Raises:
        StoreError: it was not recorded.
    """
    sql = """INSERT INTO conduit (session, name, failed_at, failure) VALUES (?, ?, ?, ?)
        ON CONFLICT (session, name) DO UPDATE SET failed_at = excluded.failed_at,
        failure = excluded.failure"""
    write(db, lambda db: db.execute(sql, (session, name, wall, failure)))


def told(
    db: Connection, session: str, sensor: str, topic: str, conduit: str, wall: float
) -> None:
    """Record that another conduit than the loop told a session something for a sensor.

    Raises:
        StoreError: it was not recorded; the sensor may tell it again.
    """
    sql = "INSERT INTO telling (session, sensor, topic, conduit, at) VALUES (?, ?, ?, ?, ?)"
    write(db, lambda db: db.execute(sql, (session, sensor, topic, conduit, wall)))


def tellings_since(
    db: Connection, session: str, sensor: str, after_id: int
) -> list[tuple[int, str, str, float]]:
    """Return what was told for a sensor since: id, topic, conduit and when (wall), in order.

    Raises:
        StoreError: the store can't be read.
    """
    return read(db, TELLINGS, (session, sensor, after_id))


def claimer(db: Connection, by: str) -> str:
    """Name this very connection: a reader and the one that replaces it are not the same."""
    if not db.token:
        db.token = f"{posix.getpid()}-{posix.urandom(4).hex()}"
    return f"{by}/{db.token}"
