"""Percepts are taken out of a text by the rules, however it is cut, and within bounds."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attendd.hot.percept_code import SPAN
from attendd.hot.percept_events import Percept, Refusal, Withheld
from attendd.hot.percepts import PAIR, Parser
from tests.unit.percept_rules import (
    AGENTS,
    CLOSE,
    OPEN,
    PIECES,
    F,
    N,
    Outcome,
    outcome,
)

soup = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def parsed(chunks: list[bytes] | list[str], *, escaped: bool = False) -> Outcome:
    parser = Parser(N, agents=AGENTS, escaped=escaped)
    events = [event for chunk in chunks for event in parser.feed(chunk)] + parser.finish()
    shown = b"".join(event for event in events if isinstance(event, bytes))
    percepts = [(each.text, each.consumer) for each in events if isinstance(each, Percept)]
    withheld = b"".join(each.raw for each in events if isinstance(each, Withheld))
    return Outcome(
        shown.decode("utf-8", "surrogatepass"), percepts, withheld.decode("utf-8", "replace")
    )


def cut(text: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[start:end] for start, end in pairwise(edges)]


@given(text=soup, places=st.lists(st.integers(0, 10_000), max_size=8), escaped=st.booleans())
@example(text=f"`{OPEN}x\n```\n{CLOSE}{OPEN}real{CLOSE}", places=[], escaped=False)
@example(text=f"``` {OPEN}x{CLOSE} ` y\n{OPEN}z{CLOSE}", places=[3], escaped=False)
def test_a_text_comes_to_what_the_rules_say_however_it_is_cut(
    text: str, places: list[int], *, escaped: bool
) -> None:
    due = outcome(text, N, AGENTS, escaped=escaped)
    data = text.encode()

    assert parsed([data], escaped=escaped) == due
    assert parsed(cut(data, places), escaped=escaped) == due
    assert parsed([data[i : i + 1] for i in range(len(data))], escaped=escaped) == due


@given(text=soup, place=st.integers(0, 10_000))
def test_what_is_shown_before_the_end_stands(text: str, place: int) -> None:
    """So a piece can be written out at once: what comes later only adds to it."""
    data = text.encode()
    parser = Parser(N, agents=AGENTS)
    early = parser.feed(data[: place % (len(data) + 1)])
    shown = b"".join(each for each in early if isinstance(each, bytes))

    shown.decode()
    assert outcome(text, N, AGENTS).shown.startswith(shown.decode())


@given(
    data=st.lists(
        st.sampled_from([*map(str.encode, PIECES), b"\xff", b"\xc3", b"\xed\xa0\xbd"])
    ).map(b"".join)
)
def test_bytes_that_are_no_text_pass_unchanged(data: bytes) -> None:
    parser = Parser("nothing")
    shown = b"".join(
        each for each in parser.feed(data) + parser.finish() if isinstance(each, bytes)
    )

    assert shown == data or b"attend:percept:" in data


def test_halves_of_a_character_are_joined() -> None:
    assert parsed(["a \ud83d", "\ude80 b"]).shown == "a 🚀 b"
    assert parsed([f"{OPEN}\ud83d", f"\ude80{CLOSE}"]).percepts == [("🚀", "")]
    assert parsed(["a \ud83d", " b"]).shown == "a \ud83d b"
    assert parsed(["a \ud83d"]).shown == "a \ud83d"


def test_text_is_shown_as_soon_as_it_cannot_change() -> None:
    parser = Parser(N)
    pieces = ("a <", "b `c", " <x", f" {OPEN}d", " e", "\n\nf")

    shown = [
        b"".join(each for each in parser.feed(piece) if isinstance(each, bytes))
        for piece in pieces
    ]

    assert shown == [b"a ", b"<b `c", b" <x", b" ", b"", b""]
    assert [type(each) for each in parser.finish()] == [Withheld]


def test_a_tag_has_its_place_in_the_message() -> None:
    parser = Parser(N)
    events = parser.feed(f"é {OPEN}x{CLOSE}") + parser.finish()
    found = next(each for each in events if isinstance(each, Percept))

    assert (found.start, found.end) == (3, 3 + len(OPEN) + 1 + len(CLOSE))


def test_a_long_percept_is_cut_out_and_refused() -> None:
    for size, kept in ((2_048, True), (2_049, False), (10_000_000, False)):
        parser = Parser(N)
        events = parser.feed(f"a{OPEN}{'x' * size}{CLOSE}b") + parser.finish()

        assert b"".join(each for each in events if isinstance(each, bytes)) == b"ab"
        assert [type(each) for each in events if not isinstance(each, bytes)] == [
            Percept if kept else Refusal
        ]


def test_what_is_kept_is_bounded_whatever_comes() -> None:
    """Every kind of thing that is not yet decided, and goes on for ever."""
    for begin, more in (
        (OPEN, "x"),
        (OPEN, "`"),
        (f"<attend:percept:{F}>", "x"),
        (f"<attend:percept:{F}>", f"<attend:percept:{F}>"),
        (f"<attend:percept:{F}>", f"{OPEN}y{CLOSE}"),
        (f"`{OPEN}", "x"),
        (f"`{OPEN}", "y ``` "),
        ("", "`"),
        ("", "~"),
        ("```", " "),
        ("\n   ", " "),
        ("a ` b", "x"),
        (f"``` {OPEN}", "x"),
        ("~~~\n", "~"),
    ):
        parser = Parser(N)
        parser.feed(begin)
        for _ in range(150):
            parser.feed(more * (1_000 // len(more)))
            assert kept(parser) <= 64 << 10, (begin, more)


def kept(parser: Parser) -> int:
    state: dict[str, Any] = vars(parser)
    held = [each for each in state["_held"] if not isinstance(each, Percept)]
    texts = [getattr(each, "raw", each) for each in (*held, state["_body"] or b"")]
    return sum(map(len, (state["_data"], *texts)))


@given(size=st.integers(SPAN - 60, SPAN + 60), piece=st.integers(100, 5_000))
def test_a_long_span_is_code_or_not_however_it_is_cut(size: int, piece: int) -> None:
    text = f"`{OPEN}x{CLOSE}".ljust(size, "y") + f"` {OPEN}z{CLOSE}"
    data = text.encode()

    assert parsed([data[i : i + piece] for i in range(0, len(data), piece)]) == parsed([data])
    assert len(parsed([data]).percepts) == (1 if size + 1 <= SPAN else 2)


LONG = ["x" * 1_000, " " * 1_100, "y\n" * 500, "x " * 8_000, "z" * 31_000]
LONG += [mark * count for mark in "`~" for count in (200, 256, 257, 1_500)]


@settings(max_examples=60)
@given(
    pieces=st.lists(st.sampled_from(PIECES * 3 + LONG), max_size=60),
    size=st.sampled_from([100, 1_000, 5_000, 20_000]),
)
def test_beyond_every_limit_a_text_comes_to_the_same_however_it_is_cut(
    pieces: list[str], size: int
) -> None:
    data = "".join(pieces).encode()

    assert parsed([data[i : i + size] for i in range(0, len(data), size)]) == parsed([data])


@given(size=st.integers(PAIR - 60, PAIR + 60), piece=st.integers(100, 5_000))
def test_a_long_foreign_pair_is_cut_or_not_however_it_comes(size: int, piece: int) -> None:
    text = f"<attend:percept:{F}>{OPEN}x{CLOSE}".ljust(size, "y") + f"</attend:percept:{F}>"
    data = text.encode()

    assert parsed([data[i : i + piece] for i in range(0, len(data), piece)]) == parsed([data])
    assert len(parsed([data]).percepts) == (0 if size <= PAIR else 1)


@pytest.mark.parametrize("nonce", ["", "a b", "é", "x" * 33])
def test_a_nonce_has_to_be_one(nonce: str) -> None:
    with pytest.raises(ValueError, match="nonce"):
        Parser(nonce)
