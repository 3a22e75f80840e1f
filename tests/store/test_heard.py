"""What a mailbox was shown last, how far that is from a human, and whether it got the hint."""

import pytest

from attendd.hot import db as hot
from attendd.hot import fate, letter, post, rings
from tests.store import given, mailing
from tests.store.mailing import send, show, waiting

START = mailing.START


@pytest.fixture
def pair(db: hot.Connection) -> hot.Connection:
    """Have s1, which is read for, and s2 beside it."""
    given.enrol(db, "s2")
    return db


def test_a_mailbox_knows_what_it_was_shown_last_and_how_far_it_is_from_a_human(
    pair: hot.Connection,
) -> None:
    send(pair, "s2", "--to", "s1")
    show(pair)
    assert fate.heard(pair, "s1").chain == 1
    send(pair, "s1", reply=True)
    show(pair, "s2")
    send(pair, "s2", reply=True)
    show(pair)

    found = fate.heard(pair, "s1")
    assert hot.read(pair, "SELECT author, depth FROM message ORDER BY depth") == [
        ("s2", 0),
        ("s1", 1),
        ("s2", 2),
    ]
    assert found.message == hot.read(pair, "SELECT id FROM message WHERE depth = 2")[0][0]
    assert (found.chain, found.hinted) == (3, True)

    hot.write(pair, lambda db: rings.let_go(db, "s1"))
    assert fate.heard(pair, "s1").chain == 0


def test_a_human_begins_a_new_chain(pair: hot.Connection) -> None:
    pair.execute("INSERT INTO heard (session, chain) VALUES ('s1', 5)")
    made = mailing.draft("tty:1:1", "--to", "s1")
    made.human, made.caller.how = True, "terminal"
    post.commit(pair, made, START)

    show(pair)

    assert fate.heard(pair, "s1").chain == 1


def test_the_hint_is_given_once_to_a_mailbox(pair: hot.Connection) -> None:
    send(pair, "s2", "--to", "s1")
    assert letter.HINT in letter.batch(waiting(pair), START).text
    show(pair)
    send(pair, "s2", "--to", "s1")

    assert letter.HINT not in letter.batch(waiting(pair), START).text


def test_a_host_may_slow_a_mailbox_down(pair: hot.Connection) -> None:
    send(pair, "s2", "--to", "s1")
    assert [each.gap_s for each in waiting(pair)] == [0.0]

    fate.slow_down(pair, "s1", 600.0)

    assert [each.gap_s for each in waiting(pair)] == [600.0]
