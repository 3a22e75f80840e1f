"""When a reader looks again: later, and for a reason; else it waits until it is rung."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as each
from hypothesis import settings
from hypothesis import strategies as st

from attendd.hot import conduit, fate, letter, mail, moment
from attendd.hot import db as hot
from attendd.hot.ledger import LEASE_S, claim, offered
from attendd.hot.moment import Moment
from tests.store import given, mailing

DAY = 24 * 3600.0
MOST_TIMES = 200
NOT_OURS = {
    "laid ready for a hook": {"batch": 1, "message": None, "attachment": "a1/hook"},
    "that rides with a hook's": {"batch": 1, "message": None, "attachment": "a1/ride"},
    "of another client": {"batch": 1, "message": None, "attachment": "a2"},
    "shown in vain": {"avoid": "monitor"},
    "of a talk that is held": {"hold": "talk"},
    "from somebody muted since": {"message": "muted"},
    "too old by now": {"kind": "open", "created_bt": -2 * DAY},
}


@pytest.fixture
def way(db: hot.Connection) -> Iterator[conduit.Conduit]:
    """A reader's way into s1."""
    reading, writing = os.pipe()
    stop, stopping = os.pipe()
    yield conduit.Conduit(db, "a1", "s1", name="monitor", out=writing, stop=stop)
    for fd in (reading, writing, stop, stopping):
        os.close(fd)


def prepare(db: hot.Connection, now: Moment) -> None:
    """Have two who write, one of them muted for good, and one batch."""
    db.execute("INSERT INTO mute VALUES ('s1', 's3', NULL, 0)")
    db.execute("INSERT INTO outbox VALUES (1, 'c', 'a1', 's1', '[attend sensor=x] x\n', 0)")
    for message, author in (("heard", "s2"), ("muted", "s3")):
        db.execute(
            """INSERT INTO message (id, author, author_kind, author_name, author_how, body,
                kind, thread, seq, created_at, created_boot, created_bt)
                VALUES (?1, ?2, 'agent', 'Juno', 'CLAUDE_PID', 'x', 'directed', ?1, 1, ?3, ?4, ?5)""",
            (message, author, now.wall, now.boot, now.bt),
        )


def put(db: hot.Connection, now: Moment, **row: Any) -> None:
    """Put a delivery by hand, claimed by somebody who died; its moments are seconds from now."""
    row = {
        "session": "s1", "attachment": None, "batch": None, "message": "heard", "lane": "event",
        "state": "claimed", "kind": "directed", "hold": "", "avoid": "", "repeats": 0,
        "lease_by": "dead", "lease_boot": now.boot, "lease_bt": -1.0,
        "created_at": 0.0, "created_boot": now.boot, "created_bt": 0.0,
    } | row  # fmt: skip
    row |= {key: row[key] + now.bt for key in ("lease_bt", "created_bt")}
    sql = f"INSERT INTO delivery ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"  # noqa: S608 - our own names
    db.execute(sql, list(row.values()))


@pytest.mark.parametrize("row", NOT_OURS.values(), ids=NOT_OURS)
def test_a_claim_that_ran_out_and_is_not_ours_to_take_keeps_no_reader_awake(
    db: hot.Connection, way: conduit.Conduit, row: dict[str, Any]
) -> None:
    """Whoever claimed it was killed before it was recorded; perhaps nobody comes all night."""
    now = moment.now()
    prepare(db, now)
    put(db, now, **row)

    assert way.drain() is None


ROWS = st.fixed_dictionaries(
    {
        "attachment": st.sampled_from([None, "a1", "a1/ride", "a1/hook", "a2"]),
        "batch": st.sampled_from([None, 1]),
        "state": st.sampled_from(["stored", "claimed"]),
        "kind": st.sampled_from(["directed", "open"]),
        "hold": st.sampled_from(["", "talk"]),
        "avoid": st.sampled_from(["", "monitor"]),
        "repeats": st.integers(0, 2),
        "lease_boot": st.sampled_from([given.BOOT, "boot-0"]),
        "lease_bt": st.floats(-3 * DAY, 2 * LEASE_S),
        "created_bt": st.floats(-2 * DAY, 0),
        "message": st.sampled_from(["heard", "muted"]),
    }
)


@settings(max_examples=60, deadline=None)
@each(rows=st.lists(ROWS, max_size=6), mutes=st.lists(st.floats(-10, 600), max_size=3))
def test_a_reader_looks_again_once_for_each_thing_that_holds_something_back(
    rows: list[dict[str, Any]], mutes: list[float]
) -> None:
    """Whatever lies in its mailbox, in whatever state others have left it."""
    now = mailing.START
    with tempfile.TemporaryDirectory() as folder, given.opened(Path(folder) / "db") as db:
        prepare(db, now)
        for row in rows:
            put(db, now, **(row | {"message": None} if row["batch"] else row))
        for at, until in enumerate(mutes):
            db.execute("INSERT INTO mute VALUES ('s1', ?, ?, 0)", (f"m{at}", now.wall + until))

        looks = looks_until_rung(db, now)

    assert looks <= len(rows) + len(mutes) + 1


def looks_until_rung(db: hot.Connection, now: Moment) -> int:
    """Do as a reader does that is never rung; count how often it looks and finds nothing."""
    for looks in range(1, MOST_TIMES):
        while show(db, now):
            pass
        again_in = mail.free_in(db, ("s1",), now)
        if again_in is None:
            return looks
        assert again_in >= 0.1
        now = Moment(now.wall + again_in, now.boot, now.bt + again_in)
    return MOST_TIMES


def show(db: hot.Connection, now: Moment) -> bool:
    """Show what may be shown now; tell whether there was anything."""
    batch = claim(db, "a1", "s1", now.boot, now.bt)
    offered(db, [row[0] for row in batch], "monitor", now.wall, now.bt)
    found = mailing.waiting(db, now=now)
    if found:
        made = letter.batch(found[: mail.FOLD_OVER], now)
        fate.record(db, mail.take(db, made.letters, "a1", now), "monitor", now, made)
    return bool(batch or found)
