"""When a sensor is due, and that no change of a watched path is missed."""

import math

from attendd.engine.attention import Attention
from attendd.engine.settings import EngineSettings, SlotShape
from tests.unit.attending import event, message

SHAPE = SlotShape(interval_s=60, min_interval_s=10)


def attention(*names: str) -> Attention:
    made = Attention(EngineSettings())
    for name in names:
        made.add_slot(name, SHAPE, 0.0)
    return made


def test_a_new_sensor_is_due_at_once_and_under_way_until_it_answers() -> None:
    subject = attention("git")

    assert subject.due(0.0) == ["git"]
    assert subject.due(5.0) == []
    assert subject.next_poll("git") == math.inf
    subject.observe("git", [], 5.0)
    assert subject.next_poll("git") == 65.0
    assert subject.due(64.9) == []
    assert subject.due(65.0) == ["git"]


def test_a_touch_makes_a_sensor_due_at_once() -> None:
    subject = attention("git")
    subject.observe("git", [], 0.0)

    subject.touch("git", 20.0)

    assert subject.next_poll("git") == 20.0


def test_a_touch_during_a_poll_makes_it_due_once_more() -> None:
    """The poll may have looked just before the change."""
    subject = attention("git")
    subject.due(0.0)
    subject.touch("git", 0.5)
    subject.observe("git", [], 1.0)

    assert subject.due(1.0) == ["git"]
    subject.observe("git", [], 1.5)
    assert subject.next_poll("git") == 61.5


def test_a_failing_sensor_is_not_driven_by_touches() -> None:
    subject = attention("git")
    subject.due(0.0)
    subject.failed("git", 1.0)
    assert subject.next_poll("git") == 121.0

    subject.touch("git", 2.0)

    assert subject.next_poll("git") == 11.0


def test_a_sensor_configured_anew_while_a_poll_is_under_way_is_due_again() -> None:
    subject = attention("git")
    subject.due(0.0)

    subject.add_slot("git", SlotShape(interval_s=5, min_interval_s=1), 3.0)

    assert subject.next_poll("git") <= 8.0


def test_what_happens_to_a_sensor_nobody_knows_is_harmless() -> None:
    subject = attention("git")
    subject.failed("gone", 1.0)
    subject.touch("gone", 1.0)
    subject.remove_slot("gone")
    decisions = subject.observe("gone", [event("late"), message("late too")], 1.0)

    assert [each.code for each in decisions] == ["observed", "observed", "dropped.slot-gone"]
    assert subject.next_poll("gone") == math.inf
    assert subject.due(1e9) == ["git"]


def test_a_sensor_that_rests_is_not_due_until_then_or_until_it_is_touched() -> None:
    made = attention("git")
    made.due(0.0)
    made.observe("git", [], 0.0)

    made.replan("git", 300.0)

    assert made.due(299.0) == []
    made.touch("git", 299.0)
    assert made.due(299.0) == ["git"]


def test_what_is_due_already_is_not_put_off() -> None:
    made = attention("git")

    made.replan("git", 300.0)

    assert made.due(0.0) == ["git"]


def test_a_look_can_be_planned_sooner_and_not_while_one_is_under_way() -> None:
    made = attention("git")
    made.due(0.0)
    made.replan("git", 5.0)
    assert made.next_poll("git") == math.inf

    made.observe("git", [], 1.0)
    made.replan("git", 60.0)

    assert made.due(60.0) == ["git"]
