"""The pause between two polls follows what they find."""

from hypothesis import given
from hypothesis import strategies as st

from attendd.engine.interval import Interval, bounded
from attendd.engine.settings import Pace, SlotShape

PACE = Pace()
shapes = st.builds(
    SlotShape,
    interval_s=st.floats(0.1, 5_000),
    min_interval_s=st.floats(0.01, 5_000),
    decay_threshold=st.integers(-1, 9),
)
polls = st.lists(st.sampled_from(["changed", "unchanged", "failed"]), max_size=80)


def run(interval: Interval, shape: SlotShape, poll: str) -> None:
    if poll == "changed":
        interval.changed(shape, PACE)
    elif poll == "unchanged":
        interval.unchanged(shape, PACE)
    else:
        interval.failed()


def pauses(shape: SlotShape, *polls: str) -> list[float]:
    interval = Interval(current_s=shape.interval_s)
    found = []
    for poll in polls:
        run(interval, shape, poll)
        found.append(interval.pause_s(shape, PACE))
    return found


def test_each_change_halves_the_pause_down_to_the_shortest() -> None:
    shape = SlotShape(interval_s=60, min_interval_s=10)

    assert pauses(shape, *["changed"] * 4) == [30, 15, 10, 10]


def test_the_pause_grows_again_from_the_nth_quiet_poll_on() -> None:
    shape = SlotShape(interval_s=60, min_interval_s=10, decay_threshold=3)

    assert pauses(shape, "changed", "changed", *["unchanged"] * 7) == [
        30, 15, 15, 15, 22.5, 33.75, 50.625, 60, 60,
    ]  # fmt: skip


def test_a_change_begins_the_count_of_quiet_polls_anew() -> None:
    shape = SlotShape(interval_s=60, min_interval_s=1, decay_threshold=2)

    assert pauses(shape, "changed", "unchanged", "changed", "unchanged", "unchanged") == [
        30, 30, 15, 15, 22.5,
    ]  # fmt: skip


def test_failures_double_the_pause_and_the_first_success_brings_it_back() -> None:
    shape = SlotShape(interval_s=30, min_interval_s=10)

    assert pauses(shape, *["failed"] * 5, "unchanged") == [60, 120, 240, 300, 300, 30]
    assert pauses(SlotShape(interval_s=90), *["failed"] * 4)[-1] == 600
    assert pauses(SlotShape(interval_s=900), "failed") == [900]


@given(shapes, polls)
def test_the_pause_stays_within_bounds(shape: SlotShape, polls: list[str]) -> None:
    interval = Interval(current_s=shape.interval_s)
    least = min(shape.min_interval_s, shape.interval_s)
    most = max(shape.interval_s, min(10 * shape.interval_s, 600))
    for poll in polls:
        run(interval, shape, poll)
        pause = interval.pause_s(shape, PACE)

        assert least <= pause <= most
        assert interval.failures or pause <= shape.interval_s


@given(shapes, polls, st.integers(1, 2_000))
def test_a_failing_sensor_waits_no_less_the_longer_it_fails(
    shape: SlotShape, polls: list[str], failures: int
) -> None:
    interval = Interval(current_s=shape.interval_s)
    for poll in polls:
        run(interval, shape, poll)
    before = interval.pause_s(shape, PACE)
    for _ in range(failures):
        interval.failed()

    assert interval.pause_s(shape, PACE) >= before


@given(shapes, st.floats(allow_nan=True, allow_infinity=True))
def test_a_pause_from_anywhere_is_brought_into_bounds(shape: SlotShape, value: float) -> None:
    assert (
        min(shape.min_interval_s, shape.interval_s) <= bounded(value, shape) <= shape.interval_s
    )
