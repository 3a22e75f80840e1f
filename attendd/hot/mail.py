"""How messages reach whom they are for: the SQL of waiting mail, from claim to record.

The rules are those of `attendd.hot.ledger`, whose deliveries these are: a process *takes* what
waits for the time of a lease, right before it writes it, and *records* it right after. Whatever
was taken and not recorded may have been shown. It is repeated once, marked; after a second
death at that point only its id is told again, until that is recorded. So no message is lost,
and none is shown a third time.

A mailbox ("box") is the id of a session, ``as:NAME``, or ``@user``, the person.
"""

import posix

from attendd.hot.db import Connection, read, write
from attendd.hot.moment import Moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

USER = "@user"
"""The mailbox of the person; every plain terminal of the user reads for it."""
LEASE_S = 15.0
"""How long a claim holds."""
AGED_S = 24 * 3600.0
"""Mail to a group is no longer offered after so long; it stays in the inbox."""
FOLD_OVER = 8
"""More than so many waiting messages are told as one line."""
POINTED_FROM = 2
"""So often in doubt, a message is no longer shown, only pointed to."""

_CHUNK = 500

_LAPSED = f"""(state = 'claimed' AND (lease_boot <> :boot
    OR :bt NOT BETWEEN lease_bt - {LEASE_S} - 60 AND lease_bt))"""
AGED = f"""(delivery.kind <> 'directed' AND delivery.state IN ('stored', 'claimed')
    AND CASE WHEN delivery.created_boot = :boot THEN :bt - delivery.created_bt > {AGED_S}
        ELSE :wall - delivery.created_at > {AGED_S} END)"""
"""What a group was told too long ago to be offered; takes ``:wall``, ``:boot``, ``:bt``."""
_MUTED = """EXISTS (SELECT 1 FROM mute WHERE mute.session = delivery.session
    AND mute.who IN (message.author, '#' || delivery.channel)
    AND (mute.until_at IS NULL OR mute.until_at > :wall))"""
_FREE = f"message IS NOT NULL AND (state = 'stored' OR {_LAPSED})"
"""Right for the index of what waits only together with the two states."""


_FIELDS = (
    "delivery", "box", "kind", "channel", "meant", "repeats", "id", "author", "author_kind",
    "author_name", "author_how", "place", "body", "re", "depth", "created_at", "created_boot",
    "created_bt", "hinted", "gap_s",
)  # fmt: skip


class Letter:
    """A message on its way into one mailbox.

    Attributes:
        delivery: its delivery's id.
        box: whose mailbox.
        kind: ``directed``, ``project``, ``channel`` or ``open``.
        channel: through which channel it came, or ``''``.
        meant: the earlier session of the recipient to which it was said, or ``''``.
        repeats: 0; 1 if it may have been shown; 2 if it may have been shown twice.
        id: the message's id.
        author: the mailbox of its author; ``''`` where there is none.
        author_kind: ``agent``, ``human``, ``declared`` or ``script``.
        author_name: how its author was called.
        author_how: how its author is known.
        place: the short name of its author's project.
        body: text, or bytes that are none; ``''`` where it was not asked for.
        re: the message it answers, or ``''``.
        depth: how many links it is from a human.
        created_at: when it was said, wall clock.
        created_boot: the boot that was.
        created_bt: when it was said, on the clock that counts suspend.
        hinted: whether its mailbox was told how to answer.
        gap_s: the least seconds between two lines that the host wishes for this mailbox.
    """

    __slots__ = _FIELDS

    delivery: int
    box: str
    kind: str
    channel: str
    meant: str
    repeats: int
    id: str
    author: str
    author_kind: str
    author_name: str
    author_how: str
    place: str
    body: str | bytes
    re: str
    depth: int
    created_at: float
    created_boot: str
    created_bt: float
    hinted: bool
    gap_s: float

    def __init__(self, row: "Sequence[Any]") -> None:
        for name, value in zip(_FIELDS, row, strict=True):
            setattr(self, name, value)

    def __repr__(self) -> str:
        return f"<Letter #{self.id} from {self.author_name} to {self.box}>"


def _columns(*, bodies: bool) -> str:
    return f"""delivery.id, delivery.session, delivery.kind, delivery.channel, delivery.meant,
        delivery.repeats + (delivery.state = 'claimed'), message.id, message.author,
        message.author_kind, message.author_name, message.author_how, message.place,
        {"message.body" if bodies else "''"}, message.re, message.depth, message.created_at,
        message.created_boot, message.created_bt, heard.hinted_at IS NOT NULL,
        coalesce(heard.gap_s, 0)"""


def waiting_sql(boxes: int = 1, *, bodies: bool = True) -> str:
    """Write the look for what waits, for so many mailboxes."""
    at = "= :box0" if boxes == 1 else f"IN ({', '.join(f':box{n}' for n in range(boxes))})"
    return f"""SELECT {_columns(bodies=bodies)} FROM delivery
        JOIN message ON message.id = delivery.message
        LEFT JOIN heard ON heard.session = delivery.session
        WHERE delivery.session {at} AND state IN ('stored', 'claimed') AND {_FREE}
        AND hold = '' AND avoid <> :conduit AND NOT {AGED} AND NOT {_MUTED}
        ORDER BY delivery.id LIMIT :limit"""


def boxes(session: str) -> tuple[str, ...]:
    """Name the mailboxes that are read for a session."""
    return (session, USER) if session.startswith("tty:") else (session,)


def box_of(session: str) -> str:
    """Name the mailbox that a session speaks from, and is answered in."""
    return USER if session.startswith("tty:") else session


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
    conduit has offered in vain.

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
    asked = {f"box{at}": box for at, box in enumerate(mailboxes)}
    sql = waiting_sql(len(asked), bodies=bodies)
    rows = read(db, sql, {**clocks(now), **asked, "conduit": conduit, "limit": limit})
    return [Letter(row) for row in rows]


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
    token = claimer(db, by)

    def work(db: Connection) -> dict[int, int]:
        found: dict[int, int] = {}
        for marks, ids in chunks(letters):
            asked = {**clocks(now), "by": token, "until": now.bt + LEASE_S, **ids}
            db.execute(
                f"""UPDATE delivery SET repeats = repeats + (state = 'claimed'),
                    state = 'claimed', lease_by = :by, lease_boot = :boot, lease_bt = :until
                    WHERE id IN ({marks}) AND {_FREE} AND hold = ''""",
                asked,
            )
            taken = db.execute(
                f"""SELECT id, repeats FROM delivery WHERE id IN ({marks})
                    AND state = 'claimed' AND lease_by = :by AND lease_bt = :until""",
                asked,
            )
            found.update(taken.fetchall())
        return found

    repeats = write(db, work) if letters else {}
    taken = [letter for letter in letters if letter.delivery in repeats]
    for letter in taken:
        letter.repeats = repeats[letter.delivery]
    return taken


def mine(db: Connection, letters: "Sequence[Letter]", by: str, now: Moment) -> bool:
    """Tell whether all of these are still this connection's to write.

    Raises:
        StoreError: the store can't be read.
    """
    held = 0
    for marks, ids in chunks(letters):
        sql = f"""SELECT count(*) FROM delivery WHERE id IN ({marks}) AND state = 'claimed'
            AND lease_by = :by AND lease_boot = :boot AND lease_bt >= :bt"""
        held += read(db, sql, {**clocks(now), "by": claimer(db, by), **ids})[0][0]
    return held == len(letters)


def release(db: Connection, letters: "Sequence[Letter]", by: str) -> None:
    """Give back what was taken and surely not written; that counts as no repeat.

    Raises:
        StoreError: it was not given back. Each will be shown once more, marked.
    """

    def work(db: Connection) -> None:
        for marks, ids in chunks(letters):
            db.execute(
                f"""UPDATE delivery SET state = 'stored', lease_by = '', lease_bt = NULL
                    WHERE id IN ({marks}) AND state = 'claimed' AND lease_by = :by""",
                {"by": claimer(db, by), **ids},
            )

    write(db, work)


def expire(db: Connection, mailboxes: "Sequence[str]", now: Moment) -> int:
    """Stop offering what a group was told too long ago; it stays in the inbox.

    Returns:
        How many.

    Raises:
        StoreError: the store takes nothing now.
    """
    sql = f"""UPDATE delivery SET state = 'expired', reason = 'aged'
        WHERE session = :box AND state IN ('stored', 'claimed') AND {_FREE} AND {AGED}"""
    asked = [{**clocks(now), "box": box} for box in mailboxes]
    return write(db, lambda db: db.executemany(sql, asked).rowcount)


def claimer(db: Connection, by: str) -> str:
    """Name this very connection: a reader and the one that replaces it are not the same."""
    if not db.token:
        db.token = f"{posix.getpid()}-{posix.urandom(4).hex()}"
    return f"{by}/{db.token}"


def clocks(now: Moment) -> "dict[str, Any]":
    """Name the present as the statements here ask for it."""
    return {"wall": now.wall, "boot": now.boot, "bt": now.bt}


def chunks(letters: "Sequence[Letter]") -> "Iterator[tuple[str, dict[str, int]]]":
    """Yield the ids of letters, some hundreds at a time, and the marks that stand for them."""
    for start in range(0, len(letters), _CHUNK):
        part = letters[start : start + _CHUNK]
        ids = {f"id{at}": letter.delivery for at, letter in enumerate(part)}
        yield ", ".join(f":{name}" for name in ids), ids
