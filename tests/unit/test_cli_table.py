"""Tables that fit the terminal and can do nothing to it."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.cli import table

ANYTHING = st.text(max_size=60) | st.sampled_from(
    [
        "日本語のブランチ名はとても長い",
        "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦",
        "e\u0301" * 40,
        "\x1b]0;owned\x07\x1b[2Jname",
        "a\nb\rc\td\u202egnp.exe",
        "\ud800 alone",
        "❤️" * 20,
    ]
)
ROWS = st.integers(1, 5).flatmap(
    lambda n: st.tuples(
        st.lists(st.sampled_from(["id", "state", "project"]), min_size=n, max_size=n),
        st.lists(st.lists(ANYTHING, min_size=n, max_size=n), max_size=5),
    )
)
WIDTHS = st.integers(1, 120)


def harmless(line: str) -> bool:
    """Whether a terminal shows a line and does nothing else."""
    return all(
        unicodedata.category(c) not in ("Cc", "Cs", "Zl", "Zp") for c in line
    ) and not any("\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069" for c in line)


@given(ROWS, WIDTHS)
def test_a_table_is_never_wider_than_asked(
    given_table: tuple[list[str], list[list[str]]], width: int
) -> None:
    heads, rows = given_table

    assert all(table.cells(line) <= width for line in table.table(heads, rows, width))


@given(ROWS, WIDTHS | st.none())
def test_nothing_in_a_table_moves_a_cursor(
    given_table: tuple[list[str], list[list[str]]], width: int | None
) -> None:
    heads, rows = given_table
    lines = table.table(heads, rows, width)

    assert all(harmless(line) for line in lines)
    assert len(lines) == (len(rows) + 1 if rows else 0)


@given(st.lists(st.tuples(ANYTHING, ANYTHING), max_size=5), WIDTHS)
def test_facts_are_never_wider_than_asked(pairs: list[tuple[str, str]], width: int) -> None:
    lines = table.facts(pairs, width)

    assert all(table.cells(line) <= width for line in lines)
    assert all(harmless(line) for line in lines)


@given(st.lists(st.integers(0, 300), min_size=1, max_size=8), st.integers(-10, 200))
def test_columns_share_the_room_they_have(wanted: list[int], room: int) -> None:
    widths = table.fit(wanted, room)

    assert all(width <= want for width, want in zip(widths, wanted, strict=True))
    assert sum(widths) <= max(room, sum(min(want, 4) for want in wanted))
    if sum(wanted) <= room:
        assert widths == wanted


@given(ANYTHING, WIDTHS)
def test_a_shortened_text_begins_as_the_whole_one(text: str, width: int) -> None:
    short = table.clip(text, width)

    assert table.cells(short) <= width
    assert short == text or text.startswith(short.removesuffix("…"))


def test_columns_line_up_and_are_cut_with_an_ellipsis() -> None:
    lines = table.table(["id", "text"], [["1", "the quick brown fox"], ["22", "jumps"]], 14)

    assert lines == ["ID  TEXT", "1   the quick…", "22  jumps"]


@pytest.mark.parametrize(
    ("width", "shown"),
    [(16, "~/src/api/server"), (15, "…/api/server"), (11, "…/server"), (6, "…/ser…")],
)
def test_of_a_path_the_end_is_kept(width: int, shown: str) -> None:
    assert table.table(["p"], [["~/src/api/server"]], width)[1] == shown


def test_wide_characters_take_two_cells() -> None:
    lines = table.table(["a", "b"], [["日本", "x"], ["ab", "y"]], 20)

    assert lines == ["A     B", "日本  x", "ab    y"]


def test_a_pipe_gets_everything() -> None:
    """What a program reads is not cut to the width of a terminal that is not there."""
    text = "word " * 100

    assert table.table(["a"], [[text]])[1] == text.rstrip()
    assert table.facts([("a", text)]) == [f"a  {text.rstrip()}"]


def test_long_facts_are_broken_between_words() -> None:
    assert table.facts([("host", "one two three four")], 15) == [
        "host  one two",
        "      three",
        "      four",
    ]
