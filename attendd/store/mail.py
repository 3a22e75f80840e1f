"""What was said, and how it fares with each it was said to: the questions of the commands."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from attendd.hot import db as hot
from attendd.hot import fate, ids, who
from attendd.hot.address import RecipientError
from attendd.hot.moment import Moment
from attendd.store.link import Link
from attendd.store.mail_rows import Fate, Held, Message, Received, Sent, Unread
from attendd.store.rows import rows
from attendd.store.tidying import PRINTED

_LAST = 1 << 62
"""Above every delivery's and message's number."""


def _columns(kind: type[msgspec.Struct], table: str) -> str:
    """Write a struct's fields as columns of a table; a body comes as the bytes that it is."""
    fields = (f"{table}.{field}" for field in kind.__struct_fields__)
    return ", ".join("CAST(message.body AS BLOB)" if f == "message.body" else f for f in fields)


_FATE = _columns(Fate, "delivery")
_MESSAGE = _columns(Message, "message")
_BOTH = (
    f"SELECT {_FATE}, {_MESSAGE} FROM delivery JOIN message ON message.id = delivery.message"
)
_SHOWN = "NOT (state = 'expired' AND reason = 'twice')"
"""A conversation that went on where it had the same message already has it once."""
OPEN = f"{_SHOWN} AND state NOT IN ('read', 'retracted')"
PAGE = f"""{_BOTH} WHERE delivery.session = :box AND delivery.message IS NOT NULL
    AND delivery.id < :below AND message.created_at < :before AND {{}}
    ORDER BY delivery.id DESC LIMIT :limit"""
SAID = f"""SELECT {_MESSAGE}, message.rowid FROM message WHERE author = :box
    AND author_how <> '{who.ITSELF}' AND message.rowid < :below ORDER BY seq DESC
    LIMIT :limit"""
_FATES = f"""SELECT {_FATE} FROM delivery WHERE delivery.message = ? AND {_SHOWN}
    ORDER BY delivery.id"""
_AS_AUTHOR = "SELECT author_name, place FROM message WHERE author = ? ORDER BY seq DESC LIMIT 1"
_EARLIER = """WITH RECURSIVE mine(id) AS (VALUES (?) UNION
    SELECT session.id FROM session JOIN mine ON session.successor = mine.id)
    SELECT id FROM mine"""
UNREAD = """SELECT session, sum(kind = 'directed') AS directed, sum(kind <> 'directed') AS
    grouped FROM delivery WHERE message IS NOT NULL AND state IN ('stored', 'claimed',
    'announced') GROUP BY session"""
HELD = """SELECT delivery.session, hold, message.author_name AS author, count(*) AS messages,
    min(message.created_at) AS since_at FROM delivery INDEXED BY delivery_due JOIN message
    ON message.id = delivery.message WHERE state IN ('stored', 'claimed') AND hold <> ''
    GROUP BY delivery.session, hold, message.author_name ORDER BY since_at"""


class Before(NamedTuple):
    """Where a page of the inbox ends.

    Attributes:
        delivery: below this delivery's number.
        at: said before this moment, wall clock.
    """

    delivery: int = _LAST
    at: float = float("inf")


class Mail:
    """Messages and their fates. Every method can raise `attendd.errors.StoreError`."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def boxes(self, session: str) -> tuple[str, ...]:
        """Name a conversation's mailboxes: its session's, and those of its earlier ids."""
        earlier = [str(row[0]) for row in self._link.read(_EARLIER, (session,))]
        return (*ids.boxes(session), *earlier[1:])

    def page(
        self,
        boxes: Iterable[str],
        limit: int,
        before: Before | None = None,
        *,
        every: bool = False,
    ) -> list[Received]:
        """Return the latest of what came for some mailboxes, each message once, newest first.

        Args:
            boxes: whose.
            limit: how many at most.
            before: where to begin; ``None``: with the newest.
            every: also what was marked as read, and what was taken back.
        """
        below, at = before or Before()
        sql = PAGE.format(_SHOWN if every else OPEN)
        found: list[Received] = []
        for box in boxes:
            asked = {"box": box, "below": below, "before": at, "limit": limit}
            found += _received(self._link.read(sql, asked))
        return _once(found)[:limit]

    def received(self, boxes: Sequence[str], message: str) -> Received | None:
        """Return one message as it came for some mailboxes, if it did."""
        marks = ", ".join("?" * len(boxes))
        sql = f"""{_BOTH} WHERE delivery.message = ? AND delivery.session IN ({marks})
            AND {_SHOWN} ORDER BY delivery.id DESC LIMIT 1"""
        return next(iter(_received(self._link.read(sql, (message, *boxes)))), None)

    def get(self, message: str) -> Sent | None:
        """Return one message, whoever said it, and how it fares."""
        sql = f"SELECT {_MESSAGE} FROM message WHERE id = ?"
        found = rows(Message, self._link.read(sql, (message,)))
        return Sent(message=found[0], fates=self.fates(message)) if found else None

    def said(self, boxes: Iterable[str], limit: int, below: int = _LAST) -> list[Sent]:
        """Return the latest that was said from some mailboxes, newest first.

        Args:
            boxes: whose; ``''``: of all who have none, as scripts, but not attend itself.
            limit: how many at most.
            below: only those before the message of this number.
        """
        found: list[tuple[int, Message]] = []
        for box in boxes:
            asked = {"box": box, "below": below, "limit": limit}
            read = self._link.read(SAID, asked)
            told = rows(Message, [row[:-1] for row in read])
            found += zip((int(row[-1]) for row in read), told, strict=True)
        found.sort(key=lambda each: -each[0])
        return [Sent(message=m, fates=self.fates(m.id)) for _, m in found[:limit]]

    def number(self, message: str) -> int | None:
        """Return the number of a message in the order in which all were said."""
        found = self._link.read("SELECT rowid FROM message WHERE id = ?", (message,))
        return int(found[0][0]) if found else None

    def fates(self, message: str) -> list[Fate]:
        """Return how a message fares with each it is for, in the order they were named."""
        return rows(Fate, self._link.read(_FATES, (message,)))

    def unread(self) -> list[Unread]:
        """Return how much each mailbox has that was not shown yet, where it has any."""
        return rows(Unread, self._link.read(UNREAD))

    def held(self) -> list[Held]:
        """Return which conversations are held, by whom they are with and why."""
        return rows(Held, self._link.read(HELD))

    def name(self, box: str, now: Moment) -> str:
        """Say what a mailbox's owner is called, and where it works; its id if forgotten."""
        try:
            return self._link.call(lambda db: _named(db, box, now))
        except RecipientError:
            found = self._link.read(_AS_AUTHOR, (box,))
        name, place = found[0] if found else (box.removeprefix("as:"), "")
        return f"{name} ({place})" if place else str(name)

    def authors(self, boxes: Sequence[str]) -> dict[str, str]:
        """Return who said something to some mailboxes: a mailbox each, with its name then."""
        marks = ", ".join("?" * len(boxes))
        sql = f"""SELECT author, author_name FROM delivery JOIN message
            ON message.id = delivery.message WHERE delivery.session IN ({marks})
            AND delivery.message IS NOT NULL AND author <> '' GROUP BY author
            ORDER BY max(delivery.id) DESC"""
        return {str(box): str(name) for box, name in self._link.read(sql, tuple(boxes))}

    def advance(self, deliveries: Sequence[int], state: str, wall: float) -> None:
        """Write down that texts were fetched or messages read; see `fate.advance`."""
        self._link.call(lambda db: fate.advance(db, deliveries, state, wall))

    def printed(self, delivery: int, first: int, last: int, total: int, wall: float) -> None:
        """Write down that a part of a text was printed; once all of it was, it is fetched.

        Args:
            delivery: whose.
            first: the number of the part's first line, from 1.
            last: the number of its last line.
            total: how many lines the text has.
            wall: when.
        """
        key = f"{PRINTED}{delivery}"

        def work(db: hot.Connection) -> bool:
            found = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
            before = int(found[0]) if found else 0
            known = max(before, last) if first <= before + 1 else before
            db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, known))
            return known >= total

        if self._link.write(work):
            self.advance([delivery], "fetched", wall)

    def read_last(self, box: str, message: str, wall: float) -> None:
        """Write down which message was read whole last; see `fate.read_last`."""
        self._link.call(lambda db: fate.read_last(db, box, message, wall))

    def retract(self, message: str, wall: float) -> tuple[int, int]:
        """Take a message back where nobody was shown it; see `fate.retract`."""
        return self._link.call(lambda db: fate.retract(db, message, wall))


def _received(found: Sequence[Sequence[Any]]) -> list[Received]:
    width = len(Fate.__struct_fields__)
    fates = rows(Fate, [row[:width] for row in found])
    messages = rows(Message, [row[width:] for row in found])
    return [Received(fate=f, message=m) for f, m in zip(fates, messages, strict=True)]


def _once(found: list[Received]) -> list[Received]:
    """Order by number, the newest first; of one message keep the latest delivery."""
    found.sort(key=lambda each: -each.fate.id)
    return list({each.message.id: each for each in reversed(found)}.values())[::-1]


def _named(db: hot.Connection, box: str, now: Moment) -> str:
    return who.Directory(db, "", "", now).one(box).shown
