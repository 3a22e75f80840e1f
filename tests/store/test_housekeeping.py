"""What is removed from the store, and what never is."""

from pathlib import Path

import msgspec

from attendd.hot import db as hot
from attendd.hot import ledger
from attendd.store import Store, housekeeping
from attendd.store.link import Link
from tests.store import given

MONTH = housekeeping.KEPT_S
LATER = given.WALL + MONTH + 1


def test_housekeeping_marks_what_nobody_will_show(store: Store, db: hot.Connection) -> None:
    store.outbox.put(given.batch("claimed"))
    ledger.claim(db, "a1", "s1", given.BOOT, 1000.0)
    store.outbox.put(given.batch("waits"))
    store.outbox.put(given.batch("mail", lane="message"))

    at_once = store.sweep(given.WALL, given.BOOT, 1001.0)
    later = store.sweep(given.WALL, given.BOOT, 1000.0 + ledger.LEASE_S + ledger.STALE_S + 1)

    assert (at_once.expired, later.expired) == (0, 2)
    assert given.states(db) == [
        ("expired", "unconfirmed", 0),
        ("expired", "stale", 0),
        ("stored", "", 0),
    ]


def test_housekeeping_removes_what_has_been_at_rest_for_a_month(
    store: Store, db: hot.Connection
) -> None:
    given.show(db, store.outbox.put(given.batch("old"), given.checkpoint(b"")))
    store.health.put([given.health("git", 1.0)])
    store.call(lambda db: ledger.told(db, "s1", "disclosure", "x", "prompt", given.WALL))
    store.sessions.end(store.sessions.live()[0], "client ended", given.WALL)

    early = store.sweep(LATER - 2, given.BOOT, 1000.0)
    late = store.sweep(LATER, given.BOOT, 1000.0)

    assert (early.batches, early.attachments, early.sessions, early.tellings) == (0, 0, 0, 0)
    assert (late.batches, late.attachments, late.sessions, late.tellings) == (1, 1, 1, 1)
    assert not late.more
    for table in (
        "outbox",
        "delivery",
        "attachment",
        "session",
        "telling",
        "checkpoint",
        "health",
        "conduit",
    ):
        assert hot.read(db, f"SELECT * FROM {table}") == [], table  # noqa: S608 - our own names


def test_housekeeping_never_touches_what_must_arrive(store: Store, db: hot.Connection) -> None:
    """Not even of a session that has been away for years, and not in whoever's name it runs."""
    store.outbox.put(given.batch("mail", lane="message"))
    store.sessions.end(store.sessions.live()[0], "client ended", given.WALL)

    swept = store.sweep(given.WALL + 100 * MONTH, "boot-9", 5.0)

    assert (swept.expired, swept.batches, swept.sessions) == (0, 0, 0)
    assert [at.correlation for at in store.outbox.waiting("s1")] == ["mail"]
    given.attach(db, "a9")
    assert len(ledger.claim(db, "a9", "s1", "boot-9", 6.0)) == 1


def test_housekeeping_leaves_those_who_are_here(store: Store) -> None:
    swept = store.sweep(LATER, given.BOOT, 1000.0)

    assert (swept.attachments, swept.sessions) == (0, 0)
    assert len(store.sessions.live()) == 1


def test_a_predecessor_goes_before_its_successor(store: Store, db: hot.Connection) -> None:
    ledger.move_session(db, "a1", "s1", "s2", given.WALL)
    store.sessions.end(store.sessions.live()[0], "client ended", given.WALL)

    store.sweep(LATER, given.BOOT, 1000.0)
    assert [at.id for at in store.sessions.all()] == ["s2"]
    store.sweep(LATER, given.BOOT, 1000.0)
    assert store.sessions.all() == []


def test_the_file_gives_back_what_housekeeping_removed(store: Store, path: Path) -> None:
    for number in range(1200):
        long = msgspec.structs.replace(given.batch(str(number)), text="x" * 2000 + "\n")
        store.outbox.put(long)
    store.sweep(given.WALL, "boot-2", 1.0)
    full = path.stat().st_size

    removed = []
    while (swept := store.sweep(LATER, "boot-2", 1.0)).batches:
        removed.append((swept.batches, swept.more))

    assert removed == [(500, True), (500, True), (200, False)]
    assert path.stat().st_size < full / 5
    assert not Path(f"{path}-wal").stat().st_size


def test_a_flood_is_bounded_before_the_month_is_over(store: Store, path: Path) -> None:
    for number in range(30):
        store.outbox.put(given.batch(str(number)))
    store.sweep(given.WALL, "boot-2", 1.0)
    link = Link(str(path))

    housekeeping.sweep(link, given.WALL, "boot-2", 1.0, kept_batches=10)
    link.close()

    assert [at.correlation for at in store.outbox.recent(None, 99)] == [
        str(number) for number in range(29, 19, -1)
    ]
