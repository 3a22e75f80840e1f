"""How messages reach whom they are for: the SQL of waiting mail, from claim to record.

The rules are those of `attendd.hot.ledger`, whose deliveries these are: a process *takes* what
waits for the time of a lease, right before it writes it, and *records* it right after. Whatever
was taken and not recorded may have been shown. It is repeated once, marked; after a second
death at that point only its id is told again, until that is recorded. So no message is lost,
and none is shown a third time. Mailboxes are those of `attendd.hot.ids`.
"""

from attendd.hot.db import Connection, change, read, write
from attendd.hot.ledger import LAPSED, LEASE_S, claimer, still_mine
from attendd.hot.letter import Letter
from attendd.hot.moment import AGED_S, Moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

FOLD_OVER = 8
"""More than so many waiting messages are told as one line."""
WANTED_BACK = "wanted back"
"""The reason noted with a claim on what its author wants back; `release` heeds it."""

_CHUNK = 500

_OLD = f"""delivery.kind <> 'directed' AND CASE WHEN delivery.created_boot = :boot
    THEN :bt - delivery.created_bt > {AGED_S} ELSE :wall - delivery.created_at > {AGED_S} END"""
# The "+" keeps SQLite from making a table of the two for each message.
MUTED_AFTER = """EXISTS (SELECT 1 FROM mute WHERE mute.session = delivery.session
    AND (+mute.who = {author} OR +mute.who = '#' ||
        CASE delivery.kind WHEN 'open' THEN 'open' ELSE delivery.channel END)
    AND (mute.until_at IS NULL OR mute.until_at > {wall}))"""
_MUTED = MUTED_AFTER.format(author="message.author", wall=":wall")
AUTHOR = "(SELECT author FROM message WHERE message.id = delivery.message)"
_LATELY_MUTED = MUTED_AFTER.format(author=AUTHOR, wall=f":wall - {AGED_S}")
AGED = f"""(delivery.state IN ('stored', 'claimed') AND {_OLD}
    AND NOT {_LATELY_MUTED})"""
"""What a group was told too long ago to be offered; takes ``:wall``, ``:boot``, ``:bt``. What a
mute keeps back begins to age when that ends."""
_WANTED = f"(reason = '{WANTED_BACK}' AND repeats = 0)"
_FREE = f"delivery.message IS NOT NULL AND (state = 'stored' OR {LAPSED})"


AGING = f"""SELECT id FROM delivery INDEXED BY delivery_due WHERE session = :box
    AND state IN ('stored', 'claimed') AND {_FREE} AND hold = '' AND {AGED}"""
LEFT = f"""SELECT min(lease_bt) FROM delivery INDEXED BY delivery_due WHERE session = :box
    AND state IN ('stored', 'claimed') AND state = 'claimed' AND NOT {LAPSED}"""
"""When the first claim that still holds runs out. One that has run out holds nothing back: what
is not taken then waits for another reader or hook, or for something that will ring."""
_UNMUTED = "SELECT min(until_at) FROM mute WHERE session = :box AND until_at > :wall"


def _columns(*, bodies: bool) -> str:
    return f"""delivery.id, delivery.session, delivery.kind, delivery.channel, delivery.meant,
        delivery.repeats + (delivery.state <> 'stored'), message.id, message.author,
        message.author_kind, message.author_name, message.author_how, message.place,
        {"message.body" if bodies else "''"}, message.re, message.depth, message.created_at,
        message.created_boot, message.created_bt, heard.hinted_at IS NOT NULL,
        coalesce(heard.gap_s, 0), EXISTS (SELECT 1 FROM delivery INDEXED BY delivery_due
        WHERE session = :box0 AND state IN ('stored', 'claimed') AND batch IS NOT NULL)"""


def waiting_sql(boxes: int = 1, *, bodies: bool = True) -> str:
    """Write the look for what waits, for so many mailboxes."""
    at = "= :box0" if boxes == 1 else f"IN ({', '.join(f':box{n}' for n in range(boxes))})"
    return f"""SELECT {_columns(bodies=bodies)} FROM delivery INDEXED BY delivery_due
        JOIN message ON message.id = delivery.message
        LEFT JOIN heard ON heard.session = delivery.session
        WHERE delivery.session {at} AND state IN ('stored', 'claimed') AND {_FREE}
        AND hold = '' AND (avoid = '' OR avoid <> :conduit) AND NOT {AGED} AND NOT {_MUTED}
        ORDER BY delivery.id LIMIT :limit"""


def waiting(
    db: Connection,
    mailboxes: "Sequence[str]",
    now: Moment,
    conduit: str = "",
    *,
    limit: int = FOLD_OVER + 1,
    bodies: bool = True,
) -> list[Letter]:
    """Look at what could be taken now, oldest first; nothing is claimed by it.

    Left out is what another process is showing, what is held, muted or too old, and what the
    conduit has offered in vain. That the store is still in its place is made sure of
    by what records them, and by `free_in` where there are none.

    Args:
        db: the store.
        mailboxes: whose.
        now: the present.
        conduit: the way it would go.
        limit: how many at most.
        bodies: whether the texts are wanted.

    Raises:
        StoreError: the store can't be read.
    """
    asked = _asked(mailboxes, now, conduit, limit)
    sql = _look(len(mailboxes), bodies=bodies)
    return [Letter(row) for row in read(db, sql, asked, sure=False)]


def unproved(db: Connection, box: str, now: Moment, limit: int) -> list[Letter]:
    """Look at what a line told of which, as far as is known, never came in; oldest first.

    Their texts are not read, and each counts as told of before.

    Raises:
        StoreError: the store can't be read.
    """
    found = read(db, _UNPROVED, {**clocks(now), "box0": box, "limit": limit})
    return [Letter(row) for row in found]


_UNPROVED = f"""SELECT {_columns(bodies=False)} FROM delivery INDEXED BY delivery_announced
    JOIN message ON message.id = delivery.message
    LEFT JOIN heard ON heard.session = delivery.session
    WHERE delivery.session = :box0 AND delivery.message IS NOT NULL
    AND delivery.state = 'announced' AND evidence = '' AND NOT ({_OLD}) AND NOT {_MUTED}
    ORDER BY delivery.id LIMIT :limit"""


def take(db: Connection, letters: "Sequence[Letter]", by: str, now: Moment) -> list[Letter]:
    """Claim letters for the time of a lease, right before they are written.

    Args:
        db: the store; the claims are this connection's.
        letters: as `waiting` gave them.
        by: who is going to write them: an attachment, or the name of a hook.
        now: the present.

    Returns:
        Those that were still free, with `Letter.repeats` as it is now.

    Raises:
        StoreError: nothing was claimed.
    """
    if not letters:
        return []
    asked = {**clocks(now), "by": claimer(db, by), "until": now.bt + LEASE_S}
    parts = [(marks, {**asked, **ids}) for marks, ids in chunks(letters)]
    if len(parts) == 1:
        claimed = change(db, _TAKE.format(marks=parts[0][0]), parts[0][1])
    else:
        claimed = write(db, lambda db: sum(_take(db, *part) for part in parts))
    if claimed == len(letters):
        return list(letters)
    repeats: dict[int, int] = {}
    for marks, ids in parts:
        repeats.update(read(db, _TAKEN.format(marks=marks), ids))
    taken = [letter for letter in letters if letter.delivery in repeats]
    for letter in taken:
        letter.repeats = repeats[letter.delivery]
    return taken


_TAKE = f"""UPDATE delivery SET repeats = repeats + (state = 'claimed'), state = 'claimed',
    lease_by = :by, lease_boot = :boot, lease_bt = :until
    WHERE id IN ({{marks}}) AND {_FREE} AND hold = ''"""
_TAKEN = """SELECT id, repeats FROM delivery WHERE id IN ({marks}) AND state = 'claimed'
    AND lease_by = :by AND lease_bt = :until"""


def _take(db: Connection, marks: str, asked: "dict[str, Any]") -> int:
    return db.execute(_TAKE.format(marks=marks), asked).rowcount


def mine(db: Connection, letters: "Sequence[Letter]", by: str, now: Moment) -> bool:
    """Tell whether all of these are still this connection's to write.

    Raises:
        StoreError: the store can't be read.
    """
    ids = [letter.delivery for letter in letters]
    parts = [ids[start : start + _CHUNK] for start in range(0, len(ids), _CHUNK)]
    return all(still_mine(db, part, by, now.boot, now.bt) for part in parts)


def release(db: Connection, letters: "Sequence[Letter]", by: str) -> None:
    """Give back what was taken and surely not written; that counts as no repeat.

    What its author wanted back meanwhile is taken back by that.

    Raises:
        StoreError: it was not given back. Each will be shown once more, marked.
    """

    def work(db: Connection) -> None:
        for marks, ids in chunks(letters):
            asked = {"by": claimer(db, by), **ids}
            db.execute(_TAKE_BACK.format(marks=marks), asked)
            db.execute(_RELEASE.format(marks=marks), asked)

    write(db, work)


_HELD = "id IN ({marks}) AND state = 'claimed' AND lease_by = :by"
_RELEASE = f"""UPDATE delivery SET lease_by = '', lease_bt = NULL,
    state = CASE WHEN {_WANTED} THEN 'retracted' ELSE 'stored' END,
    reason = CASE WHEN {_WANTED} THEN '' ELSE reason END WHERE {_HELD}"""
_TAKE_BACK = f"""UPDATE message SET retracted_at = (julianday('now') - 2440587.5) * 86400
    WHERE id IN (SELECT message FROM delivery WHERE {_HELD} AND {_WANTED})"""


def expire(db: Connection, mailboxes: "Sequence[str]", now: Moment) -> int:
    """Stop offering what a group was told too long ago; it stays in the inbox.

    Returns:
        How many.

    Raises:
        StoreError: the store takes nothing now.
    """
    sql = f"UPDATE delivery SET state = 'expired', reason = 'aged' WHERE id IN ({AGING})"
    asked = [{**clocks(now), "box": box} for box in mailboxes]
    found = [each for each in asked if read(db, AGING, each)]
    return write(db, lambda db: db.executemany(sql, found).rowcount) if found else 0


def lately(
    db: Connection, mailboxes: "Sequence[str]", now: Moment, within_s: float, most: int
) -> list[float]:
    """Return when messages were shown lately, on the clock that counts suspend, latest first.

    Args:
        db: the store.
        mailboxes: whose.
        now: the present.
        within_s: how far to look back.
        most: with each mailbox, how many of the latest to look at.

    Raises:
        StoreError: the store can't be read.
    """
    sql = """SELECT offered_bt FROM (SELECT offered_bt, lease_boot FROM delivery
        WHERE session = ? AND message IS NOT NULL ORDER BY id DESC LIMIT ?)
        WHERE lease_boot = ? AND offered_bt > ?"""
    found = [read(db, sql, (box, most, now.boot, now.bt - within_s)) for box in mailboxes]
    return [float(row[0]) for rows in found for row in rows]


def free_in(db: Connection, mailboxes: "Sequence[str]", now: Moment) -> float | None:
    """Return in how many seconds more may be free: a claim runs out, or a mute ends.

    Returns:
        Never less than a tenth; ``None`` where nobody holds anything back. Of a restarted
        machine no claim holds.

    Raises:
        StoreError: the store can't be read.
    """
    found: list[float] = []
    for box in mailboxes:
        asked = {**clocks(now), "box": box}
        lease_bt, until_at = read(db, f"SELECT ({LEFT}), ({_UNMUTED})", asked)[0]
        found += [] if lease_bt is None else [lease_bt - now.bt]
        found += [] if until_at is None else [until_at - now.wall]
    return max(0.0, min(found)) + 0.1 if found else None


_looks: "dict[tuple[int, bool], str]" = {}


def _look(boxes: int, *, bodies: bool) -> str:
    kind = (boxes, bodies)
    if kind not in _looks:
        _looks[kind] = waiting_sql(boxes, bodies=bodies)
    return _looks[kind]


def _asked(
    mailboxes: "Sequence[str]", now: Moment, conduit: str, limit: int
) -> "dict[str, Any]":
    asked = clocks(now)
    asked.update(conduit=conduit, limit=limit)
    for at, box in enumerate(mailboxes):
        asked[f"box{at}"] = box
    return asked


def clocks(now: Moment) -> "dict[str, Any]":
    """Name the present as the statements here ask for it."""
    return {"wall": now.wall, "boot": now.boot, "bt": now.bt}


def chunks(letters: "Sequence[Letter]") -> "Iterator[tuple[str, dict[str, int]]]":
    """Yield the ids of letters, some hundreds at a time, and the marks that stand for them."""
    for start in range(0, len(letters), _CHUNK):
        part = letters[start : start + _CHUNK]
        ids = {f"id{at}": letter.delivery for at, letter in enumerate(part)}
        yield ", ".join(f":{name}" for name in ids), ids
