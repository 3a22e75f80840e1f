"""What the host and the commands ask the store, and what housekeeping leaves of it."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from attendd.errors import StoreError
from attendd.hot import db as hot
from attendd.hot import hooked, ledger
from attendd.hot.moment import Moment
from attendd.model import Telling
from attendd.store import Store
from attendd.store.link import Link
from tests.store import given


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


def test_a_session_is_known_with_its_last_sign_of_life(store: Store) -> None:
    store.sessions.seen(["s1", "unknown"], given.WALL + 5)
    store.sessions.seen([], given.WALL + 9)

    (found,) = store.sessions.all()
    assert found == store.sessions.get("s1")
    assert (found.project, found.workdir) == ("/w", "/w")
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
    delivery = store.outbox.put(given.batch("c1"), given.checkpoint(b"after"))

    kept = store.checkpoints.load("a1")
    assert kept == given.checkpoint(b"after")
    assert [at.id for at in store.outbox.waiting("s1", "a1")] == [delivery]
    bad = msgspec.structs.replace(given.checkpoint(b"x"), state=object())
    with pytest.raises(Exception, match="not supported"):
        store.outbox.put(given.batch("c2"), bad)
    assert [at.correlation for at in store.outbox.waiting("s1")] == ["c1"]


def test_a_delivery_can_be_followed(store: Store, db: hot.Connection) -> None:
    first = store.outbox.put(given.batch("abc1"))
    second = store.outbox.put(given.batch("abd2", lane="message"))
    store.outbox.put(given.batch("b"))
    given.show(db, first)

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


@pytest.mark.parametrize("place", [hooked.ready, hooked.riding])
def test_no_reader_is_rung_for_what_lies_ready_for_hooks(
    store: Store, place: Callable[[str], str]
) -> None:
    now = Moment(given.WALL, given.BOOT, 1000.0)
    batch = msgspec.structs.replace(given.batch("c1"), attachment=place("a1"))
    store.outbox.put(batch)
    assert store.outbox.due(now) == set()

    store.outbox.put(given.batch("c2"))
    assert store.outbox.due(now) == {"s1"}


def test_a_checkpoint_replaces_the_one_before_it(store: Store) -> None:
    assert store.checkpoints.load("a1") is None
    store.checkpoints.save(given.checkpoint(b"1"))
    store.checkpoints.save(given.checkpoint(b"2"))
    assert store.checkpoints.load("a1") == given.checkpoint(b"2")

    store.checkpoints.drop("a1")
    assert store.checkpoints.load("a1") is None


def test_sensor_health_is_written_only_where_it_says_more(store: Store) -> None:
    """Sixty-four idle sessions must not write with every poll."""
    assert store.health.put([given.health("git", 1.0), given.health("context", 1.0)]) == 2
    assert store.health.put([given.health("git", 31.0), given.health("context", 31.0)]) == 0
    assert store.health.put([given.health("git", 31.0, state="failing", detail="no git")]) == 1
    assert store.health.put([given.health("git", 62.0, state="failing", detail="no git")]) == 0
    assert store.health.put([given.health("context", 62.0)]) == 1

    assert [(at.sensor, at.state, at.detail, at.polled_at) for at in store.health.of("a1")] == [
        ("context", "ok", "", 62.0),
        ("git", "failing", "no git", 31.0),
    ]
    store.health.keep("a1", ["git"])
    assert [at.sensor for at in store.health.of("a1")] == ["git"]
    assert store.health.put([given.health("context", 62.0)]) == 1
    store.health.keep("a1", ["git", "context"])
    assert len(store.health.of("a1")) == 2


def test_sensor_health_is_written_anew_into_a_new_store(store: Store, path: Path) -> None:
    store.health.put([given.health("git", 1.0)])
    path.unlink()
    assert store.sessions.all() == []

    assert store.health.put([given.health("git", 1.0)]) == 1
    assert len(store.health.of("a1")) == 1


def test_a_reading_store_has_the_errors_that_people_read(
    store: Store, path: Path, tmp_path: Path
) -> None:
    reading = Store(str(path), readonly=True)

    with pytest.raises(StoreError, match="cannot be written") as caught:
        reading.checkpoints.save(given.checkpoint(b""))
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


def test_a_new_store_that_somebody_holds_is_said_like_any_other(
    db: hot.Connection, path: Path
) -> None:
    store = Store(str(path), patience_s=0.0)
    path.unlink()
    with given.opened(path) as holder:
        holder.execute("BEGIN IMMEDIATE")

        with pytest.raises(StoreError, match="has been locked for over 0 s"):
            store.sessions.seen(["s1"], given.WALL)
    store.close()
    assert db.path == str(path)


def test_a_store_that_may_not_be_changed_gives_nothing_back(store: Store, path: Path) -> None:
    store.outbox.put(given.batch("c1"))
    for _ in range(200):
        store.checkpoints.save(given.checkpoint(b"x" * 20_000))
    store.checkpoints.drop("a1")
    reading = Link(str(path), readonly=True)

    with pytest.raises(StoreError, match="cannot be written"):
        reading.give_back(10)
    reading.close()
