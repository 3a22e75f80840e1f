"""Two years of everyday use: what is kept stays bounded, and nothing that must arrive is touched."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from attendd.hot import db as hot
from attendd.hot import ids, post, process
from attendd.hot.db import Connection
from attendd.hot.moment import Moment
from attendd.store import Store
from tests.store import given, mailing, sweeping
from tests.store.sweeping import Later

DAY = 24 * 3600.0
STEP = 5
"""Days between two sweeps here; what is kept must not depend on that."""
KINDS: tuple[list[str], ...] = (["--to", "TWO"], [], ["--channel", "deploy"], ["--broadcast"])
STATES = ["stored", "claimed", "announced", "offered", "queued", "fetched", "seen", "read"]
STATES += ["answered", "expired", "retracted"]
KEPT = ["message", "delivery", "outbox", "session", "attachment", "membership", "mute", "heard"]
KEPT += ["channel", "meta", "conduit", "telling"]


@pytest.fixture
def years(path: Path) -> Iterator["Years"]:
    with given.opened(path) as db:
        yield Years(path, db)


class Years:
    """A store whose days go by: sessions come, talk in every way, and are never heard of again.

    Attributes:
        day: how many days have gone by.
    """

    def __init__(self, path: Path, db: Connection) -> None:
        self.day = 0
        self.db = db
        self._path = path
        given.enrol(db, "stays")
        self.alive("stays")

    def alive(self, session: str) -> None:
        sql = "UPDATE session SET seen_at = ? WHERE id = ?"
        hot.write(self.db, lambda db: db.execute(sql, (Later(self.day).wall(), session)))

    def come_and_go(self) -> None:
        """Have two sessions come, leave messages of all kinds in all states, and go."""
        one, two = (f"{name}-{self.day}" for name in ("one", "two"))
        for session in (one, two):
            given.enrol(self.db, session)
            mailing.join(self.db, session, "deploy")
            self.alive(session)
        for words in KINDS:
            asked = [two if word == "TWO" else word for word in words]
            for state in STATES:
                self._alter(_BECOME, state, self._say(one, *asked))
            sql = "UPDATE delivery SET hold = 'talk' WHERE message = ?"
            self._alter(sql, self._say(one, *asked))
        self._alter(_BECOME, "undeliverable", self._say(one, "--to", two))
        self._alter(_BECOME, "undeliverable", self._say(one, "--to", "stays"))
        for box in (two, "stays"):
            self._alter("INSERT OR IGNORE INTO mute VALUES (?, 'as:muted', NULL, 0)", box)
        self._say("as:muted", "--broadcast")
        self._say("as:muted", "--to", two)
        self._alter("INSERT INTO meta VALUES ('rounds:' || ?, '5')", two)
        now = self.now()
        hot.write(
            self.db,
            lambda db: post.add_notice(db, ids.new_id(), f"unknown-{self.day}", "x", now),
        )

    def now(self) -> Moment:
        clock = Later(self.day)
        return Moment(clock.wall(), process.boot_id(), clock.now())

    def _say(self, author: str, *words: str) -> str:
        draft = mailing.draft(author, *words)
        post.commit(self.db, draft, self.now())
        return draft.id

    def _alter(self, sql: str, *args: object) -> None:
        hot.write(self.db, lambda db: db.execute(sql, args))

    def pass_by(self, days: int) -> None:
        """Let days go by, with a host that clears up."""
        for _ in range(0, days, STEP):
            self.day += STEP
            self.alive("stays")
            sweeping.sweep(str(self._path), self.day, lambda *_: None)
            store, now = Store(str(self._path)), self.now()
            while store.sweep(now.wall, now.boot, now.bt).more:
                pass
            store.close()

    def rows(self) -> dict[str, int]:
        """Count what is kept, by table, as far as there is any."""
        sql = " UNION ALL ".join(f"SELECT '{name}', count(*) FROM {name}" for name in KEPT)  # noqa: S608 - our own
        return {name: count for name, count in hot.read(self.db, sql) if count}


_BECOME = """UPDATE delivery SET state = ?, lease_boot = 'gone', lease_bt = 0, digest = 'a-b'
    WHERE message = ?"""


def test_what_is_kept_is_bounded_whatever_was_said_to_whom(years: Years) -> None:
    """Also by those who are gone, to those who stay, muted, held, or never enrolled at all."""
    kept = []
    for _ in range(2):
        for _ in range(12):
            years.come_and_go()
            years.pass_by(30)
        kept.append(years.rows())
    years.pass_by(150)

    assert kept[1] == kept[0]
    assert years.rows() == {"session": 1, "mute": 1}


def test_group_mail_ages_also_where_no_reader_begins(db: hot.Connection, path: Path) -> None:
    """By the host, in all mailboxes, held or not; and nobody is rung for what is too old."""
    given.enrol(db, "s2")
    given.enrol(db, "s3")
    db.execute("INSERT INTO mute VALUES ('s3', 's2', NULL, 0)")
    for words in (["--to", "s1"], ["--to", "s3"], [], []):
        last = mailing.send(db, "s2", *words)
    db.execute("UPDATE delivery SET hold = 'talk' WHERE message = ?", (last.id,))
    store = Store(str(path))

    early = (store.age(mailing.later(DAY - 1)), store.outbox.due(mailing.later(DAY - 1)))
    due = store.outbox.due(mailing.later(DAY + 1))
    aged = [
        store.age(mailing.later(DAY + 1)),
        store.age(mailing.later(29 * DAY)),
        store.age(mailing.later(31 * DAY)),
    ]

    assert early == (0, {"s1"})
    assert due == {"s1"}
    assert aged == [2, 0, 2]
    assert [row[:3] for row in mailing.fates(db) if row[1] == "stored"] == [
        ("s1", "stored", ""),
        ("s3", "stored", ""),
    ]
    store.close()
