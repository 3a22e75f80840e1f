"""The disclosure sensor: what is taught when, by token distance."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.api import Activity, Component, Gauge, Observation, Telling
from sensors.disclosure import DisclosureConfig, DisclosureSensor
from tests.fakes import FakeFocus

pytestmark = pytest.mark.asyncio
WINDOW = 200_000
MESSAGING = Component(id="messaging", text="how to answer", order=10)
MEMORY = Component(id="memory", text="how to remember", order=20)


class Session:
    """A sensor, and the conversation it is shown."""

    def __init__(self, *components: Component) -> None:
        self.focus = FakeFocus(components=components or (MESSAGING,))
        self.sensor = DisclosureSensor(DisclosureConfig())

    async def observe(
        self,
        tokens: int,
        *,
        epoch: str = "e1",
        method: str = "usage",
        total: int | None = WINDOW,
    ) -> list[Observation]:
        self.focus.reading = Gauge(
            session=self.focus.session,
            tokens_used=tokens,
            tokens_total=total,
            method=method,
            epoch=epoch,
        )
        return await self.poll()

    async def poll(self, after: float = 120.0) -> list[Observation]:
        self.focus.pass_time(after)
        seen = list(await self.sensor.poll(self.focus))
        self.focus.tellings = self.focus.missed = ()
        return seen

    async def at(
        self,
        tokens: int,
        *,
        epoch: str = "e1",
        method: str = "usage",
        total: int | None = WINDOW,
    ) -> list[str]:
        return [
            o.topic for o in await self.observe(tokens, epoch=epoch, method=method, total=total)
        ]

    def change_host(self) -> None:
        state = json.loads(json.dumps(self.sensor.snapshot()))
        self.sensor = DisclosureSensor(DisclosureConfig())
        self.sensor.restore(state)

    def hook_told(self, component: str) -> None:
        telling = Telling(topic=component, at=self.focus.wall, conduit="session-start")
        self.focus.tellings = (telling,)


async def test_the_first_encounter_is_taught_with_a_fixed_weight_and_never_wakes() -> None:
    (told,) = await Session().observe(10_000)

    assert (told.topic, told.text, told.magnitude) == ("messaging", "how to answer", 5)
    assert not told.wakes
    assert not told.own


async def test_it_is_taught_again_after_a_quarter_of_the_window() -> None:
    session = Session()
    said = [await session.at(tokens) for tokens in (10_000, 59_999, 60_000, 109_999, 110_000)]

    assert said == [["messaging"], [], ["messaging"], [], ["messaging"]]


async def test_the_window_is_that_of_the_current_model() -> None:
    session = Session()
    await session.at(10_000)

    assert await session.at(70_000, total=1_000_000) == []
    assert await session.at(70_001, total=200_000) == ["messaging"]


async def test_where_the_window_is_unknown_fifty_thousand_tokens_count() -> None:
    session = Session()
    said = [await session.at(tokens, total=None) for tokens in (10_000, 59_999, 60_000)]

    assert said == [["messaging"], [], ["messaging"]]


async def test_a_new_epoch_is_taught_at_once() -> None:
    session = Session()
    await session.at(150_000)

    assert await session.at(149_000, epoch="e2") == ["messaging"]


async def test_a_new_session_id_is_taught_at_once() -> None:
    session = Session()
    await session.at(20_000)
    session.focus.session = "s2"

    assert await session.at(20_000) == ["messaging"]


async def test_a_drop_by_a_tenth_of_the_window_clears_the_ledger() -> None:
    """Also where no epoch says so, as with an external gauge."""
    session = Session()
    await session.at(60_000)

    assert await session.at(40_001, epoch="") == []
    assert await session.at(20_001, epoch="") == ["messaging"]


async def test_a_smaller_dip_moves_the_marker_down_with_it() -> None:
    session = Session()
    await session.at(60_000)
    await session.at(100_000)
    await session.at(90_000)

    assert await session.at(99_999) == []
    assert await session.at(100_000) == ["messaging"]


async def test_only_the_lowest_order_is_taught_at_attach_and_one_in_two_minutes() -> None:
    session = Session(MEMORY, MESSAGING)
    first = await session.at(10_000)
    at_once = [o.topic for o in await session.poll(after=119)]
    later = [o.topic for o in await session.poll(after=1)]
    rest = [o.topic for o in await session.poll()]

    assert (first, at_once, later, rest) == (["messaging"], [], ["memory"], [])


@pytest.mark.parametrize(("tokens", "epoch"), [(12_000, "e2"), (20_000, "e1")])
async def test_what_was_lost_keeps_nothing_waiting(tokens: int, epoch: str) -> None:
    """Told, then compacted or cleared away: the two minutes between two tellings are over."""
    session = Session(MESSAGING, MEMORY)
    await session.at(100_000)
    await session.poll(after=20.0)
    session.focus.reading = msgspec.structs.replace(
        session.focus.reading or Gauge(session="", tokens_used=0),
        tokens_used=tokens,
        epoch=epoch,
    )

    assert [o.topic for o in await session.poll(after=5.0)] == ["messaging"]
    assert await session.poll(after=5.0) == []
    assert [o.topic for o in await session.poll(after=120.0)] == ["memory"]


async def test_a_part_that_comes_into_use_is_taught_then() -> None:
    session = Session()
    await session.at(10_000)
    await session.at(30_000)
    session.focus.components = (MESSAGING, MEMORY)

    assert await session.at(31_000) == ["memory"]


async def test_what_a_hook_taught_counts_as_taught() -> None:
    session = Session()
    session.hook_told("messaging")
    said = [await session.at(tokens) for tokens in (10_000, 59_999, 60_000)]

    assert said == [[], [], ["messaging"]]


async def test_what_a_hook_taught_after_a_compaction_counts_for_the_new_epoch() -> None:
    session = Session()
    await session.at(150_000)
    session.hook_told("messaging")

    assert await session.at(12_000, epoch="e2", method="compaction") == []
    assert await session.at(40_000, epoch="e2") == []


async def test_a_session_without_its_first_prompt_is_left_to_the_hook() -> None:
    session = Session()
    session.focus.activity = Activity(prompted=False)
    before = await session.at(0, method="none")
    session.focus.activity = Activity(prompted=True)

    assert before == []
    assert await session.at(0, method="none") == ["messaging"]


async def test_before_the_first_answer_nothing_is_taken_for_a_drop() -> None:
    """A gauge without an answer to read stands at zero, whatever is in the window."""
    session = Session()
    await session.at(90_000)

    assert await session.at(0, method="none") == []
    assert await session.at(95_000) == []
    assert await session.at(140_000) == ["messaging"]


async def test_without_a_gauge_twenty_turns_count() -> None:
    session = Session()
    said = []
    for turns in (1, 20, 21, 40, 41):
        session.focus.activity = Activity(turns=turns)
        said.append([o.topic for o in await session.poll()])

    assert said == [["messaging"], [], ["messaging"], [], ["messaging"]]


async def test_without_a_gauge_forty_thousand_bytes_count() -> None:
    session = Session()
    said = []
    for size in (1_000, 40_999, 41_000, 500):
        session.focus.activity = Activity(bytes=size)
        said.append([o.topic for o in await session.poll()])

    assert said == [["messaging"], [], ["messaging"], ["messaging"]]


async def test_a_gauge_that_comes_later_starts_the_distance_there() -> None:
    session = Session()
    await session.poll()

    said = [await session.at(tokens) for tokens in (70_000, 119_999, 120_000)]
    assert said == [[], [], ["messaging"]]


async def test_what_was_taught_is_not_taught_again_by_the_next_host() -> None:
    session = Session()
    await session.at(10_000)
    session.change_host()

    assert await session.at(59_999) == []
    assert await session.at(60_000) == ["messaging"]


@pytest.mark.parametrize(("tokens", "epoch"), [(12_000, "e2"), (59_999, "")])
async def test_the_next_host_sees_that_teaching_was_lost_before_it_came(
    tokens: int, epoch: str
) -> None:
    session = Session()
    await session.at(80_000)
    session.change_host()

    assert await session.at(tokens, epoch=epoch) == ["messaging"]


async def test_two_components_are_two_minutes_apart_also_where_the_host_changes() -> None:
    session = Session(MEMORY, MESSAGING)
    await session.at(10_000)
    session.change_host()

    assert [o.topic for o in await session.poll(after=119)] == []
    assert [o.topic for o in await session.poll(after=1)] == ["memory"]


async def test_what_grew_stale_before_it_was_shown_is_taught_again() -> None:
    session = Session()
    await session.at(10_000)
    session.focus.missed = ("messaging",)

    assert await session.at(11_000) == ["messaging"]


@given(st.lists(st.integers(0, 199_999), min_size=2, max_size=40))
async def test_never_more_than_a_quarter_goes_by_without_teaching(path: list[int]) -> None:
    """Over any course of a conversation, as a reader of it would check."""
    session = Session()
    since = None
    before = path[0]
    for tokens in path:
        dip = max(0, before - tokens)
        if dip >= 20_000:
            since = None
        elif since is not None:
            since -= dip
        told = await session.at(tokens)
        assert bool(told) == (since is None or tokens - since >= 50_000)
        if told:
            since = tokens
        before = tokens
