"""The context sensor: tiers once between two cuts, spikes, and no percentage made up."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.api import Gauge, Observation
from sensors.context import (
    TIERS,
    ContextConfig,
    ContextSensor,
    Reading,
    pace,
    reached,
    steepest,
)
from tests.fakes import FakeFocus

WINDOW = 200_000
pytestmark = pytest.mark.asyncio


def gauge(
    pct: float, *, epoch: str = "e1", method: str = "usage", total: int | None = WINDOW
) -> Gauge:
    return Gauge(
        session="s1",
        tokens_used=round(pct * WINDOW / 100),
        tokens_total=total,
        model="opus",
        method=method,
        epoch=epoch,
    )


class Session:
    """A sensor, and the gauge it is shown."""

    def __init__(self) -> None:
        self.focus = FakeFocus()
        self.sensor = ContextSensor(ContextConfig())

    async def at(self, reading: Gauge | None, after: float = 600.0) -> list[Observation]:
        self.focus.pass_time(after)
        self.focus.reading = reading
        return list(await self.sensor.poll(self.focus))

    async def says(
        self, reading: Gauge | None, after: float = 600.0
    ) -> list[tuple[str, float]]:
        return [(o.text, o.magnitude) for o in await self.at(reading, after)]


async def test_each_tier_is_told_once_with_its_magnitude() -> None:
    session = Session()
    told = []
    for pct in range(30, 99):
        told += [(o.text.split()[2], o.magnitude) for o in await session.at(gauge(pct))]

    assert told == [(str(tier), magnitude) for tier, magnitude in TIERS]


async def test_of_several_tiers_reached_at_once_only_the_highest_is_told() -> None:
    session = Session()
    await session.at(gauge(30))

    assert await session.says(gauge(88)) == [
        ("context reached 88 % of the window (176,000 of 200,000 tokens)", 4)
    ]
    assert await session.says(gauge(84)) == []
    assert await session.says(gauge(90)) == []


async def test_a_session_attended_late_is_told_where_it_stands() -> None:
    assert len(await Session().at(gauge(70))) == 1


async def test_tiers_count_anew_after_a_compaction_which_is_told() -> None:
    session = Session()
    await session.at(gauge(86))

    assert await session.says(gauge(6, epoch="e2", method="compaction")) == [
        ("context was compacted, from 172,000 to 12,000 tokens", 2)
    ]
    assert await session.says(gauge(10, epoch="e2")) == []
    assert [m for _, m in await session.says(gauge(41, epoch="e2"))] == [1.5]


async def test_a_rewind_is_told_as_a_cut() -> None:
    session = Session()
    await session.at(gauge(60))

    assert await session.says(gauge(20, epoch="e2")) == [
        ("context was cut back, from 120,000 to 40,000 tokens", 2)
    ]


async def test_a_conversation_begun_anew_is_no_cut() -> None:
    session = Session()
    await session.at(gauge(60))
    session.focus.session = "s2"

    fresh = Gauge(session="s2", tokens_used=0, epoch="f1")
    assert await session.at(fresh) == []
    later = Gauge(
        session="s2", tokens_used=20_000, tokens_total=WINDOW, method="usage", epoch="f1"
    )
    assert await session.at(later) == []


async def test_an_unknown_window_is_said_once_and_never_a_percentage() -> None:
    session = Session()
    first = await session.at(gauge(50, total=None))
    rest = [await session.at(gauge(pct, total=None)) for pct in (60, 90, 400)]

    assert [o.magnitude for o in first] == [1.5]
    assert "of opus is unknown" in first[0].text
    assert "%" not in first[0].text
    assert rest == [[], [], []]


async def test_a_window_that_becomes_known_is_used() -> None:
    session = Session()
    await session.at(gauge(50, total=None))

    assert [m for _, m in await session.says(gauge(66))] == [3]


async def test_a_burn_is_told_once_until_it_ends() -> None:
    session = Session()
    await session.at(gauge(10))
    first = await session.says(gauge(19), after=120)
    on = await session.says(gauge(25), after=60)
    await session.at(gauge(25), after=600)
    again = await session.says(gauge(32), after=60)

    assert first == [
        (
            "9 % of the context window went in 2.0 min, 4.5 % a minute, "
            "full in about 18 min at this pace",
            3,
        )
    ]
    assert on == []
    assert [m for _, m in again] == [3]


@pytest.mark.parametrize(
    ("pct", "after"),
    [(5.0, 30.0), (9.0, 299.0), (12.0, 360.0)],
    ids=["too little", "too slowly", "too long ago"],
)
async def test_an_ordinary_rise_is_no_burn(pct: float, after: float) -> None:
    session = Session()
    await session.at(gauge(10))

    assert await session.at(gauge(10 + pct), after=after) == []


async def test_the_first_answer_is_no_burn() -> None:
    """Before it the gauge stands at nothing, and the system prompt is long."""
    session = Session()
    await session.at(gauge(0, method="none"))

    assert await session.at(gauge(12), after=20) == []


async def test_the_estimate_after_a_compaction_is_not_measured_against() -> None:
    session = Session()
    await session.at(gauge(90))
    await session.at(gauge(2, epoch="e2", method="compaction"))

    assert await session.at(gauge(14, epoch="e2"), after=20) == []


async def test_a_tier_says_how_long_the_window_lasts_at_this_pace() -> None:
    session = Session()
    await session.at(gauge(61))

    assert await session.says(gauge(65), after=180) == [
        (
            "context reached 65 % of the window (130,000 of 200,000 tokens), "
            "full in about 26 min at this pace",
            3,
        )
    ]


async def test_how_long_the_window_lasts_is_said_once_where_it_also_burns() -> None:
    session = Session()
    await session.at(gauge(30))

    told = await session.says(gauge(45), after=120)
    assert [("at this pace" in text) for text, _ in told] == [False, True]


async def test_no_gauge_is_silence() -> None:
    assert await Session().at(None) == []


async def test_what_was_told_outlives_the_host() -> None:
    session, heir = Session(), Session()
    await session.at(gauge(70))
    heir.sensor.restore(json.loads(json.dumps(session.sensor.snapshot())))

    assert await heir.at(gauge(71)) == []
    assert len(await heir.at(gauge(86))) == 1


@given(st.lists(st.floats(0, 400, allow_nan=False), min_size=1, max_size=30))
async def test_a_tier_is_never_told_twice_nor_a_share_above_all(percents: list[float]) -> None:
    session = Session()
    tiers = []
    for pct in percents:
        for observation in await session.at(gauge(pct)):
            if observation.topic == "context.tier":
                tiers.append(observation.magnitude)
                assert int(observation.text.split()[2]) <= 100

    assert tiers == sorted(set(tiers))


@given(st.floats(0, 100))
async def test_a_reached_tier_is_the_highest_not_above(pct: float) -> None:
    tier = reached(pct)

    assert tier <= pct
    assert not [t for t, _ in TIERS if tier < t <= pct]


readings = st.lists(st.builds(Reading, st.floats(0, 1e4), st.floats(0, 100)), max_size=12).map(
    lambda found: sorted(found, key=lambda reading: reading.at)
)


@given(readings, st.floats(0, 20))
async def test_a_rise_is_finite_and_went_far_enough(found: list[Reading], least: float) -> None:
    spike, speed = steepest(found, least), pace(found)

    if spike:
        assert spike.pct > least
        assert spike.seconds > 0
        assert math.isfinite(spike.pct) and spike.pct_per_min > 0  # noqa: PT018 - one thought
    if speed:
        assert speed.seconds >= 60
