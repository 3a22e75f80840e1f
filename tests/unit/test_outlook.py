"""What is held at a moment, asked without anything changing by it."""

from attendd.engine.batch import Code, Mood
from attendd.model import Lane
from tests.unit.attending import IDLE, Session, event, message


def test_nothing_is_held_where_nothing_waits() -> None:
    assert Session("git").attention.held(0.0, Mood()) == []


def test_each_hold_says_by_which_number_and_until_when() -> None:
    session = Session("git", "peers")
    session.see("git", event("one"))
    session.see("git", event("two"))
    session.see("peers", message("m1"))
    session.see("peers", message("m2"))
    session.see("git", event("three", 1.0))

    held = {(h.slot, h.lane): h for h in session.attention.held(session.now, session.mood)}

    git, peers = held["git", Lane.EVENT], held["peers", Lane.MESSAGE]
    assert (git.code, git.text, git.count) == (Code.HELD_GAP, "three", 2)
    assert session.next_at in (git.opens_at, peers.opens_at)
    assert git.number == f"opens in {(git.opens_at or 0) - session.now:.0f} s"
    assert (peers.code, peers.text, peers.opens_at) == (Code.HELD_GAP, "m2", 3.0)


def test_a_moment_later_the_number_is_another_and_the_hold_the_same() -> None:
    session = Session("git")
    session.see("git", event("one"))
    session.see("git", event("two"))
    before = session.attention.snapshot()

    (now,) = session.attention.held(session.now, session.mood)
    (later,) = session.attention.held(session.now + 5, session.mood)

    assert (now.code, now.opens_at) == (later.code, later.opens_at)
    assert now.number != later.number
    assert session.attention.snapshot() == before


def test_what_no_time_frees_has_no_end() -> None:
    session = Session("git")
    session.mood = IDLE
    session.see("git", event("one"))

    (held,) = session.attention.held(session.now, session.mood)

    assert (held.code, held.number, held.opens_at) == (Code.HELD_IDLE, "", None)
