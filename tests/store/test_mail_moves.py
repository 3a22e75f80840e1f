"""A client that goes on under another session takes along what was said to it."""

import os

import pytest

from attendd.hot import db as hot
from attendd.hot import hooked, ledger, process, roll
from tests.store import given, mailing
from tests.store.mailing import fates, send, waiting


@pytest.fixture
def pair(db: hot.Connection) -> hot.Connection:
    """Have s1, which is read for, and s2 beside it."""
    given.enrol(db, "s2")
    return db


def test_waiting_mail_follows_a_client_to_its_next_session(pair: hot.Connection) -> None:
    mailing.join(pair, "s1", "deploy")
    pair.execute("INSERT INTO mute VALUES ('s1', 's9', NULL, 0)")
    send(pair, "s2", "--to", "s1", message="aaaaaaaa")
    send(pair, "s2", message="bbbbbbbb")
    given.enrol(pair, "s1b")
    send(pair, "s2", message="cccccccc")

    ledger.move_session(pair, "a1", "s1", "s1b", given.WALL)

    found = {each.id: each.meant for each in waiting(pair, "s1b")}
    assert found == {"aaaaaaaa": "s1", "bbbbbbbb": "s1", "cccccccc": ""}
    assert ("s1", "expired", "twice", 0) in fates(pair)
    for table, column, kept in (("membership", "channel", "deploy"), ("mute", "who", "s9")):
        sql = f"SELECT {column} FROM {table} WHERE session = 's1b'"  # noqa: S608 - our own
        assert hot.read(pair, sql) == [(kept,)]


def test_a_second_client_of_a_session_keeps_its_mail(pair: hot.Connection) -> None:
    given.attach(pair, "a9", "s1", pid=900)
    send(pair, "s2", "--to", "s1")

    ledger.move_session(pair, "a1", "s1", "s1b", given.WALL)

    assert len(waiting(pair, "s1")) == 1
    assert waiting(pair, "s1b") == []


def test_a_fork_goes_on_in_place_of_a_session_that_nobody_runs(pair: hot.Connection) -> None:
    """What it was shown is in the copy, so it can be answered there."""
    mailing.join(pair, "s1", "deploy")
    send(pair, "s2", "--to", "s1", message="aaaaaaaa")
    mailing.show(pair)
    send(pair, "s2", "--to", "s1", message="bbbbbbbb")
    given.enrol(pair, "s1f")
    assert not roll.fork(pair, "s1", "s1f")
    assert waiting(pair, "s1f") == []

    roll.detach(pair, "a1", 100, "client ended", given.WALL)
    assert roll.fork(pair, "s1", "s1f")

    assert [(each.id, each.meant) for each in waiting(pair, "s1f")] == [("bbbbbbbb", "s1")]
    assert mailing.boxes(send(pair, "s2", "--to", "s1")) == ["s1f"]
    assert mailing.boxes(send(pair, "s1f", reply=True)) == ["s2"]
    assert hot.read(pair, "SELECT session FROM membership ORDER BY session") == [
        ("s1",),
        ("s1f",),
    ]
    names = dict(hot.read(pair, "SELECT id, instance FROM session"))
    assert names["s1"] != names["s1f"]


def test_a_fork_beside_a_session_that_goes_on_leaves_it_its_mail(pair: hot.Connection) -> None:
    """It is in the same channels, and can answer what stands in its copy."""
    mailing.join(pair, "s1", "deploy")
    pair.execute("INSERT INTO mute VALUES ('s1', 's9', NULL, 0)")
    send(pair, "s2", "--to", "s1", message="aaaaaaaa")
    mailing.show(pair)
    send(pair, "s2", "--to", "s1", message="bbbbbbbb")
    given.enrol(pair, "s1f")

    assert not roll.fork(pair, "s1", "s1f")

    assert [each.id for each in waiting(pair, "s1")] == ["bbbbbbbb"]
    assert waiting(pair, "s1f") == []
    assert mailing.boxes(send(pair, "s2", "--to", "s1")) == ["s1"]
    assert mailing.boxes(send(pair, "s1f", reply=True)) == ["s2"]
    for table in ("membership", "mute"):
        sql = f"SELECT session FROM {table} ORDER BY session"  # noqa: S608 - our own
        assert hot.read(pair, sql) == [("s1",), ("s1f",)]


def test_what_was_forked_off_and_is_taken_up_again_has_its_own_mail(
    pair: hot.Connection,
) -> None:
    roll.detach(pair, "a1", 100, "client ended", given.WALL)
    given.enrol(pair, "s1f")
    assert roll.fork(pair, "s1", "s1f")

    given.enrol(pair, "s1")

    assert mailing.boxes(send(pair, "s2", "--to", "s1")) == ["s1"]
    assert mailing.boxes(send(pair, "s2", "--to", "s1f")) == ["s1f"]


def test_who_just_began_anew_keeps_its_name(pair: hot.Connection) -> None:
    """The session's start is heard of before the client is seen to have gone on under it."""
    before = hot.read(pair, "SELECT origin, instance FROM session WHERE id = 's1'")
    given.enrol(pair, "s1b")
    assert hot.read(pair, "SELECT instance FROM session WHERE id = 's1b'") == [(3,)]

    ledger.move_session(pair, "a1", "s1", "s1b", given.WALL + 5)

    assert hot.read(pair, "SELECT origin, instance FROM session WHERE id = 's1b'") == before


def test_a_session_taken_up_again_has_its_own_name(pair: hot.Connection) -> None:
    ledger.move_session(pair, "a1", "s1", "s2", given.WALL + 3600)

    assert hot.read(pair, "SELECT id, instance FROM session ORDER BY id") == [
        ("s1", 1),
        ("s2", 2),
    ]


def test_numbers_of_the_long_gone_are_given_again(pair: hot.Connection) -> None:
    pair.execute("UPDATE session SET seen_at = seen_at - 8 * 86400 WHERE id = 's1'")

    given.enrol(pair, "s3")
    given.enrol(pair, "s4")
    given.enrol(pair, "s5", workdir="/another")

    found = hot.read(pair, "SELECT id, instance FROM session ORDER BY id")
    assert found == [("s1", 1), ("s2", 2), ("s3", 1), ("s4", 3), ("s5", 1)]


def test_an_enrolment_does_not_change_a_name(pair: hot.Connection) -> None:
    given.enrol(pair, "s2", workdir="/another")

    found = hot.read(pair, "SELECT origin, project, instance FROM session WHERE id = 's2'")
    assert found == [("/w", "/another", 2)]


@pytest.mark.parametrize(
    ("change", "monitored"),
    [
        ("UPDATE attachment SET reader_pid = {own}, reader_start = '{start}'", True),
        ("UPDATE attachment SET reader_pid = {own}, reader_start = '1'", False),
        (
            "UPDATE attachment SET reader_pid = {own}, reader_start = '{start}', blocked_at = 1",
            False,
        ),
        (
            "UPDATE attachment SET reader_pid = {own}, reader_start = '{start}', ended_at = 1",
            False,
        ),
        ("UPDATE attachment SET pidns = 'pid:[2]'", True),
        ("UPDATE attachment SET boot = 'boot-2'", False),
    ],
)
def test_a_hook_leaves_mail_to_a_reader_that_may_live(
    pair: hot.Connection, change: str, *, monitored: bool
) -> None:
    """One in another namespace is unknown, never dead."""
    own = os.getpid()
    here = (process.pid_namespace(), process.boot_id())
    pair.execute("UPDATE attachment SET pidns = ?, boot = ?", here)
    pair.execute(change.format(own=own, start=process.start_time(own)))

    assert hooked.monitored(pair, "s1") is monitored
