"""However much there is to tell, a session is told so much and no more."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.engine.batch import Code
from attendd.engine.governor import EventGovernor, MessageGovernor, WakeBudget
from attendd.engine.settings import Governor, Messages

EVENTS, MESSAGES = Governor(), Messages()
steps = st.lists(st.tuples(st.floats(0, 90), st.integers(0, 30)), max_size=60)
governors = st.builds(
    Governor,
    max_batches=st.integers(1, 6),
    window_s=st.floats(1, 600),
    gap_s=st.floats(0, 120),
    gap_growth=st.floats(0, 10),
    rate_window_s=st.floats(1, 600),
)


@given(steps, governors)
def test_no_window_holds_more_batches_than_may_be_and_none_comes_before_its_gap(
    steps: list[tuple[float, int]], settings: Governor
) -> None:
    """The greediest of sessions tells at each moment when it may."""
    governor, now = EventGovernor(), 0.0
    told: list[float] = []
    for wait, changes in steps:
        now += wait
        governor.changed(now, changes, settings)
        if governor.hold(now, settings) is None:
            rate = governor.rate_now(now, settings)
            if told:
                gap = settings.gap_s * (1 + settings.gap_growth * math.sqrt(rate))
                assert now - told[-1] >= gap - 1e-6
            governor.told(now, settings)
            told.append(now)

    for first, last in zip(told, told[settings.max_batches :], strict=False):
        assert last - first >= settings.window_s - 1e-6


@given(steps, governors, st.floats(0, 300))
def test_the_moment_of_opening_is_exact(
    steps: list[tuple[float, int]], settings: Governor, wait: float
) -> None:
    governor, now = EventGovernor(), 0.0
    for pause, changes in steps:
        now += pause
        governor.changed(now, changes, settings)
        if governor.hold(now, settings) is None:
            governor.told(now, settings)
    now += wait

    opens = governor.opens_at(now, settings)

    assert opens >= now
    assert governor.hold(opens, settings) is None
    if opens > now + 1e-3:
        assert governor.hold(now, settings) is not None
        assert governor.hold(opens - 1e-3, settings) is not None


def test_a_quiet_session_has_a_gap_of_fifteen_seconds() -> None:
    governor = EventGovernor()
    governor.told(0.0, EVENTS)

    assert governor.hold(14.9, EVENTS) is Code.HELD_GAP
    assert governor.opens_at(1.0, EVENTS) == pytest.approx(15.0)


def test_the_fourth_batch_in_two_minutes_waits() -> None:
    governor = EventGovernor()
    for now in (0.0, 40.0, 80.0):
        governor.told(now, EVENTS)

    assert governor.hold(100.0, EVENTS) is Code.HELD_RATE
    assert governor.opens_at(100.0, EVENTS) == 120.0


@given(st.floats(0.05, 5))
def test_the_rate_of_a_steady_stream_is_its_own(per_second: float) -> None:
    governor, now = EventGovernor(), 0.0
    while now < 600:
        now += 1 / per_second
        governor.changed(now, 1, EVENTS)

    assert governor.rate_now(now - 0.5 / per_second, EVENTS) == pytest.approx(
        per_second, rel=0.25, abs=0.01
    )


def test_one_change_a_second_stretches_the_gap_to_a_minute() -> None:
    governor = EventGovernor(opened=[0.0], rate=1.0, rate_at=60.0)

    assert governor.hold(59.0, EVENTS) is Code.HELD_GAP
    assert governor.hold(60.0, EVENTS) is None


@given(st.lists(st.tuples(st.floats(0, 20), st.integers(1, 40)), max_size=60))
def test_messages_are_paced_and_none_is_let_go(arrivals: list[tuple[float, int]]) -> None:
    governor, now, waiting, told = MessageGovernor(), 0.0, 0, []
    for wait, count in [*arrivals, *[(5.0, 0)] * 300]:
        now += wait
        waiting += count
        going = min(waiting, governor.allowance(now, MESSAGES))
        assert going == 0 or governor.hold(now, MESSAGES) is None
        governor.told(now, going, MESSAGES)
        waiting -= going
        told += [now] * going

    assert waiting == 0
    batches = sorted(set(told))
    assert all(b - a >= 3 - 1e-9 for a, b in itertools.pairwise(batches))
    assert all(b - a >= 60 - 1e-9 for a, b in zip(told, told[30:], strict=False))


def test_the_first_message_after_a_quiet_time_goes_at_once() -> None:
    governor = MessageGovernor()
    assert governor.allowance(0.0, MESSAGES) == 30

    governor.told(0.0, 1, MESSAGES)

    assert governor.hold(2.9, MESSAGES) is Code.HELD_GAP
    assert governor.opens_at(1.0, MESSAGES) == 3.0
    assert governor.allowance(3.0, MESSAGES) == 29


def test_the_thirty_first_message_in_a_minute_waits() -> None:
    governor = MessageGovernor()
    governor.told(0.0, 30, MESSAGES)

    assert governor.hold(59.0, MESSAGES) is Code.HELD_RATE
    assert governor.opens_at(59.0, MESSAGES) == 60.0


@given(st.lists(st.floats(0, 2_000), max_size=60))
def test_no_hour_has_more_than_four_wakes(waits: list[float]) -> None:
    budget, now, woken = WakeBudget(), 0.0, []
    for wait in waits:
        now += wait
        if budget.opens_at(now, EVENTS) <= now:
            budget.spend(now, EVENTS)
            woken.append(now)

    assert all(b - a >= 3_600 - 1e-6 for a, b in zip(woken, woken[4:], strict=False))


def test_a_budget_of_none_never_opens() -> None:
    assert WakeBudget().opens_at(0.0, Governor(max_wakes=0)) == math.inf
