"""Who is attended, who reads, and what follows a client that changes its session."""

from pathlib import Path

from attendd.hot import db as hot
from attendd.hot import ledger
from attendd.store import Store
from tests.store import given


def waiting(db: hot.Connection) -> list[tuple[str, str | None, str]]:
    return hot.read(
        db,
        """SELECT correlation, delivery.attachment, delivery.session FROM delivery
            JOIN outbox ON outbox.id = batch WHERE state IN ('stored', 'claimed')
            ORDER BY delivery.id""",
    )


def test_enrolling_again_keeps_what_is_known_and_counts_as_a_sign_of_life(
    db: hot.Connection,
) -> None:
    for transcript, name, wall in (("/t", "Juno", 5.0), ("", "", given.WALL + 9)):
        ledger.enrol(
            db,
            session="s1",
            harness="claude-code",
            project="/p",
            workdir="/w2",
            transcript=transcript,
            name=name,
            declared=True,
            wall=wall,
        )

    assert hot.read(
        db, "SELECT transcript, name, workdir, declared, enrolled_at, seen_at FROM session"
    ) == [("/t", "Juno", "/w2", 1, given.WALL, given.WALL + 9)]


def test_a_path_that_is_no_text_is_kept_as_it_is(db: hot.Connection, path: Path) -> None:
    odd = b"/tmp/\xff\xfe".decode("utf-8", "surrogateescape")
    given.enrol(db, "s2", workdir=odd)
    store = Store(str(path))

    found = store.sessions.get("s2")
    store.close()

    assert found is not None
    assert (found.workdir, found.project) == (odd, odd)


def test_the_next_reader_takes_the_place_of_one_that_ended(db: hot.Connection) -> None:
    """The Monitor tool ends its command after a while, and is armed again."""
    given.put(db, "c1")
    ledger.blocked(db, "a1", 5.0)
    ledger.detach(db, "a1", 100, "expired", 6.0)
    given.attach(db, pid=200)

    assert hot.read(
        db, "SELECT reader_pid, ended_at, end_reason, blocked_at FROM attachment"
    ) == [(200, None, "", None)]
    assert len(ledger.claim(db, "a1", "s1", given.BOOT, 1000.0)) == 1


def test_a_late_word_of_the_earlier_readers_end_changes_nothing(db: hot.Connection) -> None:
    given.attach(db, pid=200)

    ledger.detach(db, "a1", 100, "died", 6.0)

    assert hot.read(db, "SELECT ended_at FROM attachment") == [(None,)]


def test_a_reader_says_since_when_its_output_takes_nothing(db: hot.Connection) -> None:
    ledger.blocked(db, "a1", 5.0)
    assert hot.read(db, "SELECT blocked_at FROM attachment") == [(5.0,)]

    ledger.blocked(db, "a1", None)
    assert hot.read(db, "SELECT blocked_at FROM attachment") == [(None,)]


def test_what_must_arrive_is_free_for_other_readers_when_its_own_ended(
    db: hot.Connection,
) -> None:
    given.put(db, "news")
    given.put(db, "mail", lane="message")

    ledger.detach(db, "a1", 100, "client ended", 6.0)

    assert waiting(db) == [("news", "a1", "s1"), ("mail", None, "s1")]
    claimed = ledger.claim(db, "a2", "s1", given.BOOT, 1000.0, limit=9)
    assert [text for _, text, _ in claimed] == ["[attend sensor=git priority=low] mail\n"]


def test_what_waits_follows_a_client_to_its_next_session(db: hot.Connection) -> None:
    given.put(db, "c1")

    ledger.move_session(db, "a1", "s1", "s2", given.WALL + 1)

    assert waiting(db) == [("c1", "a1", "s2")]
    assert hot.read(db, "SELECT id, successor, workdir FROM session ORDER BY id") == [
        ("s1", "s2", "/w"),
        ("s2", "", "/w"),
    ]
    assert hot.read(db, "SELECT session FROM attachment") == [("s2",)]


def test_going_back_to_an_earlier_session_makes_no_circle(db: hot.Connection) -> None:
    ledger.move_session(db, "a1", "s1", "s2", given.WALL + 1)
    ledger.move_session(db, "a1", "s2", "s1", given.WALL + 2)

    assert hot.read(db, "SELECT id, successor FROM session ORDER BY id") == [
        ("s1", ""),
        ("s2", "s1"),
    ]


def test_a_session_that_another_process_still_runs_keeps_its_own(db: hot.Connection) -> None:
    """A session may be resumed twice; only one of the two is cleared."""
    given.attach(db, "a2")
    given.put(db, "for a1")
    given.put(db, "for a2", attachment="a2")

    ledger.move_session(db, "a1", "s1", "s2", given.WALL + 1)

    assert waiting(db) == [("for a1", "a1", "s2"), ("for a2", "a2", "s1")]
    assert hot.read(db, "SELECT successor FROM session WHERE id = 's1'") == [("",)]


def test_what_waits_for_the_session_at_large_follows_its_last_process(
    db: hot.Connection,
) -> None:
    given.put(db, "mail", lane="message")
    ledger.detach(db, "a1", 100, "client ended", 6.0)
    given.attach(db, "a2")
    given.attach(db, "a3")

    ledger.move_session(db, "a2", "s1", "s2", given.WALL + 1)
    stayed = waiting(db)
    ledger.move_session(db, "a3", "s1", "s3", given.WALL + 2)

    assert stayed == [("mail", None, "s1")]
    assert waiting(db) == [("mail", None, "s3")]


def test_a_session_that_changed_while_nobody_read_is_caught_up_with(db: hot.Connection) -> None:
    given.put(db, "c1")
    ledger.detach(db, "a1", 100, "expired", 6.0)

    given.enrol(db, "s2")
    given.attach(db, "a1", "s2", pid=200)

    assert waiting(db) == [("c1", "a1", "s2")]
