"""However much there is to tell, a session is told so much and no more."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.engine.batch import Code
from attendd.engine.governor import (
    ONE_SENSOR_AT_MOST,
    EventGovernor,
    MessageGovernor,
    WakeBudget,
)
from attendd.engine.settings import Governor, Messages

EVENTS, MESSAGES = Governor(), Messages()
steps = st.lists(st.tuples(st.floats(0, 90), st.integers(0, 30)), max_size=60)
governors = st.builds(
    Governor,
    max_batches=st.integers(1, 6),
    window_s=st.floats(1, 600),
    gap_s=st.floats(0, 120),
    gap_growth=st.floats(0, 10),
    max_gap_s=st.floats(0, 600),
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
        governor.changed(now, "git", changes, settings)
        if governor.hold(now, settings) is None:
            rate = governor.rate_now(now, settings)
            if told:
                gap = settings.gap_s * (1 + settings.gap_growth * math.sqrt(rate))
                gap = max(settings.gap_s, min(gap, settings.max_gap_s))
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
        governor.changed(now, "git", changes, settings)
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


@given(st.floats(0.05, 50))
def test_the_rate_of_a_steady_stream_is_its_own_up_to_what_one_sensor_counts(
    per_second: float,
) -> None:
    governor = streaming(per_second)
    latest = governor.rate_at - 0.5 / per_second

    assert governor.rate_now(latest, EVENTS) == pytest.approx(
        min(per_second, ONE_SENSOR_AT_MOST), rel=0.25, abs=0.01
    )


@pytest.mark.parametrize("sensors", [1, 2, 3, 4, 50])
@pytest.mark.parametrize("per_second", [2, 200])
def test_sensors_that_flood_stretch_the_gap_to_a_minute_at_most(
    sensors: int, per_second: float
) -> None:
    """One alone makes it no longer than three batches in two minutes are apart."""
    governor = streaming(per_second, sensors)
    now = governor.rate_at
    governor.told(now, EVENTS)

    gap_s = governor.opens_at(now, EVENTS) - now

    assert gap_s <= (40 if sensors == 1 else 60)


def test_a_flood_that_is_over_is_soon_forgotten() -> None:
    governor = streaming(200)
    over = governor.rate_at

    assert governor.floods("s0", over, EVENTS, already=False)
    assert governor.floods("s0", over + 60, EVENTS, already=True)
    assert not governor.floods("s0", over + 90, EVENTS, already=True)
    assert not governor.floods("s0", over + 60, EVENTS, already=False)
    assert governor.rate_now(over + 180, EVENTS) < 0.05


def test_a_change_every_few_seconds_is_no_flood() -> None:
    governor = streaming(0.3)

    assert not governor.floods("s0", governor.rate_at, EVENTS, already=False)


def streaming(per_second: float, sensors: int = 1) -> EventGovernor:
    """Let sensors report so many changes a second each, for ten minutes."""
    governor, now = EventGovernor(), 0.0
    step, changes = (1 / per_second, 1) if per_second < 5 else (1.0, round(per_second))
    while now < 600:
        now += step
        for n in range(sensors):
            governor.changed(now, f"s{n}", changes, EVENTS)
    return governor


@given(st.lists(st.tuples(st.floats(0, 20), st.integers(1, 40)), max_size=60))
def test_messages_are_paced_and_none_is_let_go(arrivals: list[tuple[float, int]]) -> None:
    governor, now, waiting, told = MessageGovernor(), 0.0, 0, []
    for wait, count in [*arrivals, *[(5.0, 0)] * 1000]:
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
