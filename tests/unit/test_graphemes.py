"""Only what shows is shown, and a cut goes through no grapheme."""

import itertools
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attendd.hot import frame, graphemes
from tests.unit.odd_text import EMOJI, ESC, FAMILY, VS16, WORDS, ZWJ, texts


def breaks(text: str) -> set[int]:
    """Where text may be cut; grapheme clusters too long for that may be cut anywhere."""
    walk = graphemes.Clusters()
    starts = [at for at, ch in enumerate(text) if walk.starts(ch)]
    ends = [*starts[1:], len(text)]
    long = [
        at
        for a, b in zip(starts, ends, strict=False)
        if frame.units(text[a:b]) > graphemes.CLUSTER_MAX
        for at in range(a, b)
    ]
    return {0, *starts, *long, len(text)}


@given(texts)
def test_inert_text_is_one_printable_line_of_valid_utf8(text: str) -> None:
    shown = frame.inert(text)

    assert len(shown.splitlines()) <= 1
    assert shown.encode().decode() == shown
    for ch in shown:
        assert unicodedata.category(ch) not in ("Cc", "Cs", "Zl", "Zp")
        assert unicodedata.category(ch) != "Zs" or ch == " "
        if unicodedata.category(ch) == "Cf":
            assert ch == ZWJ or graphemes.kind(ch) == 6


@given(texts)
def test_making_text_inert_twice_changes_nothing_more(text: str) -> None:
    once = frame.inert(text)

    assert frame.inert(once) == once


@pytest.mark.parametrize("text", [*EMOJI, *WORDS])
def test_emoji_sequences_and_words_of_any_script_stay_whole(text: str) -> None:
    normal = "".join(text.split("\u200b"))

    assert frame.inert(text) == normal
    assert frame.inert(f"a {text} b") == f"a {normal} b"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\r\nb\nc\rd\ve\ff\x85g\u2028h\u2029i", "a⏎b⏎c⏎d⏎e⏎f⏎g⏎h⏎i"),
        (f"{ESC}[1;31mred{ESC}[0m", "red"),
        (f"{ESC}[2J{ESC}[H", "␛[2J␛[H"),
        (f"{ESC}]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        (f"{ESC}]8;;http://x{ESC}\\here", "␛]8;;http://x␛\\here"),
        (f"{ESC}{ESC}[0m[31m", "␛[31m"),
        ("\x9b31mé", "\ufffd31mé"),
        ("a\tb\0c\x7f", "a b␀c␡"),
        ("gpj.\u202eexe\u202c é", "gpj.exe é"),
        ("\u2066a\u2069\u200b\u00ad\ufeffé\u2060", "aé"),
        ("\U0001f3f4\U000e0067\U000e0062\U000e007f", "\U0001f3f4"),
        (f"a{ZWJ}b{VS16}é", "abé"),
        (f"👍{VS16}{VS16}{VS16}\U000e0101", f"👍{VS16}"),
        ("é\U000e0100\U000e0101", "é"),
        ("葛\U000e0100\U000e0101", "葛\U000e0100"),
        ("\u0301x", "\u25cc\u0301x"),
        ("o" + "\u0301" * 500 + "k", "o" + "\u0301" * graphemes.MARKS_MAX + "k"),
        ("half \ud83d of \udc80", "half \ufffd of \ufffd"),
        ("\ud83d\ude00", "😀"),
        ("a\u00a0b\u3000c\u2800d", "a b c d"),
        ("x\ufffey", "x\ufffdy"),
        ("\u3164\u115f", ""),
    ],
)
def test_what_does_not_show_is_shown_or_dropped(text: str, shown: str) -> None:
    assert frame.inert(text) == shown


@given(texts, st.integers(0, 60))
def test_a_cut_fits_and_goes_through_no_grapheme(text: str, room: int) -> None:
    text = frame.inert(text)
    short = frame.cut(text, room)

    assert frame.units(short) <= room
    if short != text and room > 0:
        kept = short[:-1]
        assert short[-1] == "…"
        assert text.startswith(kept)
        spaces = len(text[len(kept) :]) - len(text[len(kept) :].lstrip(" "))
        assert breaks(text) & set(range(len(kept), len(kept) + spaces + 1))


@given(texts, st.integers(2, 90))
@example(f"{FAMILY}{FAMILY}", 12)
def test_wrapping_loses_nothing_and_fits(text: str, room: int) -> None:
    text = frame.inert(text)
    pieces = frame.wrap(text, room)

    assert "".join(pieces) == text
    assert all(frame.units(piece) <= room for piece in pieces)
    assert all(pieces) or not text


@given(texts)
def test_wrapping_keeps_graphemes_whole(text: str) -> None:
    text = frame.inert(text)
    ends = itertools.accumulate(map(len, frame.wrap(text, 64)))

    assert set(ends) <= breaks(text)


def test_wrapping_breaks_behind_spaces_in_any_script() -> None:
    assert frame.wrap("one two three", 9) == ["one two ", "three"]
    assert frame.wrap("раз два три", 9) == ["раз два ", "три"]
    assert frame.wrap("x" * 20, 8) == ["x" * 8, "x" * 8, "x" * 4]
