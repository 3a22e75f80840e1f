"""What waits is found as quickly beside 100,000 settled rows as beside none: by its index."""

import pytest

from attendd.hot import db as hot
from attendd.hot import ledger, stated
from attendd.store import housekeeping, outbox, tidying
from tests.store import given

ASKED = {
    "session": "s1",
    "attachment": "a1",
    "boot": given.BOOT,
    "bt": 1000.0,
    "limit": 1,
    "wall": given.WALL,
    "before": given.WALL,
    "chunk": 1,
}


def plan(db: hot.Connection, sql: str) -> str:
    db.execute("ANALYZE")
    return " / ".join(row[3] for row in hot.read(db, f"EXPLAIN QUERY PLAN {sql}", ASKED))


@pytest.fixture
def busy(db: hot.Connection) -> hot.Connection:
    """Put 20,000 settled rows beside three that wait."""
    hot.write(
        db,
        lambda db: db.executemany(
            """INSERT INTO delivery (session, attachment, batch, lane, state, created_at,
                created_boot, created_bt) VALUES ('s1', 'a1', ?, 'event', 'offered', 0, '', 0)""",
            ((n,) for n in range(20_000)),
        ),
    )
    for number in range(3):
        given.put(db, f"c{number}")
    return db


@pytest.mark.parametrize(
    "sql",
    [
        ledger.DUE,
        ledger.EXPIRE_STALE,
        ledger.EXPIRE_REPEATED,
        outbox.WAITING,
    ],
)
def test_what_waits_for_a_session_is_found_by_the_index_of_what_waits(
    busy: hot.Connection, sql: str
) -> None:
    found = plan(busy, sql)

    assert "USING INDEX delivery_due (session=?)" in found or (
        "USING COVERING INDEX delivery_due (session=?)" in found
    )
    assert "SCAN" not in found


@pytest.mark.parametrize("sql", [outbox.DUE, tidying.AGING])
def test_what_waits_for_anybody_is_looked_at_alone(busy: hot.Connection, sql: str) -> None:
    """The host asks every 45 s, and every five minutes."""
    steps = plan(busy, sql).split(" / ")

    assert [step for step in steps if step.startswith("SCAN")] == [
        "SCAN delivery USING INDEX delivery_due"
    ]


@pytest.mark.parametrize("condition", [ledger.STALE, housekeeping.OVER])
def test_what_nobody_will_show_is_found_among_what_waits(
    busy: hot.Connection, condition: str
) -> None:
    found = plan(busy, f"DELETE FROM delivery WHERE {condition}")  # noqa: S608 - our own constants

    assert found == "SCAN delivery USING INDEX delivery_due"


def test_tellings_of_a_sensor_are_found_by_their_index(busy: hot.Connection) -> None:
    found = plan(busy, ledger.TELLINGS.replace("?", ":session"))

    assert (
        found == "SEARCH telling USING INDEX telling_sensor (session=? AND sensor=? AND id>?)"
    )


def test_a_status_line_counts_by_indexes(busy: hot.Connection) -> None:
    """It may be drawn each second."""
    found = plan(busy, stated.LOOK)

    assert "delivery_due (session=?)" in found
    assert "delivery_announced (session=?)" in found
    assert "SCAN attachment" not in found
    assert "SCAN health" not in found
    assert "SCAN delivery" not in found
