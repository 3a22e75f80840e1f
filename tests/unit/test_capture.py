"""Facts are taken from what a model says, from nothing else, and a nonce seen elsewhere is told."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attendd.harness import speech
from attendd.hot import memory_lesson
from attendd.memory.capture import MOST, Found, Signs, Taken, quoted, returned, take

N = "k7q2zd"
OPEN, CLOSE = f"<attend:percept:{N}>", f"</attend:percept:{N}>"
TAG = f"{OPEN}deploy on friday{CLOSE}"
SIGNS = Signs(nonce=N, consumers=("reviewer",))
FILE = Path(__file__).parents[1] / "cases/percepts.json"
CASES = [
    each
    for each in json.loads(FILE.read_text("utf-8"))["vectors"]
    if "chunks" in each and "namespace" not in each and "&lt;" not in str(each["chunks"])
]


def row(kind: str, content: Any, **more: Any) -> bytes:
    message = {"role": kind, "content": content, "model": "m", "id": "msg"}
    whole = {"parentUuid": None, "type": kind, "uuid": "r1", "message": message, **more}
    return json.dumps(whole).encode()


def answer(*blocks: Any, **more: Any) -> bytes:
    texts = [
        {"type": "text", "text": each} if isinstance(each, str) else each for each in blocks
    ]
    return row("assistant", texts, **more)


def attached(kind: str, **more: Any) -> bytes:
    whole = {"type": "attachment", "uuid": "r1", "attachment": {"type": kind, **more}}
    return json.dumps(whole).encode()


def taken(line: bytes, signs: Signs = SIGNS) -> Taken:
    found = speech.parse(line)
    return take(found, signs) if found else Taken(found=[])


def texts(line: bytes) -> list[str]:
    return [each.text for each in taken(line).found]


def test_every_text_block_of_an_answer_counts() -> None:
    found = taken(answer(f"a {TAG}", f"{OPEN}@reviewer: tabs{CLOSE} b"))

    assert found.found == [
        Found(source="r1#1", text="deploy on friday"),
        Found(source="r1#2", text="tabs", consumer="reviewer"),
    ]
    assert found.seen == ""


def test_a_goal_is_for_the_session_that_says_it() -> None:
    found = taken(answer(f"{OPEN}@goal: the login works{CLOSE}")).found

    assert [(each.text, each.consumer) for each in found] == [("the login works", "@goal")]


def test_a_subagents_words_bear_its_kind() -> None:
    main = speech.parse(answer(TAG))
    side = speech.parse(answer(TAG, isSidechain=True, agentId="a1", attributionAgent="Explore"))
    old = speech.parse(answer(TAG, isSidechain=True, agentId="a1"))

    assert [each.agent for each in (main, side, old) if each] == ["", "Explore", "a1"]


def test_what_a_client_escaped_counts_too() -> None:
    assert texts(answer(TAG.replace("<", "&lt;").replace(">", "&gt;"))) == ["deploy on friday"]


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        (answer({"type": "thinking", "thinking": TAG}), ""),
        (answer({"type": "tool_use", "input": {"command": TAG}}), speech.INPUT),
        (row("user", TAG), speech.PROMPT),
        (row("user", TAG, isCompactSummary=True), speech.SUMMARY),
        (row("user", [{"type": "tool_result", "content": TAG}]), speech.RESULT),
        (row("user", [{"type": "tool_result", "content": [{"text": TAG}]}]), speech.RESULT),
        (row("user", [{"type": "text", "text": TAG}]), speech.PROMPT),
        (answer(f"`{TAG}`"), "an answer"),
        (answer(f"```\n{TAG}\n```"), "an answer"),
        (answer(f"the nonce is {N}"), "an answer"),
        (attached("queued_command", prompt=TAG), speech.CONTEXT),
        (attached("hook_additional_context", content=[TAG]), speech.CONTEXT),
        (attached("hook_success", content=TAG), ""),
        (
            row("assistant", [{"type": "text", "text": TAG}]).replace(b'"m"', b'"<synthetic>"'),
            "",
        ),
        (row("system", TAG), ""),
        (b'{"type": "api-request-blob", "message": "' + N.encode(), ""),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_nothing_else_is_taken_and_a_nonce_in_it_is_seen(line: bytes, seen: str) -> None:
    found = taken(line)

    assert (found.found, found.seen) == ([], seen)


def test_the_lesson_that_attend_delivered_is_no_sighting() -> None:
    lesson = memory_lesson.lesson(N, "attend", ("reviewer",))

    assert lesson
    assert (
        taken(attached("hook_additional_context", content=[f"hello\n{lesson}more"])).seen == ""
    )
    assert (
        taken(attached("hook_additional_context", content=[lesson + TAG])).seen
        == speech.CONTEXT
    )
    old = lesson.replace("A fact is one sentence", "In another release it was two")
    assert taken(attached("hook_additional_context", content=[old])).seen == ""
    assert taken(row("user", lesson)).seen == speech.PROMPT
    assert (
        taken(row("user", [{"type": "tool_result", "content": lesson}])).seen == speech.RESULT
    )


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
@example(
    b'{"type":"user","uuid":"u","message":{"content":[{"type":"tool_result","content":'
    + b"[" * 9_000
)
@example(
    b'{"type":"user","uuid":"u","timestamp":"0001-01-01T00:00:00Z","message":{"content":"a"}}'
)
def test_no_line_is_too_odd_to_be_looked_at(line: bytes) -> None:
    whole = b'{"type":"assistant","uuid":"u","message":' + line + b"}"
    for each in (line, whole, whole.replace(b"assistant", b"user"), b'{"attachment":' + whole):
        found = speech.parse(each)
        assert found is None or take(found, SIGNS).found is not None


def test_what_is_refused_says_why() -> None:
    reasons = [
        each.reason
        for each in taken(
            answer(f"{OPEN}{'x' * 3000}{CLOSE}", f"a {OPEN}é", f"{OPEN}say {N}{CLOSE}")
        ).found
    ]

    assert reasons == [
        "it is longer than 2,048 bytes",
        f"its tag was never closed, so {len(OPEN) + 2} bytes of an answer are not shown",
        "it holds the mark of this session's tags",
    ]


def test_a_tag_that_is_never_closed_ends_with_its_message() -> None:
    assert texts(answer(f"a {OPEN}x", f"Hello {TAG}")) == ["", "deploy on friday"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_a_transcript_has_the_facts_that_the_screen_leaves_out(case: dict[str, Any]) -> None:
    signs = Signs(nonce=case["nonce"], namespace="milk", consumers=tuple(case["agents"]))
    found = take(speech.Speech(row="r1", said=("".join(case["chunks"]),)), signs).found

    assert [[each.text, each.consumer] for each in found if not each.reason] == case[
        "expected_percepts"
    ]


def test_a_flood_is_counted() -> None:
    found = taken(answer(TAG * 1_000)).found

    assert len(found) == MOST + 1
    assert (found[-1].reason, found[-1].times) == ("more than 100 stood in one answer", 900)


def test_a_tag_that_was_cut_by_a_tool_call_holds_nothing() -> None:
    assert texts(answer(f"a {OPEN}deploy")) == [""]
    assert texts(answer(f"on friday{CLOSE} b")) == []


@pytest.mark.parametrize(
    ("text", "result", "known"),
    [
        ("Deploy on  Friday", "# Notes\nwe deploy on\nfriday only", True),
        ("deploy on friday", '[{"text": "deploy\\non friday"}]', True),
        ("deploy on monday", "deploy on friday", False),
        ("two words", "two words", False),
    ],
)
def test_a_fact_that_a_tool_returned_is_known_as_such(
    text: str, result: str, *, known: bool
) -> None:
    line = row("user", [{"type": "tool_result", "content": result}])
    found = speech.parse(line)

    assert found
    assert quoted(text, returned([found])) is known


def test_rows_of_real_clients_are_read() -> None:
    folder = Path(__file__).parents[1] / "contract/fixtures/claude-code"
    rows = [
        speech.parse(line)
        for path in folder.rglob("*.jsonl")
        for line in path.read_bytes().splitlines()
    ]
    said = [each for each in rows if each and each.said]

    assert len(said) > 100
    assert {each.agent for each in said} >= {"", "general-purpose"}
