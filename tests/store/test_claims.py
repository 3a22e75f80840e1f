"""Messages on their way: taken under a lease, shown, recorded, and never lost in between."""

import pytest

from attendd.hot import db as hot
from attendd.hot import digest, fate, letter, mail, post
from attendd.hot.moment import Moment
from tests.store import given, mailing
from tests.store.mailing import fates, later, send, show, waiting

START = mailing.START
DAY = 24 * 3600.0


@pytest.fixture
def pair(db: hot.Connection) -> hot.Connection:
    """Have s1, which is read for, and s2 beside it."""
    given.enrol(db, "s2")
    return db


def take(
    db: hot.Connection, now: Moment = START, by: str = "a1", box: str = "s1"
) -> list[letter.Letter]:
    return mail.take(db, waiting(db, box, now), by, now)


def test_what_was_taken_and_recorded_is_shown_no_more(pair: hot.Connection) -> None:
    send(pair, "s2", "--to", "s1")

    (taken,) = show(pair)

    assert (taken.body, taken.repeats) == ("x", 0)
    assert waiting(pair) == []
    assert fates(pair) == [("s1", "offered", "", 0)]


def test_what_another_holds_is_left_to_it(pair: hot.Connection) -> None:
    send(pair, "s2", "--to", "s1")
    seen = waiting(pair)
    take(pair)

    assert mail.take(pair, seen, "hook", later(14)) == []
    assert waiting(pair, now=later(14)) == []


@pytest.mark.parametrize("when", [later(15.1), Moment(given.WALL, "boot-2", 3.0)])
def test_a_death_before_the_record_is_made_good_once_and_marked(
    pair: hot.Connection, when: Moment
) -> None:
    """Nobody can know whether the dead one had written it."""
    send(pair, "s2", "--to", "s1")
    take(pair)

    (again,) = take(pair, when)

    assert again.repeats == 1
    assert "(again) message from" in letter.full(again, when)[0]


def test_after_two_deaths_only_the_id_is_told_until_that_is_recorded(
    pair: hot.Connection,
) -> None:
    """So that nothing is said three times, and nothing is lost."""
    send(pair, "s2", "--to", "s1")
    for seconds in (0, 16, 32, 48):
        take(pair, later(seconds))

    made = letter.batch(waiting(pair, now=later(64)), later(64))
    taken = mail.take(pair, made.letters, "a1", later(64))
    fate.record(pair, taken, "monitor", later(64), made)

    assert made.announced
    assert "perhaps not shown; attend inbox" in made.text
    assert fates(pair)[0][1] == "announced"
    assert waiting(pair, now=later(80)) == []


def test_a_record_is_true_however_late_it_comes(pair: hot.Connection) -> None:
    send(pair, "s2", "--to", "s1")
    taken = take(pair)
    take(pair, later(16), by="hook")

    fate.record(pair, taken, "monitor", later(17))

    assert fates(pair) == [("s1", "offered", "", 1)]


def test_what_was_surely_not_written_can_be_given_back(pair: hot.Connection) -> None:
    send(pair, "s2", "--to", "s1")
    taken = take(pair)

    mail.release(pair, taken, "a1")

    assert [each.repeats for each in take(pair)] == [0]


def test_the_lease_can_be_asked_for_right_before_the_write(pair: hot.Connection) -> None:
    send(pair, "s2", "--to", "s1")
    taken = take(pair)

    assert mail.mine(pair, taken, "a1", later(14.9))
    assert not mail.mine(pair, taken, "a1", later(15.1))
    assert not mail.mine(pair, taken, "a2", START)
    assert mail.free_in(pair, ("s1",), later(5)) == pytest.approx(10.1)
    assert mail.free_in(pair, ("s2",), START) is None


def test_messages_of_one_sender_keep_their_order(pair: hot.Connection) -> None:
    given.enrol(pair, "s3")
    for at in range(30):
        send(pair, "s2" if at % 3 else "s3", "--to", "s1", body=str(at).encode())

    assert [each.body for each in waiting(pair)] == [str(at) for at in range(30)]
    found = hot.read(pair, "SELECT author, seq FROM message ORDER BY author, seq")
    assert found == [("s2", n) for n in range(1, 21)] + [("s3", n) for n in range(1, 11)]


def test_group_mail_is_offered_for_a_day_and_directed_mail_for_ever(
    pair: hot.Connection,
) -> None:
    send(pair, "s2", "--to", "s1", message="aaaaaaaa")
    send(pair, "s2", message="bbbbbbbb")
    send(pair, "s2", "--broadcast", message="cccccccc")

    assert len(waiting(pair, now=later(DAY - 1))) == 3
    assert [each.id for each in waiting(pair, now=later(DAY + 1))] == ["aaaaaaaa"]
    assert mail.expire(pair, ("s1",), later(DAY + 1)) == 2
    assert mail.expire(pair, ("s1",), later(DAY + 1)) == 0
    assert [row[1:3] for row in fates(pair)] == [
        ("stored", ""),
        ("expired", "aged"),
        ("expired", "aged"),
    ]


@pytest.mark.parametrize("ahead", [600.0, -600.0, 40 * DAY])
def test_a_wall_clock_that_was_set_makes_nothing_old(
    pair: hot.Connection, ahead: float
) -> None:
    made = mailing.draft("s2")
    made.said = Moment(given.WALL + ahead, given.BOOT, 1000.0)
    post.commit(pair, made, START)

    (found,) = waiting(pair, now=later(30))

    assert letter.age_s(found, later(30)) == 30.0


def test_across_a_restart_the_wall_clock_tells_the_age(pair: hot.Connection) -> None:
    send(pair, "s2")

    assert waiting(pair, now=Moment(given.WALL + DAY - 1, "boot-2", 5.0))
    assert not waiting(pair, now=Moment(given.WALL + DAY + 1, "boot-2", 5.0))


def test_a_muted_author_is_not_heard_until_the_mute_ends(pair: hot.Connection) -> None:
    given.enrol(pair, "s3")
    mailing.join(pair, "s1", "deploy")
    pair.execute("INSERT INTO mute VALUES ('s1', 's2', ?, 0)", (given.WALL + 60,))
    pair.execute("INSERT INTO mute VALUES ('s1', '#deploy', NULL, 0)")
    send(pair, "s2", "--to", "s1", message="aaaaaaaa")
    send(pair, "s3", "--to", "s1", message="bbbbbbbb")
    send(pair, "s3", "--channel", "deploy", message="cccccccc")

    assert [each.id for each in waiting(pair)] == ["bbbbbbbb"]
    assert [each.id for each in waiting(pair, now=later(61))] == ["aaaaaaaa", "bbbbbbbb"]


@pytest.mark.parametrize("who", ["s2", "#open"])
def test_what_a_mute_keeps_back_begins_to_age_when_that_ends(
    pair: hot.Connection, who: str
) -> None:
    until = 3 * DAY
    pair.execute("INSERT INTO mute VALUES ('s1', ?, ?, 0)", (who, given.WALL + until))
    send(pair, "s2", "--broadcast", message="aaaaaaaa")

    assert mail.expire(pair, ("s1",), later(until - 1)) == 0
    assert waiting(pair, now=later(until - 1)) == []
    assert mail.free_in(pair, ("s1",), later(until - 60)) == pytest.approx(60.1)
    assert [each.id for each in waiting(pair, now=later(until + DAY - 1))] == ["aaaaaaaa"]
    assert mail.expire(pair, ("s1",), later(until + DAY - 1)) == 0
    assert waiting(pair, now=later(until + DAY + 1)) == []
    assert mail.expire(pair, ("s1",), later(until + DAY + 1)) == 1


def test_what_is_held_or_avoided_is_not_taken(pair: hot.Connection) -> None:
    send(pair, "s2", "--to", "s1")
    seen = waiting(pair)
    pair.execute("UPDATE delivery SET hold = 'ping-pong'")

    assert waiting(pair) == []
    assert mail.take(pair, seen, "a1", START) == []

    pair.execute("UPDATE delivery SET hold = '', avoid = 'monitor'")
    assert waiting(pair) == []
    assert len(mail.waiting(pair, ("s1",), START, "stop")) == 1
    assert len(mail.waiting(pair, ("s1",), START)) == 1


def test_what_left_no_trace_is_offered_once_more_by_another_way(pair: hot.Connection) -> None:
    send(pair, "s2", "--to", "s1")
    (shown,) = show(pair)

    assert fate.again(pair, shown.delivery, "s1", "monitor")
    assert waiting(pair) == []
    (again,) = mail.waiting(pair, ("s1",), START, "stop")
    assert again.repeats == 1
    mail.take(pair, [again], "hook", START)
    fate.record(pair, [again], "stop", START)
    assert not fate.again(pair, shown.delivery, "s1", "stop")


def test_what_is_offered_once_more_goes_to_another_mailbox_with_the_same_step(
    pair: hot.Connection,
) -> None:
    """Where it can't be moved it is not offered in a mailbox that nobody reads any more."""
    given.enrol(pair, "s3")
    send(pair, "s2", "--to", "s1")
    (shown,) = show(pair)
    pair.execute(
        """CREATE TEMP TRIGGER no_move BEFORE UPDATE OF session ON delivery
            WHEN new.session <> old.session BEGIN SELECT RAISE(ABORT, 'no'); END"""
    )
    with pytest.raises(hot.sqlite.IntegrityError):
        fate.again(pair, shown.delivery, "s3", "monitor")
    assert fates(pair) == [("s1", "offered", "", 0)]

    pair.execute("DROP TRIGGER no_move")
    assert fate.again(pair, shown.delivery, "s3", "monitor")
    assert fates(pair) == [("s3", "stored", "", 1)]


@pytest.mark.parametrize("state", ["fetched", "read"])
def test_what_was_read_in_the_inbox_is_not_said_again(pair: hot.Connection, state: str) -> None:
    send(pair, "s2", "--to", "s1")

    fate.advance(pair, [waiting(pair)[0].delivery], state, given.WALL)

    assert waiting(pair) == []
    assert fates(pair)[0][1] == state


def test_a_state_only_goes_forward_and_each_time_stays(pair: hot.Connection) -> None:
    send(pair, "s2", "--to", "s1")
    (shown,) = show(pair)
    for at, state in enumerate(["seen", "queued", "answered", "fetched", "seen"]):
        fate.advance(pair, [shown.delivery], state, 100.0 + at, f"row-{at}")

    assert hot.read(
        pair,
        "SELECT state, queued_at, fetched_at, seen_at, answered_at, evidence FROM delivery",
    ) == [("answered", 101.0, 103.0, 100.0, 102.0, "row-4")]
    with pytest.raises(ValueError, match="stored"):
        fate.advance(pair, [shown.delivery], "stored", 0.0)


def test_thousands_are_taken_and_recorded_at_once(pair: hot.Connection) -> None:
    mailing.many(pair, 3000)
    found = mail.waiting(pair, ("s1",), START, limit=10_000, bodies=False)

    taken = mail.take(pair, found, "a1", START)
    assert mail.mine(pair, taken, "a1", START)
    fate.record(pair, taken, "monitor", START, digest.make(taken, START))

    assert len(taken) == len(found) == 3000
    assert {each.body for each in found} == {""}
    assert {row[1] for row in fates(pair)} == {"announced"}
    assert waiting(pair) == []


def test_a_readers_pace_survives_its_restart(pair: hot.Connection) -> None:
    send(pair, "s2", "--to", "s1")
    show(pair, now=later(3))

    assert mail.lately(pair, ("s1",), later(30), 60.0, 30) == [1003.0]
    assert mail.lately(pair, ("s1",), later(70), 60.0, 30) == []
    assert mail.lately(pair, ("s1",), Moment(0.0, "boot-2", 4.0), 60.0, 30) == []
