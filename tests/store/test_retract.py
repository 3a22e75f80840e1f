"""Taking a message back: from whom that is possible, and while it is being shown."""

import pytest

from attendd.hot import db as hot
from attendd.hot import fate, mail
from tests.store import given
from tests.store.mailing import fates, later, send, show, waiting


@pytest.fixture
def pair(db: hot.Connection) -> hot.Connection:
    """Have s1, which is read for, and s2 beside it."""
    given.enrol(db, "s2")
    return db


def test_a_message_can_be_taken_back_where_nobody_was_shown_it(pair: hot.Connection) -> None:
    given.enrol(pair, "s3")
    send(pair, "s2", message="aaaaaaaa")
    show(pair, "s1")

    assert fate.retract(pair, "aaaaaaaa", given.WALL) == (1, 1)
    assert fate.retract(pair, "aaaaaaaa", given.WALL) == (0, 1)
    assert sorted(row[:2] for row in fates(pair)) == [("s1", "offered"), ("s3", "retracted")]
    assert waiting(pair, "s3") == []


def test_what_nobody_has_been_shown_yet_is_taken_back_once_a_claim_on_it_fails(
    pair: hot.Connection,
) -> None:
    given.enrol(pair, "s3")
    send(pair, "s2", message="aaaaaaaa")
    at = "SELECT retracted_at FROM message"
    held = mail.take(pair, waiting(pair), "a1", later(0))
    mail.take(pair, waiting(pair, "s3"), "a3", later(0))

    assert fate.retract(pair, "aaaaaaaa", given.WALL) == (0, 2)
    assert pair.execute(at).fetchone() == (None,), "nobody knows yet whether it comes to that"
    mail.release(pair, held, "a1")

    assert [row[:2] for row in fates(pair)] == [("s1", "retracted"), ("s3", "claimed")]
    assert pair.execute(at).fetchone()[0] > 0
    assert waiting(pair) == []


def test_what_may_have_been_shown_is_not_taken_back_by_a_claim_that_fails(
    pair: hot.Connection,
) -> None:
    send(pair, "s2", message="aaaaaaaa")
    mail.take(pair, waiting(pair), "a1", later(0))
    fate.retract(pair, "aaaaaaaa", given.WALL)

    held = mail.take(pair, waiting(pair, now=later(20)), "a2", later(20))
    mail.release(pair, held, "a2")

    assert fates(pair)[0][1:] == ("stored", "wanted back", 1)
    assert fate.retract(pair, "aaaaaaaa", given.WALL) == (0, 1)
