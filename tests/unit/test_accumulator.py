"""What is pending adds up, merges, fades and folds, and its sums are right throughout."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.engine.accumulator import MAX_MAGNITUDE, Accumulator, total
from attendd.model import Lane, Observation, Priority

observations = st.builds(
    Observation,
    text=st.sampled_from("abcdefgh"),
    topic=st.sampled_from(["", "t"]),
    magnitude=st.floats(0, 10),
    lane=st.sampled_from(Lane),
    wakes=st.booleans(),
)


def fill(*news: Observation) -> Accumulator:
    pending = Accumulator()
    for number, each in enumerate(news, start=1):
        pending.add(each, number)
    return pending


@given(st.lists(observations, max_size=60))
def test_nothing_is_lost_by_merging(news: list[Observation]) -> None:
    pending = fill(*news)

    assert sum(item.count for item in pending.items) == len(news)
    assert total(pending.items) == pytest.approx(sum(each.magnitude for each in news))
    assert len({item.key for item in pending.items}) == len(pending.items)
    for lane in Lane:
        kept = [item.id for item in pending.items if item.lane is lane]
        assert kept == sorted(kept)


def test_only_equals_of_one_lane_and_topic_merge() -> None:
    same = Observation(text="a", topic="t")
    pending = fill(
        same,
        Observation(text="a", topic="u"),
        Observation(text="a", topic="t", lane=Lane.MESSAGE),
        Observation(text="A", topic="t"),
        Observation(text="a", topic="t", magnitude=2.5, wakes=True),
    )

    first = pending.events[0]
    assert (first.count, first.magnitude, first.wakes) == (2, 3.5, True)
    assert len(pending.items) == 4


@given(st.lists(observations, max_size=40), st.floats(0, 1), st.floats(0.01, 2))
def test_only_events_fade_and_only_the_negligible_leave(
    news: list[Observation], factor: float, floor: float
) -> None:
    pending = fill(*news)
    before, messages = total(pending.events), [item.id for item in pending.messages]

    gone = pending.fade(factor, floor)

    assert [item.id for item in pending.messages] == messages
    assert total(pending.events) + total(gone) == pytest.approx(before * factor)
    assert all(item.magnitude >= floor for item in pending.events)
    assert all(item.magnitude < floor for item in gone)


@given(st.lists(observations, max_size=60), st.integers(1, 5))
def test_folding_keeps_counts_magnitudes_and_messages(
    news: list[Observation], most: int
) -> None:
    pending = fill(*news)
    before = sum(item.count for item in pending.items), total(pending.items)
    messages = list(pending.messages)

    fold, excess = pending.fold(most, 1_000)

    assert pending.messages == messages
    assert len([item for item in pending.events if not item.folded]) <= most
    assert sum(item.count for item in pending.items) == before[0]
    assert total(pending.items) == pytest.approx(before[1])
    assert (fold is None) == (not excess)
    assert pending.fold(most, 1_001) == (None, [])


def test_a_second_fold_goes_into_the_first() -> None:
    pending = fill(*(Observation(text=str(n)) for n in range(5)))
    first, _ = pending.fold(3, 100)
    pending.add(Observation(text="new"), 6)

    second, excess = pending.fold(3, 101)

    assert first is second
    assert [item.text for item in excess] == ["2"]
    assert pending.events[0].text == "3 earlier changes, folded into this count"


def test_what_left_and_comes_again_is_new() -> None:
    pending = fill(Observation(text="a"), Observation(text="b"))
    pending.remove([pending.events[0]])

    assert pending.add(Observation(text="a"), 3) is None
    assert [item.id for item in pending.events] == [2, 3]


@pytest.mark.parametrize("magnitude", [-1.0, math.nan, -math.inf])
def test_a_magnitude_that_is_none_is_noise(magnitude: float) -> None:
    assert fill(Observation(text="a", magnitude=magnitude)).events[0].magnitude == 0.0


def test_a_magnitude_over_the_scale_is_the_largest() -> None:
    assert fill(Observation(text="a", magnitude=math.inf)).events[0].magnitude == MAX_MAGNITUDE


def test_what_a_listener_hears_is_within_the_scale() -> None:
    pending = fill(*[Observation(text="a", magnitude=8.0, topic="t", wakes=True)] * 3)

    heard = Observation(text="a", magnitude=10.0, topic="t", wakes=True)
    assert pending.events[0].observation() == heard


def test_a_fold_goes_as_soon_as_any_of_what_it_took_in_was_to_go() -> None:
    pending = fill(*(Observation(text=str(n)) for n in range(4)))
    pending.events[1].fired = Priority.HIGH

    fold, _ = pending.fold(1, 100)

    assert fold
    assert (fold.fired, fold.count, fold.magnitude) == (Priority.HIGH, 3, 3.0)
    assert [item.id for item in pending.loose()] == [4]
