"""What one session is told, when, and why not."""

import pytest

from attendd.engine.attention import Attention
from attendd.engine.batch import Code, Mood
from attendd.engine.settings import EngineSettings, SlotShape
from attendd.model import Observation, Priority
from tests.unit.attending import IDLE, NEW, SETTINGS, Session, books, event, lines, message


def test_what_reaches_the_threshold_is_told_at_once() -> None:
    session = Session("git")

    batch = session.see("git", event("branch switched", 3.0), event("2 files changed", 2.0))

    assert lines(batch) == [
        "[attend sensor=git priority=high] branch switched",
        "[attend sensor=git priority=high] 2 files changed",
    ]
    assert session.codes() == ["observed", "observed", "fired", "fired"]
    assert session.next_at is None
    books(session)


def test_the_moment_between_a_poll_and_the_decision_costs_no_priority() -> None:
    """What takes some milliseconds must not fade from medium to low."""
    attention = Attention(SETTINGS)
    attention.add_slot("git", SlotShape(), 0.0)
    attention.observe("git", [event("branch changed")], 1.0)

    batch = attention.step(1.005, Mood()).batch

    assert batch is not None
    assert batch.lines[0].priority is Priority.MEDIUM


def test_little_things_add_up_if_they_come_together() -> None:
    session = Session("git")

    assert session.see("git", event("a", 1.9)) is None
    assert session.held("git") == "held.below-threshold"
    batch = session.at(10).see("git", event("b", 1.9))

    assert [line.priority for line in batch.lines] == [Priority.MEDIUM] * 2 if batch else False
    books(session)


def test_noise_an_hour_apart_never_sums_to_an_interruption() -> None:
    session = Session("git")
    for hour in range(24):
        session.at(hour * 3_600).see("git", event(f"noise {hour}", 1.9))

    assert session.told == []
    assert session.codes().count("faded") == 23
    books(session)


def test_what_weighs_nothing_is_journalled_and_forgotten() -> None:
    session = Session("git")
    session.see("git", event("a", 0.0), event("b", 0.05))

    assert session.codes() == ["observed", "observed", "faded", "faded"]
    assert [each.detail for each in session.decisions[2:]] == ["noise", "noise"]


def test_equal_events_merge_with_a_count() -> None:
    session = Session("git")
    session.see("git", event("tree dirty", 1.0))
    batch = session.see("git", event("tree dirty", 1.0), event("tree dirty", 1.0))

    assert lines(batch) == ["[attend sensor=git priority=medium] tree dirty (\u00d73)"]
    assert [e.detail for e in session.decisions if e.code is Code.MERGED] == ["into 1"] * 2
    books(session)


def test_own_doings_are_journalled_and_neither_told_nor_a_change() -> None:
    session = Session("git")
    session.see("git", Observation(text="committed", magnitude=9, own=True))

    assert session.codes() == ["own"]
    assert session.attention.next_poll("git") == 60.0


def test_a_low_fire_opens_no_batch_and_rides_on_the_next() -> None:
    session = Session("git", "peers")
    assert session.see("peers", event("Ana came", 2.0)) is None
    assert session.codes("peers") == ["observed", "low"]
    books(session)

    batch = session.see("git", event("branch switched"))

    assert lines(batch) == [
        "[attend sensor=git priority=medium] branch switched",
        "[attend sensor=peers priority=low] Ana came",
    ]
    assert session.codes("peers")[-1] == "rode"
    books(session)


def test_a_remark_of_attends_own_rides_also_after_a_change_of_host() -> None:
    session = Session("git")
    found = session.attention.remark("the machine slept for 8 h", 0.0)
    assert [each.code for each in found] == ["observed", "low"]
    assert session.step() is None
    state = session.attention.snapshot()

    after = Attention.restore(SETTINGS, {"git": SlotShape()}, state, 10.0)
    after.observe("git", [event("branch switched")], 10.0)

    assert lines(after.step(10.0, Mood()).batch) == [
        "[attend sensor=git priority=medium] branch switched",
        "[attend sensor=attend priority=low] the machine slept for 8 h",
    ]


def test_three_low_lines_ride_and_the_others_are_counted() -> None:
    session = Session("git", "peers", "context")
    for n in range(5):
        session.see("peers", event(f"peer {n}", 2.0))
    session.see("context", event("40 % used", 2.0))

    batch = session.see("git", event("branch switched"))

    assert lines(batch)[1:] == [
        "[attend sensor=peers priority=low] peer 3",
        "[attend sensor=peers priority=low] peer 4",
        "[attend sensor=context priority=low] 40 % used",
        "[attend sensor=attend priority=low] "
        "and 3 more notes of low priority, only counted: peers 3",
    ]
    books(session)


def test_riders_that_repeat_merge_and_too_many_are_only_counted() -> None:
    session = Session("git", "peers")
    for n in range(200):
        session.see("peers", event(f"peer {n % 100}", 2.0))
    books(session)
    assert len(session.attention.snapshot().riders.waiting) == 64

    batch = session.see("git", event("branch switched"))

    assert "only counted: peers 19" in lines(batch)[-1]
    books(session)


def test_a_hold_is_journalled_when_its_reason_changes_and_not_at_each_look() -> None:
    session = Session("git")
    session.see("git", event("first"))
    session.at(1).see("git", event("second"))
    for _ in range(50):
        session.step()
    session.mood = IDLE
    for _ in range(50):
        session.step()

    assert session.codes() == ["observed", "fired", "observed", "held.gap", "held.idle"]
    books(session)


def test_a_gap_ends_at_the_moment_that_was_named() -> None:
    session = Session("git")
    session.see("git", event("first"))
    session.at(1).see("git", event("second"))
    opens = session.next_at or 0.0

    assert session.attention.step(opens - 0.01, Mood()).batch is None
    session.now = opens
    assert session.step() is not None


def test_a_sensor_that_told_three_times_is_silent_then_has_to_say_more() -> None:
    session = Session("git")
    for n in range(3):
        session.at(n * 130).see("git", event(f"change {n}"))
    session.at(280).see("git", event("change 3"))
    assert session.held("git") == "held.refractory"
    session.at(321).step()
    assert session.held("git") == "held.raised"

    batch = session.at(400).see("git", event("change 4"))

    assert [line.text for line in batch.lines] == ["change 3", "change 4"] if batch else False
    assert [at for at, _ in session.told] == [0, 130, 260, 400]
    books(session)


def test_what_a_silent_sensor_has_to_say_is_told_when_silence_ends_if_it_is_enough() -> None:
    session = Session("git")
    for n in range(3):
        session.at(n * 130).see("git", event(f"change {n}"))
    session.at(280).see("git", event("conflict", 5.0))

    session.settled()

    assert session.told[-1][0] == 320.0
    assert session.codes().count("held.refractory") == 1


def test_one_small_thing_more_from_a_sensor_that_told_much_fades() -> None:
    session = Session("git")
    for n in range(3):
        session.at(n * 130).see("git", event(f"change {n}"))
    session.at(280).see("git", event("change 3"))
    session.settled()
    session.at(280 + 3_600).see("git")

    assert len(session.told) == 3
    assert session.codes()[-1] == "faded"
    books(session)


def test_another_sensor_speaks_while_one_is_silent() -> None:
    session = Session("git", "context")
    for n in range(3):
        session.at(n * 130).see("git", event(f"change {n}"))

    assert session.at(290).see("context", event("window half full", 3.0)) is not None


def test_high_goes_first_and_the_order_is_kept_otherwise() -> None:
    session = Session("git", "context", "peers")
    session.mood = NEW
    session.see("git", event("medium a", 3.0))
    session.see("context", event("high b", 5.0))
    session.see("git", event("medium c", 0.5))
    session.mood = Mood()

    batch = session.see("peers", message("high d"))

    assert (
        [line.text for line in batch.lines] == ["high b", "high d", "medium a", "medium c"]
        if batch
        else False
    )


def test_too_many_events_fold_into_a_count_and_messages_never() -> None:
    session = Session("git", "peers")
    session.mood = IDLE
    for n in range(200):
        session.see("git", event(f"change {n}"))
    session.attention.observe("peers", [message(f"m {n}") for n in range(200)], session.now)
    books_before = session.attention.snapshot()
    assert len(books_before.slots["git"].items) == 65
    assert len(books_before.slots["peers"].items) == 200

    session.mood = Mood()
    session.step()
    session.settled()

    assert "136 earlier changes, folded into this count" in session.texts()
    assert sum(text.startswith("m ") for text in session.texts()) == 200


def test_settings_can_be_changed_while_things_are_pending() -> None:
    session = Session("git")
    session.see("git", event("first"))
    session.at(1).see("git", event("second"))
    session.attention.reshape(
        EngineSettings(governor=type(SETTINGS.governor)(gap_s=0.0, max_batches=10))
    )

    assert session.step() is not None


@pytest.mark.parametrize("now", [-5.0, 0.0, 50.0, float("nan")])
def test_a_clock_that_steps_back_is_taken_as_standing_still(now: float) -> None:
    session = Session("git", now=100.0)
    session.see("git", event("first"))
    session.attention.observe("git", [event("second")], now)

    step = session.attention.step(now, Mood())

    assert step.batch is None
    assert step.next_at is not None
    assert step.next_at > 100.0


def test_an_attention_with_nothing_pending_plans_nothing() -> None:
    attention = Attention(SETTINGS)
    attention.add_slot("git", SlotShape(), 0.0)

    step = attention.step(5.0, Mood())

    assert (step.batch, step.decisions, step.next_at) == (None, [], None)
