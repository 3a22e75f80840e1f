"""How messages fared: what was written, what its reader's client and session made of it.

A delivery moves forward, to a later one of `ORDER`. The ways back are `again`, and
`attendd.hot.mail.release` of what was claimed and not written. The time at which it came to a
state stays, whatever the state becomes.
"""

from attendd.hot.db import Connection, read, write
from attendd.hot.ledger import CONDUIT_OK
from attendd.hot.letter import Letter
from attendd.hot.mail import WANTED_BACK, chunks
from attendd.hot.moment import Moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from attendd.hot.letter import Batch

ORDER = (
    "stored", "claimed", "expired", "announced", "offered", "queued", "fetched", "seen", "read",
    "answered",
)  # fmt: skip
"""What becomes of a delivery, unless it ends otherwise: ``undeliverable`` or ``retracted``."""
_STAMPED = ("announced", "offered", "queued", "fetched", "seen", "read", "answered")


class Heard:
    """What a mailbox was shown.

    Attributes:
        message: the id of the last one, which `attend reply` answers; ``''``: none yet.
        chain: the depth of what it sends next.
        hinted: whether it was told how to answer.
    """

    __slots__ = ("chain", "hinted", "message")

    def __init__(self, message: str = "", chain: int = 0, *, hinted: bool = False) -> None:
        self.message = message
        self.chain = chain
        self.hinted = hinted


def record(
    db: Connection,
    letters: "Sequence[Letter]",
    conduit: str,
    now: Moment,
    made: "Batch | None" = None,
) -> None:
    """Record that letters were written where a session can see them; the conduit works.

    It is true whoever holds the claims by now.

    Args:
        db: the store.
        letters: in the order in which they were shown.
        conduit: the way they went.
        now: when.
        made: what was said of them; ``None``: their texts, and nothing else.

    Raises:
        StoreError: it was not recorded. Each will be shown once more, marked.
    """

    def work(db: Connection) -> None:
        for marks, ids in chunks(letters):
            asked = {"wall": now.wall, "bt": now.bt, "conduit": conduit, **ids}
            if made and made.announced:
                db.execute(_ANNOUNCED.format(marks=marks), asked | {"digest": made.digest})
            else:
                db.execute(_OFFERED.format(marks=marks), asked)
        if not (made and made.announced):
            _hear(db, letters, now.wall)
        for box in {letter.box for letter in letters}:
            db.execute(CONDUIT_OK, (box, conduit, now.wall, None))
            if made and made.hinted:
                _upsert_heard(db, box, "hinted_at = :value", now.wall)

    write(db, work)


_OFFERED = """UPDATE delivery SET conduit = :conduit, offered_at = :wall, offered_bt = :bt,
    latency_ms = coalesce(latency_ms, CASE WHEN lease_boot = created_boot
        THEN max(0, (:bt - created_bt) * 1000) END),
    reason = CASE WHEN state = 'expired' THEN '' ELSE reason END,
    state = CASE WHEN state IN ('stored', 'claimed', 'announced', 'expired')
        THEN 'offered' ELSE state END
    WHERE id IN ({marks})"""
_ANNOUNCED = """UPDATE delivery SET conduit = :conduit, announced_at = :wall, digest = :digest,
    state = CASE WHEN state IN ('stored', 'claimed') THEN 'announced' ELSE state END
    WHERE id IN ({marks})"""


def advance(
    db: Connection,
    deliveries: "Sequence[int]",
    state: str,
    wall: float,
    evidence: str = "",
) -> None:
    """Write down that deliveries came to a state, unless they are further on.

    Args:
        db: the store.
        deliveries: their ids.
        state: one of `ORDER` from ``announced`` on. ``fetched`` and ``read`` also end the
            offering of what waits: the text is known.
        wall: when, wall clock; the first time is kept.
        evidence: what proves it, for instance the uuid of a transcript's row.

    Raises:
        StoreError: it was not written down.
    """
    if state not in _STAMPED:
        raise ValueError(state)
    earlier = ", ".join(f"'{each}'" for each in ORDER[: ORDER.index(state)])
    sql = f"""UPDATE delivery SET {state}_at = coalesce({state}_at, :wall),
        evidence = coalesce(nullif(:evidence, ''), evidence),
        state = CASE WHEN state IN ({earlier}) THEN :state ELSE state END WHERE id = :id"""
    asked = [
        {"wall": wall, "state": state, "evidence": evidence, "id": each} for each in deliveries
    ]
    write(db, lambda db: db.executemany(sql, asked))


def again(db: Connection, delivery: int, box: str, avoid: str) -> bool:
    """Offer once more, by another conduit, what was offered and left no trace.

    Args:
        db: the store.
        delivery: its id.
        box: the mailbox where it is offered from now on: what its own has become.
        avoid: the conduit that must not take it.

    Returns:
        Whether it will be offered again, marked; one that was repeated before is left as it is.

    Raises:
        StoreError: it will not.
    """
    sql = """UPDATE delivery SET state = 'stored', session = ?, repeats = 1, avoid = ?,
        lease_by = '', lease_bt = NULL
        WHERE id = ? AND state IN ('offered', 'queued') AND repeats = 0"""
    return write(db, lambda db: db.execute(sql, (box, avoid, delivery)).rowcount > 0)


def digest_again(db: Connection, delivery: int, box: str, avoid: str) -> bool:
    """Do as `again` with all that one line told of, which left no trace.

    Args:
        db: the store.
        delivery: one of those that it told of.
        box: the mailbox where they are offered from now on.
        avoid: the conduit that must not take them.
    """
    sql = f"""UPDATE delivery SET state = 'stored', session = ?, repeats = 1, avoid = ?,
        lease_by = '', lease_bt = NULL WHERE {_TOLD} AND repeats = 0"""

    def work(db: Connection) -> bool:
        told = _line_of(db, delivery)
        return db.execute(sql, (box, avoid, *told)).rowcount > 0

    return write(db, work)


def digest_proved(db: Connection, delivery: int, evidence: str) -> None:
    """Write down what proves that the line came in which told of a message, and of which more.

    Raises:
        StoreError: it was not written down.
    """
    sql = f"UPDATE delivery SET evidence = ? WHERE {_TOLD}"
    write(db, lambda db: db.execute(sql, (evidence, *_line_of(db, delivery))))


_TOLD = """message IS NOT NULL AND state = 'announced' AND evidence = '' AND digest <> ''
    AND session = ? AND digest = ?"""


def _line_of(db: Connection, delivery: int) -> "tuple[str, str]":
    sql = "SELECT session, digest FROM delivery WHERE id = ?"
    found = db.execute(sql, (delivery,)).fetchone()
    return (str(found[0]), str(found[1])) if found else ("", "")


def retract(db: Connection, message: str, wall: float) -> tuple[int, int]:
    """Take a message back wherever nobody has been shown it yet.

    Where it is being shown at this moment, it is taken back if nothing of it could be written.

    Returns:
        With how many recipients that was so, and with how many it came too late.

    Raises:
        StoreError: nothing was taken back.
    """

    def work(db: Connection) -> tuple[int, int]:
        late = db.execute(
            f"""SELECT count(*) FROM delivery WHERE message = ? AND state <> 'retracted'
                AND NOT ({_UNSHOWN})""",
            (message,),
        ).fetchone()[0]
        taken = db.execute(_RETRACT, (message,)).rowcount
        db.execute(_WANT_BACK, (message,))
        if taken:
            db.execute("UPDATE message SET retracted_at = ? WHERE id = ?", (wall, message))
        return taken, late

    return write(db, work)


_UNSHOWN = "state IN ('stored', 'announced', 'expired') AND repeats = 0"
_RETRACT = (
    f"UPDATE delivery SET state = 'retracted', reason = '' WHERE message = ? AND {_UNSHOWN}"
)
_WANT_BACK = f"""UPDATE delivery SET reason = '{WANTED_BACK}'
    WHERE message = ? AND state = 'claimed' AND repeats = 0"""


def heard(db: Connection, box: str) -> Heard:
    """Return what a mailbox was shown last.

    Raises:
        StoreError: the store can't be read.
    """
    sql = "SELECT message, chain, hinted_at FROM heard WHERE session = ?"
    found = read(db, sql, (box,))
    if not found:
        return Heard()
    message, chain, hinted_at = found[0]
    return Heard(message, chain, hinted=hinted_at is not None)


def read_last(db: Connection, box: str, message: str, wall: float) -> None:
    """Write down which message was read whole in a mailbox: it was shown there last.

    Raises:
        StoreError: it was not written down.
    """
    sql = """INSERT INTO heard (session, message, at) VALUES (?1, ?2, ?3)
        ON CONFLICT (session) DO UPDATE SET message = ?2, at = ?3"""
    write(db, lambda db: db.execute(sql, (box, message, wall)))


def slow_down(db: Connection, box: str, gap_s: float) -> None:
    """Have a mailbox told no more than one line in so many seconds; 0: as usual.

    Raises:
        StoreError: it was not written down.
    """
    write(db, lambda db: _upsert_heard(db, box, "gap_s = :value", gap_s))


def _hear(db: Connection, letters: "Sequence[Letter]", wall: float) -> None:
    for letter in letters:
        db.execute(
            """INSERT INTO heard (session, message, at, chain) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (session) DO UPDATE SET message = ?2, at = ?3,
                chain = CASE WHEN ?5 THEN ?4 ELSE max(chain, ?4) END""",
            (letter.box, letter.id, wall, letter.depth + 1, letter.author_kind == "human"),
        )


def _upsert_heard(db: Connection, box: str, change: str, value: float) -> None:
    column = change.partition(" ")[0]
    db.execute(
        f"""INSERT INTO heard (session, {column}) VALUES (:box, :value)
            ON CONFLICT (session) DO UPDATE SET {change}""",
        {"box": box, "value": value},
    )
