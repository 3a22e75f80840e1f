"""When a sensor of an idle session looks again that has seen nothing."""

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.api import SensorConfig, SensorType
from attendd.engine.attention import Attention
from attendd.engine.settings import EngineSettings, SlotShape
from attendd.host.sensing import Sensing
from attendd.host.sensings import FIRST_S, RESTING_S, UNWATCHED_S, Sensings


class _Sensor:
    def __init__(self, config: SensorConfig) -> None:
        pass

    async def poll(self, focus: object) -> list[object]:
        return []


def _sensing(*, rests: bool, interval_s: float = 30.0) -> Sensing:
    kind = SensorType("x", "", SensorConfig, _Sensor, rests=rests)  # type: ignore[arg-type]
    return Sensing(kind, SensorConfig(interval_s=interval_s), 0.0)


def test_one_that_rests_looks_rarely() -> None:
    assert _sensing(rests=True).looks_again(1000.0, 1020.0, 1500.0) == 1500.0


@pytest.mark.parametrize("may", [True, False])
def test_one_that_says_when_it_may_rest_rests_then(*, may: bool) -> None:
    class Saying(_Sensor):
        def may_rest(self) -> bool:
            return may

    sensing = Sensing(
        SensorType("x", "", SensorConfig, Saying),  # type: ignore[arg-type]
        SensorConfig(interval_s=30.0),
        0.0,
    )

    at = sensing.looks_again(1000.0, 1020.0, 1500.0)

    assert (at == 1500.0, sensing.rests) == (may, may)


def test_one_that_can_not_say_whether_it_may_does_not_and_that_is_said_once() -> None:
    class Broken(_Sensor):
        def may_rest(self) -> bool:
            raise ValueError("no idea")

    kind = SensorType("x", "", SensorConfig, Broken)  # type: ignore[arg-type]
    sensing = Sensing(kind, SensorConfig(interval_s=30.0), 0.0)

    assert sensing.looks_again(1000.0, 1020.0, 1500.0) == 1020.0
    assert sensing.looks_again(1030.0, 1050.0, 1500.0) == 1050.0
    assert len(sensing.complaints()) == 1


def test_what_is_wanted_since_others_were_watched_is_looked_at_once_it_is_watched() -> None:
    """Its sensor was polled while the watches of the others were being set."""
    early, late = Path("/early"), Path("/late")
    sensings = Sensings(first=_sensing(rests=True), second=_sensing(rests=True))
    sensings["first"].watched = frozenset({early})
    sensings["second"].watched = frozenset({late})

    assert sensings.arm({early}) == ["first"]
    assert sensings.arm({early, late}) == ["second"]
    assert sensings.arm({early, late}) == []


@given(st.lists(st.floats(0.0, 1e4), min_size=1))
def test_those_of_a_session_that_rest_look_together_and_not_too_late(
    pauses: list[float],
) -> None:
    sensings, now = Sensings(), 1e6
    looks = []
    for pause in pauses:
        now += pause
        looks.append(sensings.rested(now))
        assert now < looks[-1] <= now + RESTING_S

    apart = [b - a for a, b in itertools.pairwise(looks)]
    assert all(gap == 0 or gap >= RESTING_S / 2 for gap in apart)
    assert looks[0] == 1e6 + pauses[0] + FIRST_S


def test_the_first_look_after_work_is_soon_again() -> None:
    sensings = Sensings()
    sensings.rested(1000.0)
    assert sensings.rested(1000.0 + FIRST_S) >= 1000.0 + FIRST_S + RESTING_S / 2

    sensings.roused()

    assert sensings.rested(2000.0) == 2000.0 + FIRST_S


def test_where_nothing_tells_of_changes_nobody_rests_for_long() -> None:
    sensings = Sensings(x=_sensing(rests=True))
    sensings.rested(1000.0)

    sensings.unwatched = True

    for now in (1000.0, 1050.0, 2000.0):
        assert sensings.looks_again("x", now, now + 30.0) == now + UNWATCHED_S
    sensings.unwatched = False
    assert sensings.looks_again("x", 3000.0, 3030.0) >= 3000.0 + FIRST_S


def test_one_that_is_to_look_soon_does() -> None:
    assert _sensing(rests=False).looks_again(1000.0, 1005.0, 1500.0) == 1005.0


@given(now=st.floats(0.0, 1e7), every_s=st.floats(0.5, 3600.0), share=st.floats(0.5, 1.0))
def test_others_look_at_the_same_moments_half_an_interval_early_or_late_at_most(
    now: float, every_s: float, share: float
) -> None:
    at = _sensing(rests=False, interval_s=every_s).looks_again(
        now, now + share * every_s, now + 9999
    )

    assert every_s / 2 - 1e-6 <= at - now <= every_s * 3 / 2 + 1e-6
    assert at == pytest.approx(round(at / every_s) * every_s)


@given(began=st.floats(0.0, 1e6), every_s=st.floats(1.0, 600.0), takes_s=st.floats(0.001, 0.3))
def test_who_does_not_rest_looks_once_in_each_interval(
    began: float, every_s: float, takes_s: float
) -> None:
    """A look takes some time, which must not put off the next one to the multiple after it."""
    sensing, attention = _sensing(rests=False, interval_s=every_s), Attention(EngineSettings())
    attention.add_slot("x", SlotShape(interval_s=every_s, min_interval_s=every_s / 6), began)
    looks = []
    now = began
    for _ in range(10):
        now = max(now, attention.next_poll("x"))
        assert attention.due(now) == ["x"]
        looks.append(now)
        attention.observe("x", [], now + takes_s)
        planned = attention.next_poll("x")
        attention.replan("x", sensing.looks_again(now + takes_s, planned, now + 9999))

    apart = [b - a for a, b in itertools.pairwise(looks[1:])]
    assert apart == pytest.approx([every_s] * len(apart))
