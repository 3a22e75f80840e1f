"""A sensor that has told much is silent, then speaks up again by and by."""

import math

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from attendd.engine.engagement import Refractory, crossing, reaches
from attendd.engine.settings import Engagement

CURVE = Engagement()
FADE_S = 600.0
waits = st.floats(0, 4_000)
curves = st.builds(
    Engagement,
    live_s=st.floats(1, 3_000),
    burst=st.integers(1, 5),
    silence_s=st.floats(0, 300),
    peak=st.floats(1, 6),
    half_life_s=st.floats(1, 2_000),
)


def after(*fires: float, magnitude: float = 3.0, curve: Engagement = CURVE) -> Refractory:
    refractory = Refractory()
    for at in sorted(fires):
        refractory.fired(at, magnitude, curve)
    return refractory


def test_two_fires_change_nothing() -> None:
    assert after(0, 1).factor(1, CURVE) == 1.0


def test_the_third_brings_silence_then_a_threshold_that_falls_back() -> None:
    refractory = after(0, 30, 60)

    assert refractory.factor(60, CURVE) == math.inf
    assert refractory.factor(119.9, CURVE) == math.inf
    assert refractory.factor(120, CURVE) == pytest.approx(1 + 1.25 * 0.5 ** (60 / 395))
    assert refractory.factor(455, CURVE) == pytest.approx(1 + 1.25 / 2)
    assert refractory.factor(899.9, CURVE) > 1.2
    assert refractory.factor(900, CURVE) == 1.0


def test_small_fires_do_not_count() -> None:
    assert after(0, 1, 2, 3, magnitude=2.9).factor(3, CURVE) == 1.0


def test_fires_are_forgotten_after_a_quarter_of_an_hour() -> None:
    assert after(0, 1, 901).factor(901, CURVE) == 1.0
    assert after(0, 1, 899).factor(899, CURVE) == math.inf


@given(st.lists(waits, max_size=9), waits, curves)
def test_the_factor_is_one_to_peak_or_infinite(
    fires: list[float], wait: float, curve: Engagement
) -> None:
    refractory = after(*fires, curve=curve)

    factor = refractory.factor(max(fires, default=0.0) + wait, curve)

    assert factor == math.inf or 1.0 <= factor <= curve.peak
    assert len(refractory.fires) <= curve.burst


@given(st.lists(waits, max_size=9), waits, waits, curves)
def test_waiting_longer_never_raises_the_bar(
    fires: list[float], first: float, more: float, curve: Engagement
) -> None:
    refractory = after(*fires, curve=curve)
    last = max(fires, default=0.0)

    early, late = (refractory.factor(last + wait, curve) for wait in (first, first + more))

    assert late <= early


@given(st.floats(-1e6, 1e6))
def test_a_clock_that_is_before_the_last_fire_is_at_it(now: float) -> None:
    assume(now <= 2)
    assert after(0, 1, 2).factor(now, CURVE) == math.inf


@given(
    st.lists(st.floats(0, 1_000), max_size=6),
    waits,
    st.floats(0.2, 12),
    st.floats(0.5, 10),
    curves,
)
def test_the_moment_of_return_is_the_first_at_which_enough_is_left(
    fires: list[float], wait: float, magnitude: float, threshold: float, curve: Engagement
) -> None:
    refractory = after(*fires, curve=curve)
    now = max(fires, default=0.0) + wait

    def enough(at: float) -> bool:
        left = magnitude * 0.5 ** ((at - now) / FADE_S)
        return reaches(left, threshold * refractory.factor(at, curve))

    assume(not enough(now))
    opens = refractory.opens_at(now, magnitude, threshold, curve, FADE_S)

    for step in range(1, 60):
        at = now + step**2 if opens is None else now + (opens - now) * step / 60 * (1 - 1e-9)
        assert not enough(at) or (opens is not None and at >= opens - 1e-3)
    if opens is not None:
        assert opens >= now
        assert enough(opens + 1e-6)


@pytest.mark.parametrize(
    ("magnitude", "raised", "fall_s"), [(0, 1, 1), (1, 1, 601), (0.5, 0, 395), (1, 0.5, 395)]
)
def test_what_fades_faster_than_the_bar_falls_never_gets_there(
    magnitude: float, raised: float, fall_s: float
) -> None:
    assert crossing(magnitude, 2.0, raised, FADE_S, fall_s) is None


@given(
    magnitude=st.floats(0.2, 12),
    threshold=st.floats(0.5, 5),
    raised=st.floats(0, 20),
    fade_s=st.floats(10, 2_000),
    fall_s=st.floats(10, 2_000),
)
@example(magnitude=4.5, threshold=2.0, raised=2.6, fade_s=6_000.0, fall_s=395.0)
def test_a_fading_sum_meets_a_falling_threshold_at_the_first_crossing(
    magnitude: float, threshold: float, raised: float, fade_s: float, fall_s: float
) -> None:
    def enough(after: float) -> bool:
        bar = threshold + raised * math.exp2(-after / fall_s)
        return reaches(magnitude * math.exp2(-after / fade_s), bar)

    wait = crossing(magnitude, threshold, raised, fade_s, fall_s)

    for step in range(200):
        if wait is None:
            assert not enough(step**2 / 10)
        else:
            assert not enough(wait * step / 200 * (1 - 1e-6)) or wait == 0
    assert wait is None or enough(wait)


def test_what_hardly_fades_gets_there_before_the_fires_are_forgotten() -> None:
    refractory = after(0, 30, 60)

    opens = refractory.opens_at(130, 4.0, 2.0, CURVE, fade_s=1e9)

    assert opens == pytest.approx(60 + 395 * math.log2(1.25), abs=1e-3)


def test_what_is_left_when_the_fires_are_forgotten_is_told_then() -> None:
    assert after(0, 400, 800).opens_at(870, 2.1, 2.0, CURVE, FADE_S) == 900.0
    assert after(0, 400, 890).opens_at(895, 2.1, 2.0, CURVE, FADE_S) == 900.0
    assert after(0, 30, 60).opens_at(130, 2.3, 2.0, CURVE, 1e9) == 900.0
