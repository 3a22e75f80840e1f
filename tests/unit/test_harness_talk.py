"""Whether a person or work came in between is read from the transcript, talk left out."""

import json
import math
from typing import Any

import msgspec
import pytest

from attendd.harness.branches import Branch
from attendd.harness.conversation import Conversation
from attendd.harness.rows import Block
from attendd.harness.work import is_work
from tests.transcripts import START, Written


def own(written: Written) -> Branch:
    seen = Conversation()
    seen.read(written.rows)
    return seen.branches.latest


def call(written: Written, tool: str, **given: Any) -> None:
    block = {"type": "tool_use", "id": f"t{len(written.rows)}", "name": tool, "input": given}
    usage = {"input_tokens": 1, "output_tokens": 1}
    answer = {"id": f"m{len(written.rows)}", "model": "claude-opus-5-5", "usage": usage}
    written.row("assistant", message={**answer, "role": "assistant", "content": [block]})


def event(written: Written) -> None:
    written.prompt("<task-notification>", origin={"kind": "task-notification"})


@pytest.mark.parametrize(
    ("command", "work"),
    [
        ("attend reply -", False),
        ("  attend send --to bob - <<'EOF'\nmake\nEOF", False),
        ("/usr/bin/attend inbox", False),
        ("cat notes | attend send -", False),
        ("echo yes | attend reply -", False),
        ("make", True),
        ("git commit -m 'attend the meeting'", True),
        ("attendance.py", True),
        ("cat notes", True),
        ("", True),
    ],
)
def test_a_command_line_that_calls_attend_is_talk(command: str, *, work: bool) -> None:
    given = msgspec.Raw(json.dumps({"command": command, "timeout": 5}).encode())

    assert is_work(Block(type="tool_use", name="Bash", input=given)) is work


@pytest.mark.parametrize("tool", ["Read", "Edit", "Task", "mcp__x__y", "something new"])
def test_every_other_tool_is_work(tool: str) -> None:
    assert is_work(Block(type="tool_use", name=tool, input=msgspec.Raw(b"[]")))


@pytest.mark.parametrize("tool", ["Monitor", "ToolSearch", "SendMessage"])
def test_listening_and_looking_for_a_tool_is_none(tool: str) -> None:
    assert not is_work(Block(type="tool_use", name=tool))


def test_turns_without_a_person_are_counted_from_the_last_prompt() -> None:
    written = Written()
    for _ in range(3):
        event(written)
        written.answer(100)
    assert (own(written).alone, own(written).prompted_at) == (3, -math.inf)

    written.prompt()
    event(written)

    assert (own(written).alone, own(written).prompted_at) == (1, START + 6)


def test_a_prompt_typed_while_a_tool_ran_is_a_person() -> None:
    written = Written()
    event(written)
    added = {"type": "queued_command", "origin": {"kind": "human"}, "commandMode": "prompt"}
    written.row("attachment", attachment=added)

    assert own(written).alone == 0


def test_the_last_work_is_remembered_and_a_subagents_is_not_its_own() -> None:
    written = Written()
    call(written, "Edit", file_path="x")
    call(written, "Bash", command="attend reply - <<'EOF'\nyes\nEOF")
    written.row(
        "assistant",
        isSidechain=True,
        message={
            "id": "s",
            "model": "x",
            "usage": {"input_tokens": 1, "output_tokens": 1},
            "content": [{"type": "tool_use", "id": "t", "name": "Edit", "input": {}}],
        },
    )

    assert own(written).worked_at == START
