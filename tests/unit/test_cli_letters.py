"""How the commands show messages: whole, as data, and how they fared, in words."""

from datetime import datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attendd.cli import fates, inbox, letters, table
from attendd.hot import frame
from attendd.store.mail_rows import UNREAD
from tests.unit.mailing import WALL, came, fate, message
from tests.unit.odd_text import texts

NOW = datetime(2026, 3, 1, 15, 0).astimezone().timestamp()
widths = st.none() | st.integers(132, 200)
"""Below that a line may end within an emoji of many parts."""


def bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@given(texts, texts, widths)
def test_no_text_or_name_begins_a_line_of_a_block(
    text: str, name: str, width: int | None
) -> None:
    shown = letters.block(came(bytes_of(text), author_name=name, place=name), width)
    heads = [line for line in shown if not line.startswith(frame.CONTINUATION.strip())]

    assert shown[0].startswith("#k3f9q2xm")
    assert width is not None or heads == shown[:1]
    for line in shown:
        assert frame.inert(line) == frame.neutral(line) == line
        assert width is None or table.cells(line) <= width


@given(texts, texts, st.integers(20, 132))
@example("", "👨\u200d👩\u200d👧\u200d👦🏳️\u200d🌈0한\uff1c", 20)
def test_a_block_fits_a_narrow_terminal_and_cannot_move_its_cursor(
    text: str, name: str, width: int
) -> None:
    for line in letters.block(came(bytes_of(text), author_name=name, place=name), width):
        assert table.cells(line) <= width
        assert not [c for c in line if ord(c) < 32 or c in "\x7f\x85\u202e\u2066\u200b"]


@given(texts)
def test_a_block_in_a_pipe_leaves_no_word_out(text: str) -> None:
    lines = letters.text_lines(message(bytes_of(text)))
    expected = frame.lines_of(message(bytes_of(text)).text)

    assert len(lines) == len(expected)
    for line, whole in zip(lines, expected, strict=True):
        assert line == f"| {frame.neutral(frame.inert(whole))}".rstrip()


@given(texts, st.integers(10, 100))
def test_lines_broken_for_a_terminal_hold_the_same_text(text: str, width: int) -> None:
    body = message(bytes_of(text))
    broken = "".join(line[2:] for line in letters.text_lines(body, width))
    whole = "".join(line[2:] for line in letters.text_lines(body))

    assert broken.replace(" ", "") == whole.replace(" ", "")


def test_what_was_taken_back_before_it_was_shown_is_not_shown_later() -> None:
    found = came(b"secret", "retracted")

    assert not [line for line in letters.block(found) if "secret" in line]
    assert "secret" not in letters.row(found)
    assert letters.plain(found)["body"] is None


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("14:30", NOW - 1800),
        ("14:30:30", NOW - 1770),
        ("2h", NOW - 7200),
        ("90s", NOW - 90),
        ("2026-03-01", NOW - 15 * 3600),
        ("2026-02-28T15:00", NOW - 86_400),
        ("1700000000", WALL),
        ("1970-01-01T00:00Z", 0.0),
    ],
)
def test_a_time_may_be_written_in_several_ways(text: str, at: float) -> None:
    assert inbox.time_of(text, NOW) == at


@given(st.text(max_size=20))
def test_what_is_no_time_is_none(text: str) -> None:
    found = inbox.time_of(text, NOW)

    assert found is None or isinstance(found, float)


@pytest.mark.parametrize("text", ["", "yesterday", "25:00", "2026-13-01", "h", "-5m"])
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert inbox.time_of(text, NOW) is None


@given(st.sampled_from(list(fates.MEANINGS)), st.booleans())
def test_what_was_not_shown_is_never_at_rest(state: str, provable: bool) -> None:  # noqa: FBT001 - hypothesis
    rests = fates.at_rest(fate(state), provable=provable)

    assert not (rests and state in UNREAD)
    assert rests or state in (*UNREAD, "queued") or (state == "offered" and provable)


def test_steps_are_told_in_the_order_in_which_they_happened() -> None:
    found = fate(
        "seen",
        conduit="stop",
        latency_ms=12.3,
        offered_at=WALL + 1,
        fetched_at=WALL + 9,
        seen_at=WALL + 3,
        evidence="row 6a3f",
        repeats=1,
    )

    assert fates.steps(found, message()) == [
        (WALL, "accepted"),
        (WALL + 1, "written by stop, 12 ms after it was accepted"),
        (WALL + 3, "stands in the conversation (row 6a3f)"),
        (WALL + 9, "its text was read in the inbox"),
        (None, "it was or may have been shown twice, the second time marked"),
    ]


@pytest.mark.parametrize(
    ("found", "last"),
    [
        (fate("retracted"), (WALL + 5, fates.MEANINGS["retracted"])),
        (
            fate("undeliverable", reason="its folder is gone"),
            (None, f"{fates.MEANINGS['undeliverable']}: its folder is gone"),
        ),
        (fate("stored", hold="six links"), (None, "held: six links")),
    ],
)
def test_an_end_is_the_last_step(found: object, last: tuple[float | None, str]) -> None:
    assert isinstance(found, type(fate()))
    assert fates.steps(found, message(retracted_at=WALL + 5))[-1] == last


def test_how_several_recipients_fare_is_counted() -> None:
    assert fates.spread([fate("seen", conduit="monitor")]) == "seen by monitor"
    assert fates.spread([fate("stored"), fate("seen"), fate("stored")]) == "2 stored, 1 seen"


def test_a_state_of_a_later_release_is_said_as_it_is() -> None:
    assert fates.said(fate("pondered")) == "pondered"
    assert fates.spread([fate("pondered"), fate("seen")]) == "1 seen, 1 pondered"
    assert not fates.at_rest(fate("pondered"), provable=True)
