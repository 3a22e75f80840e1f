"""The status line: what it says at which width."""

from hypothesis import given
from hypothesis import strategies as st

from attendd.hot import gaugeline, stated

QUIET = stated.Known((1, 0, 0, None, None))
BUSY = stated.Known((1, 3, 1, "git", "context git"))
NAMES = st.lists(st.text("abcxyz019-", min_size=1, max_size=20), max_size=8)


def figures(pct: float | None = 41, window: int | None = 200_000) -> stated.Figures:
    values = (None, None, None, window, 82_000, pct, None, None, None, None)
    return stated.Figures("s", values)


def test_with_room_everything_is_said() -> None:
    line = gaugeline.compose(figures(), BUSY, 200)

    assert line == (
        "context ████░░░░░░ 41% of 200k · 3 unread messages · failing: git"
        " · held: context, git, a conversation"
    )


def test_nothing_to_say_leaves_the_bare_gauge() -> None:
    assert gaugeline.compose(figures(), QUIET, 80) == "context ████░░░░░░ 41% of 200k"
    assert gaugeline.compose(figures(), None, 80) == "context ████░░░░░░ 41% of 200k"


def test_in_twenty_columns_the_most_pressing_is_left() -> None:
    assert gaugeline.compose(figures(), BUSY, 20) == "41% · 3 unread"
    assert gaugeline.compose(figures(), QUIET, 20) == "context 41% of 200k"


def test_a_session_that_nothing_reads_for_is_told_so() -> None:
    known = stated.Known((0, 0, 0, None, None))

    assert "attend is not listening" in gaugeline.compose(figures(), known, 80)
    assert gaugeline.compose(figures(), known, 20) == "41% of 200k · off"


def test_before_the_first_answer_there_is_no_percentage() -> None:
    assert gaugeline.compose(figures(None), QUIET, 80) == "context not measured yet, of 200k"
    assert gaugeline.compose(figures(None, None), QUIET, 80) == "context not measured yet"


def test_why_the_users_own_line_is_missing_comes_before_what_else_there_is() -> None:
    note = ("your line was ended", "ended")

    assert gaugeline.compose(figures(), BUSY, 200, note).startswith(
        "context ████░░░░░░ 41% of 200k · your line was ended · 3 unread messages"
    )
    assert gaugeline.compose(figures(), BUSY, 14, note) == "41% · ended"
    assert gaugeline.compose(None, None, 80, note) == "your line was ended"
    assert gaugeline.compose(None, None, 80) == ""


def test_many_messages_are_many() -> None:
    known = stated.Known((1, stated.MOST_COUNTED, 0, None, None))

    assert "99+ unread" in gaugeline.compose(figures(), known, 80)


@given(
    st.none() | st.floats(0, 1e12),
    st.none() | st.integers(0, 10**12),
    st.integers(0, 200),
    NAMES,
    st.integers(0, 300),
)
def test_the_line_is_never_wider_than_it_may_be(
    pct: float | None, window: int | None, unread: int, names: list[str], width: int
) -> None:
    known = stated.Known((0, unread, 1, " ".join(names), " ".join(names)))
    line = gaugeline.compose(figures(pct, window), known, width)

    assert len(line) <= width
    assert "\n" not in line


@given(st.floats(0, 100), st.integers(2, 40))
def test_a_bar_shows_a_little_as_a_little_and_only_all_as_all(pct: float, width: int) -> None:
    drawn = gaugeline.bar(pct, width)

    assert len(drawn) == width
    assert ("█" in drawn) is (pct > 0)
    assert ("░" not in drawn) is (pct == 100)


def test_tokens_are_said_in_brief() -> None:
    said = [
        gaugeline.tokens(count) for count in (0, 950, 82_000, 200_000, 1_000_000, 1_250_000)
    ]

    assert said == ["0", "950", "82k", "200k", "1M", "1.2M"]
    assert gaugeline.tokens(999_999) == "1M"
