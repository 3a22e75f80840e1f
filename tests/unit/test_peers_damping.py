"""How much of a session's turning to and fro is told."""

from hypothesis import given
from hypothesis import strategies as st

from attendd.api import Status
from sensors.peers import damping

TURNING = (Status.BUSY, Status.IDLE, Status.WAITING)


@given(st.lists(st.tuples(st.floats(0.1, 900), st.sampled_from(TURNING)), max_size=200))
def test_a_session_is_told_of_seven_times_an_hour_at_most(
    turns: list[tuple[float, Status]],
) -> None:
    at, state, told = 0.0, damping.begin(Status.IDLE, 0.0), []
    for wait, status in turns:
        at += wait
        state, tell = damping.turn(state, status, at)
        told += [at] if tell else []

    for moment in told:
        assert sum(moment <= each < moment + damping.CALM_S for each in told) <= 7


@given(st.lists(st.sampled_from(TURNING), min_size=1, max_size=50))
def test_what_a_session_does_in_the_end_is_always_known_in_the_end(
    turns: list[Status],
) -> None:
    state = damping.begin(Status.IDLE, 0.0)
    for at, status in enumerate(turns):
        state, _ = damping.turn(state, status, float(at))
    state, _ = damping.turn(state, turns[-1], len(turns) + damping.LONGEST_WAIT_S)

    assert state.told is turns[-1]


@given(st.lists(st.sampled_from(TURNING), max_size=50))
def test_an_unknown_status_changes_nothing(turns: list[Status]) -> None:
    with_gaps = without = damping.begin(Status.BUSY, 0.0)
    for at, status in enumerate(turns):
        without, _ = damping.turn(without, status, float(at))
        with_gaps, _ = damping.turn(with_gaps, status, float(at))
        with_gaps, told = damping.turn(with_gaps, Status.UNKNOWN, at + 0.5)
        assert not told

    assert with_gaps == without
