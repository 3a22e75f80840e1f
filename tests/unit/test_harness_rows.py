"""Rows that are torn, changed or strange: skipped or said, never guessed at, never a crash."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.harness.conversation import Conversation
from tests.transcripts import START, Written


def read(written: Written) -> Conversation:
    conversation = Conversation()
    conversation.read(written.rows)
    return conversation


def figure(conversation: Conversation) -> tuple[int, str] | None:
    found = conversation.branches.latest.figure
    return None if found is None else (found.tokens, found.method)


def talked(*answers: int) -> Written:
    written = Written()
    for tokens in answers:
        written.prompt()
        written.answer(tokens)
        written.end()
        written.noise()
    return written


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("assistant", lambda row: row["message"]["usage"].update(input_tokens="many")),
        ("assistant", lambda row: row["message"].pop("usage")),
        ("assistant", lambda row: row.pop("uuid")),
        ("assistant", lambda row: row.update(timestamp="yesterday")),
        ("user", lambda row: row.update(message="hello")),
        ("user", lambda row: row.update(isMeta="no")),
    ],
)
def test_a_row_that_changed_is_a_fault_until_the_next_good_one(
    kind: str, change: Callable[[dict[str, object]], object]
) -> None:
    written = talked(1000)
    written.prompt()
    written.answer(2000)
    number = -1 if kind == "assistant" else -2
    row = json.loads(written.rows[number])
    change(row)
    written.rows[number] = json.dumps(row).encode()
    changed = read(written)
    written.prompt()
    written.answer(3000)
    mended = read(written)

    assert list(changed.faults) == [kind]
    assert "$" in changed.faults[kind] or "`" in changed.faults[kind]
    assert (mended.faults, figure(mended)) == ({}, (3000, "usage"))


@pytest.mark.parametrize("text", ["half \ud83d", "nul \x00", "bell \x07"])
def test_a_text_no_strict_parser_takes_is_still_a_prompt(text: str) -> None:
    """The client cuts through a surrogate pair, and then writes half of it."""
    written = Written()
    written.prompt(text)
    written.rows[-1] = (
        written.rows[-1].replace(b"\\u0000", b"\x00").replace(b"\\u0007", b"\x07")
    )

    assert read(written).branches.latest.turns == 1


def test_bytes_that_are_no_utf_8_do_no_harm() -> None:
    written = Written()
    written.prompt("abc")
    written.rows[-1] = written.rows[-1].replace(b"abc", b"a\xff\xfec")
    written.answer(1000)
    conversation = read(written)

    assert (conversation.branches.latest.turns, figure(conversation)) == (1, (1000, "usage"))


@given(junk=st.lists(st.binary(max_size=60), max_size=20))
def test_nothing_in_a_line_raises(junk: list[bytes]) -> None:
    conversation = Conversation()
    conversation.read(junk)

    assert figure(conversation) is None


@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda more: st.lists(more, max_size=3) | st.dictionaries(st.text(max_size=5), more),
    ),
    key=st.sampled_from(["message", "uuid", "parentUuid", "timestamp", "origin", "type"]),
    kind=st.sampled_from(["assistant", "user"]),
)
def test_nothing_in_a_field_raises(value: object, key: str, kind: str) -> None:
    written = talked(1000)
    row = json.loads(written.rows[1 if kind == "assistant" else 0])
    row[key] = value
    written.rows.append(json.dumps(row).encode())

    assert read(written).written_at >= START
