"""Channels, who is in them, and who hears nothing from whom."""

from collections.abc import Sequence

import msgspec

from attendd.hot import db as hot
from attendd.store.link import Link
from attendd.store.rows import columns, rows


class Channel(msgspec.Struct, frozen=True, kw_only=True):
    """A named group.

    Attributes:
        name: lower case, without ``#``.
        about: what it is for, in the words of who made it; mostly empty.
        members: the mailboxes in it, the longest member first.
        messages: how many were said in it that are still kept.
        said_at: when the last one was, wall clock; ``None``: none.
    """

    name: str
    about: str
    members: list[str]
    messages: int
    said_at: float | None


class Joined(msgspec.Struct, frozen=True, kw_only=True):
    """What joining a channel came to.

    Attributes:
        new: whether the mailbox was not in it before.
        made: whether the channel was not there before.
        others: how many others are in it.
        earlier: how many messages were said in it before, which the joiner is not shown.
    """

    new: bool
    made: bool
    others: int
    earlier: int


class Mute(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody from whom a mailbox hears nothing.

    Attributes:
        session: the mailbox that hears nothing.
        who: the mailbox it hears nothing from, or ``#`` and a channel.
        until_at: wall clock; ``None``: until it is taken back.
        at: since when, wall clock.
    """

    session: str
    who: str
    until_at: float | None
    at: float


_HOLDS = "(until_at IS NULL OR until_at > ?)"
_MESSAGES = "SELECT count(DISTINCT message) FROM delivery WHERE channel = ?"
_EVERY = """SELECT name, about FROM channel
    UNION SELECT channel, '' FROM membership
    WHERE channel NOT IN (SELECT name FROM channel) ORDER BY name"""
_SPOKEN = """SELECT channel, count(DISTINCT message), max(created_at) FROM delivery
    WHERE message IS NOT NULL AND channel <> '' GROUP BY channel"""


class Channels:
    """Channels and their members. Every method can raise `attendd.errors.StoreError`."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def all(self) -> list[Channel]:
        """Return every channel with its members, by name; ``open`` is none of them."""
        members: dict[str, list[str]] = {}
        sql = "SELECT channel, session FROM membership ORDER BY joined_at, session"
        for channel, box in self._link.read(sql):
            members.setdefault(channel, []).append(box)
        spoken = {name: (count, at) for name, count, at in self._link.read(_SPOKEN)}
        return [
            Channel(
                name=name,
                about=about,
                members=members.get(name, []),
                messages=spoken.get(name, (0, None))[0],
                said_at=spoken.get(name, (0, None))[1],
            )
            for name, about in self._link.read(_EVERY)
        ]

    def of(self, boxes: Sequence[str]) -> list[str]:
        """Return the channels that any of some mailboxes is in, by name."""
        marks = ", ".join("?" * len(boxes))
        sql = f"SELECT DISTINCT channel FROM membership WHERE session IN ({marks}) ORDER BY 1"
        return [str(row[0]) for row in self._link.read(sql, tuple(boxes))]

    def join(self, name: str, box: str, wall: float) -> Joined:
        """Put a mailbox into a channel; the first to join one makes it."""

        def work(db: hot.Connection) -> Joined:
            made = db.execute(
                "INSERT OR IGNORE INTO channel (name, made_by, made_at) VALUES (?, ?, ?)",
                (name, box, wall),
            )
            new = db.execute(
                "INSERT OR IGNORE INTO membership (channel, session, joined_at)"
                " VALUES (?, ?, ?)",
                (name, box, wall),
            )
            others = db.execute(
                "SELECT count(*) FROM membership WHERE channel = ? AND session <> ?",
                (name, box),
            )
            return Joined(
                new=bool(new.rowcount),
                made=bool(made.rowcount),
                others=others.fetchone()[0],
                earlier=db.execute(_MESSAGES, (name,)).fetchone()[0],
            )

        return self._link.write(work)

    def leave(self, name: str, box: str) -> bool:
        """Take a mailbox out of a channel, which ends with its last member.

        Returns:
            Whether it was in it.
        """

        def work(db: hot.Connection) -> bool:
            gone = db.execute(
                "DELETE FROM membership WHERE channel = ? AND session = ?", (name, box)
            )
            db.execute(
                """DELETE FROM channel WHERE name = ?1
                    AND NOT EXISTS (SELECT 1 FROM membership WHERE channel = ?1)""",
                (name,),
            )
            return bool(gone.rowcount)

        return self._link.write(work)


class Mutes:
    """Who hears nothing from whom. Every method can raise `attendd.errors.StoreError`."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def of(self, box: str, wall: float) -> list[Mute]:
        """Return whom a mailbox hears nothing from now, the latest first."""
        sql = f"""SELECT {columns(Mute)} FROM mute WHERE session = ?
            AND {_HOLDS} ORDER BY at DESC, who"""
        return rows(Mute, self._link.read(sql, (box, wall)))

    def put(self, mute: Mute) -> None:
        """Have a mailbox hear nothing from somebody, in place of what was said of that one."""
        sql = f"INSERT OR REPLACE INTO mute ({columns(Mute)}) VALUES (?, ?, ?, ?)"
        values = msgspec.structs.astuple(mute)
        self._link.write(lambda db: db.execute(sql, values))

    def lift(self, box: str, who: str, wall: float) -> bool:
        """Have a mailbox hear from somebody again. That a mute ended, and when, is kept.

        Returns:
            Whether it did not.
        """
        sql = f"UPDATE mute SET until_at = ? WHERE session = ? AND who = ? AND {_HOLDS}"
        asked = (wall, box, who, wall)
        return bool(self._link.write(lambda db: db.execute(sql, asked).rowcount))
