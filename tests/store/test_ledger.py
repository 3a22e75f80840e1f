"""A delivery is shown, at most once more if nobody can know whether it was, and never lost."""

from pathlib import Path

import pytest

from attendd.hot import db as hot
from attendd.hot import ledger
from tests.store import given

NOW = 1000.0
OVER = NOW + ledger.LEASE_S + 0.1


def claim(
    db: hot.Connection,
    bt: float = NOW,
    *,
    boot: str = given.BOOT,
    attachment: str = "a1",
    session: str = "s1",
) -> list[tuple[int, str, int]]:
    return ledger.claim(db, attachment, session, boot, bt)


def another_process(db: hot.Connection) -> None:
    """Make what follows the doing of another process than before."""
    db.token = f"{db.token}+"


def test_what_is_put_is_claimed_shown_and_recorded(db: hot.Connection) -> None:
    batch = given.put(db, "c1")

    assert claim(db) == [(batch, "[attend sensor=git priority=low] c1\n", 0)]
    assert given.states(db) == [("claimed", "", 0)]
    assert ledger.still_mine(db, [batch], "a1", given.BOOT, NOW + 1)
    ledger.offered(db, [batch], "monitor", given.WALL + 2, NOW + 2)

    assert given.states(db) == [("offered", "", 0)]
    assert claim(db, OVER) == []
    assert hot.read(db, "SELECT conduit, offered_at, latency_ms FROM delivery") == [
        ("monitor", given.WALL + 2, 2000.0)
    ]
    assert hot.read(db, "SELECT session, name, ok_at, latency_ms FROM conduit") == [
        ("s1", "monitor", given.WALL + 2, 2000.0)
    ]


def test_a_batch_is_put_once_however_often_its_correlation_is(db: hot.Connection) -> None:
    """A host that can't know whether its commit happened puts the batch again."""
    first = given.put(db, "c1")
    claim(db)

    assert given.put(db, "c1") == first
    assert given.states(db) == [("claimed", "", 0)]


def test_the_oldest_is_claimed_first_and_no_more_than_asked_for(db: hot.Connection) -> None:
    batches = [given.put(db, f"c{number}") for number in range(5)]

    assert [at for at, _, _ in claim(db)] == batches[:1]
    assert [
        at for at, _, _ in ledger.claim(db, "a1", "s1", given.BOOT, NOW, limit=3)
    ] == batches[1:4]


def test_a_batch_is_for_its_own_attachment_and_session_only(db: hot.Connection) -> None:
    given.put(db, "c1")

    assert claim(db, attachment="a2") == []
    assert claim(db, session="s2") == []
    assert len(claim(db)) == 1


def test_a_claim_is_not_anybody_elses_while_its_lease_holds(db: hot.Connection) -> None:
    given.put(db, "c1")
    claim(db)

    assert claim(db, NOW + ledger.LEASE_S) == []
    another_process(db)
    assert claim(db, NOW + ledger.LEASE_S) == []


@pytest.mark.parametrize("late", [{"bt": OVER}, {"bt": NOW - 100.0}, {"boot": "boot-2"}])
def test_a_claim_that_ran_out_is_repeated_once_and_marked(
    db: hot.Connection, late: dict[str, float | str]
) -> None:
    """Also after a restart of the machine, known by its boot id or by a clock that began anew."""
    batch = given.put(db, "c1")
    claim(db)
    another_process(db)

    assert [(at, again) for at, _, again in claim(db, **late)] == [(batch, 1)]  # type: ignore[arg-type]
    assert given.states(db) == [("claimed", "", 1)]
    ledger.offered(db, [batch], "monitor", given.WALL)
    assert given.states(db) == [("offered", "", 1)]


def test_after_one_repeat_it_expires_unconfirmed(db: hot.Connection) -> None:
    given.put(db, "c1")
    later = given.put(db, "c2")
    claim(db)
    claim(db, OVER)

    assert [(at, again) for at, _, again in claim(db, OVER + ledger.LEASE_S + 1)] == [
        (later, 0)
    ]
    assert given.states(db) == [("expired", "unconfirmed", 1), ("claimed", "", 0)]


def test_a_reader_stopped_for_longer_than_its_lease_shows_nothing(db: hot.Connection) -> None:
    """What it claimed may be another's by now, even under the same attachment."""
    batch = given.put(db, "c1")
    claim(db)
    mine = db.token

    assert not ledger.still_mine(db, [batch], "a1", given.BOOT, OVER)
    another_process(db)
    claim(db, OVER)
    assert ledger.still_mine(db, [batch], "a1", given.BOOT, OVER + 1)
    db.token = mine
    assert not ledger.still_mine(db, [batch], "a1", given.BOOT, OVER + 1)


def test_a_record_that_comes_late_is_true_all_the_same(db: hot.Connection) -> None:
    """It was written, whoever claims it by now: who checks before writing need not repeat it."""
    batch = given.put(db, "c1")
    claim(db)
    mine = db.token
    another_process(db)
    claim(db, OVER)
    other, db.token = db.token, mine

    ledger.offered(db, [batch], "monitor", given.WALL)

    db.token = other
    assert not ledger.still_mine(db, [batch], "a1", given.BOOT, OVER + 1)
    assert given.states(db) == [("offered", "", 1)]


def test_what_expired_unconfirmed_is_confirmed_by_a_late_record(db: hot.Connection) -> None:
    batch = given.put(db, "c1")
    for bt in (NOW, OVER, OVER + 20):
        claim(db, bt)

    ledger.offered(db, [batch], "monitor", given.WALL)

    assert given.states(db) == [("offered", "", 1)]


@pytest.mark.parametrize(
    ("lane", "late", "expected"),
    [
        ("event", {"bt": NOW + 599}, "claimed"),
        ("event", {"bt": NOW + 601}, "expired"),
        ("event", {"boot": "boot-2"}, "expired"),
        ("event", {"bt": NOW - 30}, "claimed"),  # its clock was read before a wait for the lock
        ("message", {"bt": NOW + 1e6}, "claimed"),
        ("message", {"boot": "boot-2"}, "claimed"),
    ],
)
def test_events_that_nobody_claimed_grow_stale_and_messages_do_not(
    db: hot.Connection, lane: str, late: dict[str, float | str], expected: str
) -> None:
    """By the clock that is never set: a step of wall time makes nothing old."""
    given.put(db, "c1", lane=lane)

    claim(db, **late)  # type: ignore[arg-type]

    assert given.states(db) == [(expected, "stale" if expected == "expired" else "", 0)]


def test_an_event_that_may_have_been_shown_does_not_grow_stale(db: hot.Connection) -> None:
    batch = given.put(db, "c1")
    claim(db)

    assert [(at, again) for at, _, again in claim(db, NOW + 5000)] == [(batch, 1)]


def test_two_readers_at_one_moment_never_claim_the_same(db: hot.Connection) -> None:
    batches = [given.put(db, f"c{number}") for number in range(200)]

    said = given.together(4, "claim", Path(db.path))

    claimed = [int(line) for out in said for line in out.split()]
    assert sorted(claimed) == batches


def test_a_conduit_remembers_its_last_success_and_its_last_failure(db: hot.Connection) -> None:
    ledger.conduit_ok(db, "s1", "prompt", 1.0, 20.0)
    ledger.conduit_failed(db, "s1", "prompt", 2.0, "the store is read-only")
    ledger.conduit_ok(db, "s1", "prompt", 3.0)

    assert hot.read(db, "SELECT * FROM conduit") == [
        ("s1", "prompt", 3.0, 2.0, "the store is read-only", 20.0)
    ]


def test_tellings_are_returned_in_order_from_where_one_stopped(db: hot.Connection) -> None:
    for topic in ("messaging", "memory"):
        ledger.told(db, "s1", "disclosure", topic, "session-start", given.WALL)
    ledger.told(db, "s1", "other", "x", "session-start", given.WALL)
    ledger.told(db, "s2", "disclosure", "y", "session-start", given.WALL)

    found = ledger.tellings_since(db, "s1", "disclosure", 0)

    assert [topic for _, topic, _, _ in found] == ["messaging", "memory"]
    assert ledger.tellings_since(db, "s1", "disclosure", found[0][0]) == found[1:]
    assert ledger.tellings_since(db, "s1", "disclosure", found[1][0]) == []
