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
    lines = table.columns(heads, rows, width)

    assert all(map(harmless, [*lines, *table.table(heads, rows, width)]))
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


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(4, 20)), min_size=1, max_size=8))
def test_a_column_gets_what_it_needs_at_least(asked: list[tuple[int, int]]) -> None:
    wanted = [want for want, _ in asked]
    least = [min(pair) for pair in asked]
    widths = table.fit(wanted, sum(least), least)

    assert widths == least


@given(
    st.text("abcdefgh0123-", min_size=1, max_size=36),
    st.text(max_size=60),
    st.integers(12, 120),
)
def test_an_id_is_never_cut(name: str, text: str, width: int) -> None:
    """Where it is longer than a line it goes on in the next."""
    lines = table.table(["id", "state", "text"], [[name, "stored", text]], width)
    begun = "".join(lines[:3]) if width < len(name) else "\n".join(lines)

    assert name in begun
    facts = table.facts([("session", name), ("known by", text)], width)
    assert name in "".join(line.strip() for line in facts)


@given(ANYTHING, WIDTHS)
def test_a_shortened_text_begins_as_the_whole_one(text: str, width: int) -> None:
    short = table.clip(text, width)

    assert table.cells(short) <= width
    assert short == text or text.startswith(short.removesuffix("…"))


def test_columns_line_up_and_are_cut_with_an_ellipsis() -> None:
    lines = table.columns(["id", "text"], [["1", "the quick brown fox"], ["22", "jumps"]], 14)

    assert lines == ["ID  TEXT", "1   the quick…", "22  jumps"]


@pytest.mark.parametrize(
    ("width", "shown"),
    [(16, "~/src/api/server"), (15, "…/api/server"), (11, "…/server"), (6, "…/ser…")],
)
def test_of_a_path_the_end_is_kept(width: int, shown: str) -> None:
    assert table.columns(["p"], [["~/src/api/server"]], width)[1] == shown


def test_wide_characters_take_two_cells() -> None:
    lines = table.table(["a", "b"], [["日本", "x"], ["ab", "y"]], 20)

    assert lines == ["A     B", "日本  x", "ab    y"]


def test_a_pipe_gets_everything() -> None:
    """What a program reads is not cut to the width of a terminal that is not there."""
    text = "word " * 100

    assert table.table(["a"], [[text]])[1] == text.rstrip()
    assert table.facts([("a", text)]) == [f"a  {text.rstrip()}"]


def test_where_columns_have_no_room_each_row_is_a_block() -> None:
    heads = ["id", "to", "state", "text"]
    rows = [
        ["#k3f9q2xm", "bob (w)", "", "the build is green again, and its tests have passed"],
        ["", "juno (w)", "stored", "word " * 40],
    ]

    assert table.table(heads, rows, 24) == [
        "#k3f9q2xm",
        "  to     bob (w)",
        "  text   the build is",
        "         green again,",
        "         and its tests",
        "         have passed",
        "-",
        "  to     juno (w)",
        "  state  stored",
        "  text   word word word",
        "         word word word",
        "         word word word",
        "         word word word…",
    ]
    assert table.table(heads, rows, 60)[0].split() == ["ID", "TO", "STATE", "TEXT"]


def test_a_word_without_room_beside_a_name_stands_below_it() -> None:
    pairs = [("session", "38655051-aaaa-4bbb-8ccc-000000000001"), ("harness", "none")]

    assert table.facts(pairs, 40) == [
        "session",
        "  38655051-aaaa-4bbb-8ccc-000000000001",
        "harness  none",
    ]


def test_long_facts_are_broken_between_words() -> None:
    assert table.facts([("host", "one two three four")], 15) == [
        "host  one two",
        "      three",
        "      four",
    ]
