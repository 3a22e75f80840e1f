"""When a session is taught anew."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.hot.reteach import due


@pytest.mark.parametrize(
    ("turns", "size", "answer"),
    [(0, 0, False), (19, 39_999, False), (20, 0, True), (0, 40_000, True)],
)
def test_either_distance_is_enough(turns: int, size: int, *, answer: bool) -> None:
    assert due(resuming=True, turns_since=turns, bytes_since=size) is answer


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_who_was_never_taught_is_taught_and_a_limit_of_nothing_is_none(
    turns: int, size: int
) -> None:
    assert due(resuming=False, turns_since=turns, bytes_since=size)
    assert not due(resuming=True, turns_since=turns, bytes_since=size, turns=0, size=0)
    assert not due(resuming=True, turns_since=turns, bytes_since=size, turns=-1, size=-1)
