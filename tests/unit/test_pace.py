"""Messages keep their pace: at once after a quiet time, never too many, none for ever."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from attendd.hot.pace import GAP_S, MOST, WINDOW_S, Pace


def test_the_first_after_a_quiet_time_goes_at_once() -> None:
    pace = Pace()

    assert pace.wait(1000.0) == 0.0
    pace.note(1000.0)
    assert pace.wait(1001.0) == GAP_S - 1
    assert pace.wait(1000.0 + GAP_S) == 0.0


def test_what_was_shown_before_a_restart_counts() -> None:
    assert Pace([998.0, 990.0]).wait(1000.0) == GAP_S - 2


TERMS = st.tuples(st.floats(0, 30), st.integers(1, 60), st.floats(0.1, 600))


@given(st.lists(st.tuples(st.floats(0, 20), st.integers(1, 8)), max_size=40), TERMS)
def test_no_window_holds_more_than_it_may(
    tries: list[tuple[float, int]], terms: tuple[float, int, float]
) -> None:
    """Whoever asks before each write, and shows no more than there is room for, keeps to it."""
    (gap_s, most, window_s), pace, now, shown = terms, Pace((), *terms), 0.0, list[float]()
    for after, count in tries:
        now += after
        while wait := pace.wait(now):
            now += wait
        few = min(count, pace.room(now))
        pace.note(now, few)
        shown += [now] * few

        assert few >= 1
        assert sum(now - window_s < at <= now for at in shown) <= most
    moments = sorted(set(shown))
    assert all(b - a >= gap_s - 1e-6 for a, b in pairwise(moments))


def test_the_host_may_wish_for_a_longer_pause() -> None:
    pace = Pace([1000.0])
    pace.slow_s = 600.0

    assert pace.wait(1100.0) == 500.0


def test_other_terms_hold_at_once_for_what_was_shown_before() -> None:
    pace = Pace([1000.0, 1001.0])

    assert not pace.adapt(GAP_S, MOST, WINDOW_S)
    assert pace.adapt(0.0, 2, 100.0)
    assert pace.wait(1001.0) == 99.0
    assert pace.adapt(0.0, 3, 100.0)
    assert pace.wait(1001.0) == 0.0
