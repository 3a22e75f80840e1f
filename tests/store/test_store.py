"""What the host and the commands ask the store, and what housekeeping leaves of it."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from attendd.errors import StoreError
from attendd.hot import db as hot
from attendd.hot import ledger
from attendd.model import Telling
from attendd.store import Batch, Checkpoint, Health, Store, housekeeping
from attendd.store.link import Link
from tests.store import given

MONTH = housekeeping.KEPT_S
LATER = given.WALL + MONTH + 1


@pytest.fixture
def store(db: hot.Connection, path: Path) -> Iterator[Store]:
    store = Store(str(path))
    yield store
    store.close()


def batch(correlation: str, *, lane: str = "event") -> Batch:
    return Batch(
        attachment="a1",
        session="s1",
        lane=lane,
        text="x\n",
        correlation=correlation,
        wall=given.WALL,
        boot=given.BOOT,
        bt=1000.0,
    )


def checkpoint(state: bytes, attachment: str = "a1") -> Checkpoint:
    return Checkpoint(
        attachment=attachment,
        session="s1",
        boot=given.BOOT,
        saved_at=given.WALL,
        saved_bt=1000.0,
        state=state,
    )


def show(db: hot.Connection, delivery: int) -> None:
    ledger.claim(db, "a1", "s1", given.BOOT, 1000.0, limit=99)
    ledger.offered(db, [delivery], "monitor", given.WALL, 1000.5)


def test_live_attachments_are_those_that_nobody_ended(store: Store, db: hot.Connection) -> None:
    given.attach(db, "a2", pid=200)
    (first, second) = store.sessions.live()

    store.sessions.end(first, "client ended", given.WALL + 1)
    store.sessions.end(msgspec.structs.replace(second, reader_pid=1), "died", given.WALL + 1)

    assert [(at.id, at.reader_pid, at.client_pid) for at in store.sessions.live()] == [
        ("a2", 200, 99)
    ]
    assert [(at.id, at.end_reason) for at in store.sessions.attachments("s1")] == [
        ("a2", ""),
        ("a1", "client ended"),
    ]


def test_what_an_earlier_boot_left_is_ended(store: Store) -> None:
    store.sessions.end_other_boots(given.BOOT, given.WALL)
    assert len(store.sessions.live()) == 1

    store.sessions.end_other_boots("boot-2", given.WALL)
    assert store.sessions.live() == []


def test_a_session_is_described_by_what_is_known(store: Store) -> None:
    store.sessions.describe("s1", transcript="/t", name="Juno")
    store.sessions.describe("s1", project="/p")
    store.sessions.seen(["s1", "unknown"], given.WALL + 5)
    store.sessions.seen([], given.WALL + 9)

    (found,) = store.sessions.all()
    assert found == store.sessions.get("s1")
    assert (found.project, found.workdir, found.transcript, found.name) == (
        "/p",
        "/w",
        "/t",
        "Juno",
    )
    assert (found.seen_at, found.declared) == (given.WALL + 5, False)
    assert store.sessions.get("s2") is None


def test_tellings_are_asked_for_from_where_one_stopped(store: Store) -> None:
    assert store.sessions.tellings("s1", "disclosure", 0) == ([], 0)
    store.call(
        lambda db: ledger.told(db, "s1", "disclosure", "messaging", "session-start", 5.0)
    )

    told, last = store.sessions.tellings("s1", "disclosure", 0)

    assert told == [Telling(topic="messaging", at=5.0, conduit="session-start")]
    assert store.sessions.tellings("s1", "disclosure", last) == ([], last)


def test_a_batch_and_the_state_that_knows_of_it_are_one_commit(
    store: Store, db: hot.Connection
) -> None:
    delivery = store.outbox.put(batch("c1"), checkpoint(b"after"))

    kept = store.checkpoints.load("a1")
    assert kept == checkpoint(b"after")
    assert [at.id for at in store.outbox.waiting("s1", "a1")] == [delivery]
    bad = msgspec.structs.replace(checkpoint(b"x"), state=object())
    with pytest.raises(Exception, match="not supported"):
        store.outbox.put(batch("c2"), bad)
    assert [at.correlation for at in store.outbox.waiting("s1")] == ["c1"]


def test_a_delivery_can_be_followed(store: Store, db: hot.Connection) -> None:
    first = store.outbox.put(batch("abc1"))
    second = store.outbox.put(batch("abd2", lane="message"))
    store.outbox.put(batch("b"))
    show(db, first)

    (found,) = store.outbox.get([first])
    assert (found.state, found.conduit, found.offered_at, found.latency_ms) == (
        "offered",
        "monitor",
        given.WALL,
        500.0,
    )
    assert [at.id for at in store.outbox.find("ab")] == [first, second]
    assert [at.id for at in store.outbox.find("abd")] == [second]
    assert store.outbox.find("%") == []
    assert [at.id for at in store.outbox.recent("s1", 2)] == [second + 1, second]
    assert len(store.outbox.recent(None, 9)) == 3
    assert store.outbox.recent("s2", 9) == []
    assert [at.state for at in store.outbox.waiting("s1")] == ["claimed", "claimed"]
    assert store.outbox.waiting("s1", "a2") == []
    assert [(at.name, at.latency_ms) for at in store.outbox.conduits("s1")] == [
        ("monitor", 500.0)
    ]


def test_a_checkpoint_replaces_the_one_before_it(store: Store) -> None:
    assert store.checkpoints.load("a1") is None
    store.checkpoints.save(checkpoint(b"1"))
    store.checkpoints.save(checkpoint(b"2"))
    assert store.checkpoints.load("a1") == checkpoint(b"2")

    store.checkpoints.drop("a1")
    assert store.checkpoints.load("a1") is None


def health(sensor: str, polled_at: float, **over: str) -> Health:
    plain = Health(
        attachment="a1", sensor=sensor, state="ok", since_at=given.WALL, polled_at=polled_at
    )
    return msgspec.structs.replace(plain, **over)


def test_sensor_health_is_written_only_where_it_says_more(store: Store) -> None:
    """Sixty-four idle sessions must not write with every poll."""
    assert store.health.put([health("git", 1.0), health("context", 1.0)]) == 2
    assert store.health.put([health("git", 31.0), health("context", 31.0)]) == 0
    assert store.health.put([health("git", 31.0, state="failing", detail="no git")]) == 1
    assert store.health.put([health("git", 62.0, state="failing", detail="no git")]) == 0
    assert store.health.put([health("context", 62.0)]) == 1

    assert [(at.sensor, at.state, at.detail, at.polled_at) for at in store.health.of("a1")] == [
        ("context", "ok", "", 62.0),
        ("git", "failing", "no git", 31.0),
    ]
    store.health.keep("a1", ["git"])
    assert [at.sensor for at in store.health.of("a1")] == ["git"]
    assert store.health.put([health("context", 62.0)]) == 1


def test_sensor_health_is_written_anew_into_a_new_store(store: Store, path: Path) -> None:
    store.health.put([health("git", 1.0)])
    path.unlink()
    assert store.sessions.all() == []

    assert store.health.put([health("git", 1.0)]) == 1
    assert len(store.health.of("a1")) == 1


def test_a_reading_store_has_the_errors_that_people_read(
    store: Store, path: Path, tmp_path: Path
) -> None:
    reading = Store(str(path), readonly=True)

    with pytest.raises(StoreError, match="cannot be written") as caught:
        reading.checkpoints.save(checkpoint(b""))
    reading.close()

    assert "hint: make" in str(caught.value)
    nothing = Store(str(tmp_path / "nowhere.db"), readonly=True)
    assert (nothing.sessions.all(), nothing.set_aside()) == ([], None)
    nothing.close()


def test_a_store_that_stays_unusable_is_an_error_and_stays_open(
    store: Store, path: Path
) -> None:
    path.unlink()
    path.mkdir()

    with pytest.raises(StoreError, match="cannot open"):
        store.sessions.all()
    path.rmdir()
    assert store.sessions.all() == []


def test_housekeeping_marks_what_nobody_will_show(store: Store, db: hot.Connection) -> None:
    store.outbox.put(batch("claimed"))
    ledger.claim(db, "a1", "s1", given.BOOT, 1000.0)
    store.outbox.put(batch("waits"))
    store.outbox.put(batch("mail", lane="message"))

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
    show(db, store.outbox.put(batch("old"), checkpoint(b"")))
    store.health.put([health("git", 1.0)])
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
    store.outbox.put(batch("mail", lane="message"))
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
        long = msgspec.structs.replace(batch(str(number)), text="x" * 2000 + "\n")
        store.outbox.put(long)
    store.sweep(given.WALL, "boot-2", 1.0)
    full = path.stat().st_size

    removed = []
    while (swept := store.sweep(LATER, "boot-2", 1.0)).batches:
        removed.append((swept.batches, swept.more))

    assert removed == [(500, True), (500, True), (200, False)]
    assert path.stat().st_size < full / 10
    assert not Path(f"{path}-wal").stat().st_size


def test_a_flood_is_bounded_before_the_month_is_over(store: Store, path: Path) -> None:
    for number in range(30):
        store.outbox.put(batch(str(number)))
    store.sweep(given.WALL, "boot-2", 1.0)
    link = Link(str(path))

    housekeeping.sweep(link, given.WALL, "boot-2", 1.0, kept_batches=10)
    link.close()

    assert [at.correlation for at in store.outbox.recent(None, 99)] == [
        str(number) for number in range(29, 19, -1)
    ]
