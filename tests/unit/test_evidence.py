"""Only a row that stands for delivery proves a message, on the branch that the talk is on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.harness.evidence import Evidence, Trace
from tests.transcripts import Written
from tests.unit.proving import (
    ID,
    LINE,
    LINES,
    NO_PROOFS,
    PROOFS,
    Write,
    enqueue,
    event_turn,
    hook_context,
    notification,
)


def read(written: Written, size: int = 0) -> Evidence:
    """Take a transcript, all at once or some rows at a time."""
    found = Evidence(whole=True)
    rows = written.rows
    for start in range(0, len(rows), size or len(rows) or 1):
        found.read(rows[start : start + (size or len(rows))])
    return found


def trace(written: Written) -> Trace:
    return read(written).traces().messages.get(ID, Trace())


@pytest.mark.parametrize("way", PROOFS, ids=lambda way: way.__name__)
def test_each_way_in_proves_that_it_was_seen_and_then_answered(way: Write) -> None:
    written = Written()
    written.prompt()
    row = way(written, LINES)

    assert (trace(written).row, trace(written).answered_at) == (row, None)

    written.row("system", subtype="stop_hook_summary")
    answer = written.answer(100)
    assert (trace(written).answer, trace(written).row) == (answer, row)


@pytest.mark.parametrize("way", NO_PROOFS, ids=lambda way: way.__name__)
def test_nothing_else_proves_anything(way: Write) -> None:
    written = Written()
    written.prompt()
    way(written, LINES)
    written.answer(100)

    assert trace(written) == Trace()


def test_what_stands_in_the_queue_is_queued_and_no_more() -> None:
    written = Written()
    written.prompt()
    enqueue(written, notification(LINES))
    written.rows.append(b'{"type":"queue-operation","operation":"dequeue"}')
    written.answer(100)

    assert trace(written).queued_at == 1_800_000_000.0
    assert trace(written).seen_at is None


def test_a_prompt_in_the_queue_that_quotes_us_is_not_ours() -> None:
    written = Written()
    enqueue(written, f"look: {notification(LINES)}")

    assert trace(written) == Trace()


def test_an_error_in_the_shape_of_an_answer_answers_nothing() -> None:
    written = Written()
    event_turn(written, LINES)
    written.error()

    assert trace(written).seen_at is not None
    assert trace(written).answered_at is None
    written.answer(100)
    assert trace(written).answered_at is not None


def test_after_a_rewind_what_lies_on_the_branch_that_was_left_is_not_seen() -> None:
    written = Written()
    before = written.prompt()
    written.answer(100)
    event_turn(written, LINES)
    written.answer(200)
    written.prompt("another way", parent=before)

    assert trace(written) == Trace()


def test_what_lies_before_the_point_rewound_to_stays_seen() -> None:
    written = Written()
    written.prompt()
    event_turn(written, LINES)
    written.error()
    at = written.leaf
    written.prompt("one way")
    written.prompt("another way", parent=at)

    assert trace(written).seen_at is not None
    written.answer(100)
    assert trace(written).answered_at is not None


def test_what_was_seen_when_it_was_read_stays_seen() -> None:
    """A rewind takes it from the model's view, not from what has happened."""
    written = Written()
    before = written.prompt()
    event_turn(written, LINES)
    written.answer(100)
    evidence = read(written)
    written.prompt("another way", parent=before)
    evidence.read(written.rows[-1:])

    assert evidence.traces().messages[ID].answered_at is not None


def test_a_compaction_breaks_no_chain() -> None:
    written = Written()
    event_turn(written, LINES)
    written.compact(10)
    written.answer(100)

    assert trace(written).answered_at is not None


def test_an_answer_that_was_written_before_what_it_follows_counts() -> None:
    """2.1.197 may write the first prompt after its answer."""
    written = Written()
    written.prompt()
    hook_context(written, LINES)
    written.answer(100)
    written.rows[1:] = reversed(written.rows[1:])

    assert trace(written).answered_at is not None


def test_several_messages_of_one_write_are_all_proved() -> None:
    written = Written()
    event_turn(written, f"{LINES}\n{LINE.replace(ID, '22222222')}")

    assert set(read(written).traces().messages) == {ID, "22222222"}


def test_a_repeat_is_the_same_message() -> None:
    written = Written()
    event_turn(written, LINES.replace("] message", "] (again) message"))

    assert trace(written).seen_at is not None


@pytest.mark.parametrize(
    "note",
    [
        '[plugin monitor "attend" suppressed 6 events — output rate exceeded]',
        "[2 events suppressed — output rate too high. Consider using TaskStop]",
        "[Monitor stopped — too much output (5 events suppressed over 30s). Restart]",
    ],
)
@pytest.mark.parametrize("ours", [True, False])
def test_a_note_of_what_was_dropped_counts_if_it_is_of_our_monitor(
    note: str, *, ours: bool
) -> None:
    written = Written()
    event_turn(written, "[attend sensor=git priority=low] something")
    enqueue(written, notification(note, "b1" if ours else "b2"))

    assert (read(written).traces().suppressed_at > 0) is ours


def test_half_a_surrogate_pair_does_not_hide_a_message() -> None:
    written = Written()
    event_turn(written, LINES)
    written.rows[-1] = written.rows[-1].replace(b"hello", b"\\ud83d hello")

    assert trace(written).seen_at is not None


def test_what_was_missed_is_told_by_the_time_from_which_on_nothing_is() -> None:
    written = Written()
    event_turn(written, LINES)
    written.answer(100)
    evidence = Evidence()
    evidence.read([*written.rows, b""])
    assert evidence.traces().since == float("inf")

    evidence.read([b"not json", *written.rows[1:]])
    assert evidence.traces().since == 1_800_000_001.0
    assert Evidence(whole=True).traces().since == float("-inf")


@given(
    st.lists(
        st.one_of(
            st.sampled_from(PROOFS + NO_PROOFS).map(lambda way: (way, None)),
            st.sampled_from(["answer", "error", "prompt", "compact", "noise"]).map(
                lambda what: (None, what)
            ),
        ),
        max_size=25,
    ),
    st.integers(1, 9),
)
def test_however_it_is_cut_into_looks_the_same_is_proved(
    story: list[tuple[Write | None, str | None]], size: int
) -> None:
    written = Written()
    written.prompt()
    for number, (way, what) in enumerate(story):
        if way is not None:
            way(
                written, LINES.replace(ID, f"{number:08d}".translate(str.maketrans("01", "zy")))
            )
        elif what in ("answer", "compact"):
            getattr(written, what)(100)
        elif what is not None:
            getattr(written, what)()

    def proved(evidence: Evidence) -> list[tuple[str, str, str]]:
        return sorted(
            (key, each.row, each.answer) for key, each in evidence.traces().messages.items()
        )

    assert proved(read(written, size)) == proved(read(written))
