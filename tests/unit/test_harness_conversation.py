"""What rows add up to: tokens, epochs, prompts. The pure part of following a transcript."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attendd.harness.conversation import Conversation
from tests.transcripts import Written

MILLION = 1_000_000
Change = Callable[[Written], object]


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


STEPS: dict[str, Change] = {
    "prompt": lambda w: w.prompt(),
    "answer": lambda w: w.answer(1000 * len(w.rows)),
    "call": lambda w: w.answer(1000, calls=[(f"call-{len(w.rows)}", "Bash")]),
    "result": lambda w: w.result(f"call-{len(w.rows) - 1}"),
    "error": lambda w: w.error(),
    "compact": lambda w: w.compact(500),
    "rewind": lambda w: w.prompt(parent=f"row-{len(w.rows) // 2}"),
    "side": lambda w: w.answer(99, isSidechain=True),
    "noise": lambda w: w.noise(),
    "torn": lambda w: w.rows.append(b'{"type":"assistant","uu'),
    "end": lambda w: w.end(),
}


@settings(deadline=None)
@given(
    steps=st.lists(st.sampled_from(sorted(STEPS)), max_size=40),
    cuts=st.lists(st.integers(0, 60), max_size=6),
)
def test_however_rows_come_in_they_add_up_to_the_same(
    steps: list[str], cuts: list[int]
) -> None:
    written = Written()
    for step in steps:
        STEPS[step](written)
    bit_by_bit = Conversation()
    edges = [0, *sorted(cuts), len(written.rows)]
    for number, end in enumerate(edges[1:]):
        bit_by_bit.read(written.rows[edges[number] : end])

    assert summary(bit_by_bit) == summary(read(written))


def summary(conversation: Conversation) -> object:
    latest = conversation.branches.latest
    return (figure(conversation), latest.cut, latest.turns, conversation.calls.running())


def test_rows_of_one_answer_count_once() -> None:
    written = talked(1000)
    for _ in range(3):
        written.answer(5000, id="one")

    assert figure(read(written)) == (5000, "usage")


@pytest.mark.parametrize(
    "more",
    [
        lambda w: w.error(),
        lambda w: w.answer(90_000, isSidechain=True),
        lambda w: w.answer(0),
        lambda w: w.row("progress", data={"type": "hook_progress"}),
        lambda w: w.rows.append(b'{"type":"assistant","message":{"usage":{"input_tokens":9'),
        lambda w: w.rows.append(b"\x00\x00\x00"),
    ],
    ids=["error", "side chain", "copy", "unknown kind", "torn", "zeros"],
)
def test_what_is_no_answer_changes_nothing(more: Change) -> None:
    written = talked(1000, 2000)
    before = read(written)
    more(written)
    after = read(written)

    assert summary(after) == summary(before)
    assert after.faults == {}


def test_after_a_compaction_counts_what_it_left_and_then_the_next_answer() -> None:
    written = talked(50_000)
    written.compact(3000)
    compacted = read(written)
    written.prompt()
    written.answer(4000)
    answered = read(written)

    assert (figure(compacted), figure(answered)) == ((3000, "compaction"), (4000, "usage"))
    assert compacted.branches.latest.cut == answered.branches.latest.cut != ""


def test_a_compaction_that_does_not_say_what_it_left_leaves_no_figure() -> None:
    written = talked(50_000)
    written.compact(None)

    assert figure(read(written)) is None


@given(back=st.integers(1, 5))
def test_a_rewind_to_any_prompt_begins_an_epoch(back: int) -> None:
    written = talked(*(1000 * n for n in range(1, 7)))
    prompts = [n for n, row in enumerate(written.rows) if b'"typed"' in row]
    parent = json.loads(written.rows[prompts[-back]])["parentUuid"]
    rewound = written.prompt("again", parent=parent)
    written.answer(1500)
    conversation = read(written)

    assert conversation.branches.latest.cut == rewound
    assert figure(conversation) == (1500, "usage")
    assert not conversation.branches.interleaved


def test_results_of_parallel_calls_are_no_rewind() -> None:
    """Each follows the row of its own call, so the last one may follow an earlier row."""
    written = talked(1000)
    written.prompt()
    first = written.answer(2000, id="m", calls=[("a", "Bash")])
    second = written.answer(2000, id="m", calls=[("b", "Read")])
    written.result("b", parent=second)
    written.result("a", parent=first)
    written.answer(3000)

    assert read(written).branches.latest.cut == ""


def test_a_row_of_an_unknown_kind_keeps_the_chain_together() -> None:
    written = talked(1000)
    written.row("novelty")
    written.prompt()
    written.answer(2000)

    assert read(written).branches.latest.cut == ""


@pytest.mark.parametrize("broken", [b"", b'{"type":"user","uuid":"row-'])
def test_a_row_that_was_lost_is_no_rewind(broken: bytes) -> None:
    written = talked(1000)
    written.prompt()
    written.rows[-1] = broken
    written.answer(2000)
    conversation = read(written)

    assert (conversation.branches.latest.cut, figure(conversation)) == ("", (2000, "usage"))


def test_a_tail_that_begins_anywhere_is_no_rewind() -> None:
    written = talked(1000, 2000, 3000)
    whole = read(written)

    for start in range(len(written.rows) - 4):
        conversation = Conversation()
        conversation.read(written.rows[start:])

        assert conversation.branches.latest.cut == ""
        assert figure(conversation) == figure(whole)


@pytest.mark.parametrize(
    ("model", "fall", "begins"),
    [
        ("claude-opus-5-5", 99_000, False),
        ("claude-opus-5-5", 100_000, True),
        ("claude-haiku-4-5", 19_000, False),
        ("claude-haiku-4-5", 20_000, True),
        ("nobody-knows", 19_000, False),
        ("nobody-knows", 20_000, True),
    ],
)
def test_a_fall_by_a_tenth_of_the_window_begins_an_epoch(
    model: str, fall: int, *, begins: bool
) -> None:
    """A model's own thinking is dropped from turn to turn, so a small fall says nothing."""
    written = Written()
    for tokens in (150_000, 150_000 - fall):
        written.prompt()
        written.answer(tokens, model=model)

    assert (read(written).branches.latest.cut != "") is begins


@pytest.mark.parametrize(
    ("fields", "counts"),
    [
        ({}, True),
        ({"origin": {"kind": "human"}, "promptSource": None}, True),
        ({"origin": None, "promptSource": "queued"}, True),
        ({"origin": None, "promptSource": "sdk"}, True),
        ({"origin": {"kind": "task-notification"}, "promptSource": "system"}, False),
        ({"origin": {"kind": "novelty"}, "promptSource": "typed"}, False),
        ({"origin": None, "promptSource": None}, True),
        ({"origin": None, "promptSource": None, "isMeta": True}, False),
        ({"origin": None, "promptSource": None, "text": "<command-name>/x"}, False),
        ({"origin": None, "promptSource": None, "text": "<bash-stdout>x"}, False),
    ],
)
def test_a_prompt_counts_if_a_person_is_behind_it(
    fields: dict[str, object], *, counts: bool
) -> None:
    """Clients before 2.1.197 don't say who is: a plain text that is not their own counts."""
    written = Written()
    written.prompt(**fields)  # type: ignore[arg-type]

    assert read(written).branches.latest.turns == counts


def test_prompts_from_before_the_tail_count_where_the_client_counts_them() -> None:
    written = Written()
    written.prompt(turnPosition={"promptIndex": 41, "turnIndex": 90})
    written.answer(1000)
    written.prompt(turnPosition={"promptIndex": 42, "turnIndex": 91})

    assert read(written).branches.latest.turns == 42


def test_a_figure_is_found_further_back() -> None:
    written = talked(1000, 2000)
    answers = len(written.rows)
    for _ in range(5):
        written.row("attachment", attachment={"type": "prompt_snapshot"})
    conversation = Conversation()
    conversation.read(written.rows[answers:])
    found = conversation.look_back(written.rows[:answers])

    assert (found, figure(conversation)) == (True, (2000, "usage"))
