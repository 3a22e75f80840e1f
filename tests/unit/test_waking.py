"""Waking costs: an idle session is woken for what is worth a turn, a new one for nothing ambient."""

from attendd.engine.batch import Mood
from attendd.model import Lane
from tests.unit.attending import IDLE, NEW, Session, books, event, lines, message


def test_an_idle_session_is_woken_by_messages_and_what_is_ripe_goes_along() -> None:
    session = Session("git", "peers")
    session.mood = IDLE
    assert session.see("git", event("branch switched")) is None
    assert session.held("git") == "held.idle"
    assert session.next_at is None

    batch = session.see("peers", message("hello"))

    assert [line.slot for line in batch.lines] == ["peers", "git"] if batch else False
    assert batch
    assert (batch.wakes, batch.lane) == (True, Lane.MESSAGE)
    books(session)


def test_an_idle_session_is_woken_by_what_is_worth_it_four_times_an_hour() -> None:
    session = Session("processes")
    session.mood = IDLE
    for n in range(6):
        session.at(n * 400).see("processes", event(f"build {n} ended", 7.0, wakes=True))

    assert len(session.told) == 4
    assert session.held("processes") == "held.wake-budget"
    session.settled()
    assert session.told[-1][0] == 3_600.0
    books(session)


def test_a_wake_of_low_priority_is_not_worth_a_turn() -> None:
    session = Session("processes")
    session.mood = IDLE

    assert session.see("processes", event("build ended", 2.0, wakes=True)) is None
    assert session.codes() == ["observed", "low"]


def test_what_waited_for_an_idle_session_is_told_when_it_wakes() -> None:
    session = Session("git", "peers")
    session.mood = IDLE
    session.see("git", event("branch switched"))
    session.at(8 * 3_600).mood = Mood()

    assert lines(session.step()) == ["[attend sensor=git priority=medium] branch switched"]
    assert "faded" not in session.codes()


def test_before_its_first_prompt_a_session_is_told_nothing_ambient() -> None:
    session = Session("git", "processes", "peers")
    session.mood = NEW
    session.see("git", event("branch switched"))
    session.see("processes", event("build ended", 9.0, wakes=True))
    session.see("peers", event("Ana came", 2.0))
    assert session.told == []
    assert session.held("git") == session.held("processes") == "held.unprompted"

    batch = session.see("peers", message("hello"))

    assert [line.text for line in batch.lines] == ["hello"] if batch else False
    books(session)


def test_a_prompt_takes_all_that_waits_whatever_the_governors_say() -> None:
    session = Session("git", "peers", "context")
    session.see("git", event("told a moment ago"))
    session.see("git", event("branch switched"))
    session.see("peers", event("Ana came", 2.0))
    session.see("context", event("not much", 1.0))

    batch = session.hook()

    assert lines(batch) == [
        "[attend sensor=git priority=medium] branch switched",
        "[attend sensor=peers priority=low] Ana came",
    ]
    assert session.held("context") == "held.below-threshold"
    books(session)


def test_a_prompt_of_a_session_that_was_never_prompted_takes_messages_alone() -> None:
    session = Session("git", "peers")
    session.mood = NEW
    session.see("git", event("branch switched"))
    session.attention.observe("peers", [message("hello")], session.now)

    batch = session.hook()

    assert [line.text for line in batch.lines] == ["hello"] if batch else False
    assert session.held("git") == "held.unprompted"


def test_what_a_prompt_has_no_room_for_stays() -> None:
    session = Session("peers")
    session.attention.observe("peers", [message(f"{n}" + "x" * 1_200) for n in range(5)], 0.0)

    session.hook()
    assert session.held("peers") == "held.turn"
    session.step()
    session.settled()

    assert [text[0] for text in session.texts()] == list("01234")


def test_a_hook_may_take_what_rides_alone() -> None:
    session = Session("git", "peers")
    session.see("peers", event("Ana came", 2.0))
    session.mood = IDLE
    session.see("git", event("branch switched"))

    batch = session.hook(riders_only=True)

    assert lines(batch) == ["[attend sensor=peers priority=low] Ana came"]
    assert session.hook(riders_only=True) is None
    books(session)


def test_a_message_does_not_use_up_what_events_may() -> None:
    session = Session("git", "peers")
    session.see("peers", message("hello"))
    session.at(1)

    assert lines(session.see("git", event("branch switched")))
    assert session.at(4).see("peers", message("hello again")) is not None


def test_riders_wait_where_a_batch_has_no_room_for_them() -> None:
    session = Session("git", "peers")
    for n in range(3):
        session.see("git", event(f"{n} " + "long " * 100, 2.0))
    batch = session.see("peers", message("x" * 1_700))
    assert [line.slot for line in batch.lines] == ["peers"] if batch else False

    batch = session.at(60).see("peers", message("short"))

    assert (
        [line.slot for line in batch.lines] == ["peers", "git", "git", "git"]
        if batch
        else False
    )
    books(session)


def test_batches_close_to_one_another_share_the_room_of_one() -> None:
    """The client joins them into one notification, and cuts that."""
    session = Session("git", "peers")
    session.see("git", *(event(f"{n} " + "long " * 100) for n in range(4)))
    session.now = 0.1

    assert session.see("peers", message("x" * 1_700)) is None
    assert session.held("peers") == "held.room"
    session.settled()

    assert session.told[1][0] == 0.6
