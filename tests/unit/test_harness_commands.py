"""What a transcript says of the shell commands that a session's client ran."""

import json
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from attendd.harness.commands import Commands
from attendd.harness.rows import Block

AT = 1_700_000_000.0


def call(key: str, **given: Any) -> Block:
    return Block(
        type="tool_use", id=key, name="Bash", input=msgspec.Raw(json.dumps(given).encode())
    )


def result(key: str, content: Any, *, error: bool = False) -> Block:
    raw = msgspec.Raw(json.dumps(content).encode())
    return Block(type="tool_result", tool_use_id=key, content=raw, is_error=error)


def test_a_command_ends_with_its_result_and_the_code_in_it() -> None:
    commands = Commands()
    for key in ("good", "bad", "refused"):
        commands.called(call(key, command=f"make {key}"), AT)
    commands.returned(result("good", "fine"), AT + 1)
    commands.returned(result("bad", "Exit code 2\nmake: *** [x] Error", error=True), AT + 2)
    commands.returned(result("refused", "The user doesn't want this", error=True), AT + 3)

    found = commands.lately(AT + 4)
    assert [(each.text, each.code) for each in found] == [
        ("make good", 0),
        ("make bad", 2),
        ("make refused", None),
    ]
    assert commands.lately(AT + 4000) == []


def test_what_runs_in_the_background_ends_when_its_client_says_so() -> None:
    commands = Commands()
    commands.called(call("one", command="make", run_in_background=True), AT)
    text = "Command running in background with ID: b1x. Output is being written to: /t/b1x"
    commands.returned(result("one", text), AT + 1)
    commands.noticed("<task-notification>\n<task-id>b1x</task-id>\n<event>half</event>")
    (before,) = commands.lately(AT + 2)
    commands.noticed(
        "<task-notification>\n<task-id>b1x</task-id>\n<tool-use-id>one</tool-use-id>\n"
        "<output-file>/t/b1x</output-file>\n<status>failed</status>\n"
        '<summary>Background command "With exit code 5" failed with exit code 2</summary>\n'
        "</task-notification>"
    )
    (after,) = commands.lately(AT + 3)

    assert (before.background, before.announced, before.code) == (True, False, None)
    assert (after.announced, after.code) == (True, 2)


def test_what_the_session_stops_itself_needs_no_telling() -> None:
    commands = Commands()
    commands.called(call("one", command="make", run_in_background=True), AT)
    commands.returned(result("one", "Command running in background with ID: b1x."), AT + 1)
    stop = msgspec.Raw(b'{"task_id": "b1x"}')
    commands.called(Block(type="tool_use", id="two", name="TaskStop", input=stop), AT + 2)

    (found,) = commands.lately(AT + 3)
    assert (found.announced, found.code) == (True, None)


def test_other_tools_and_unknown_results_are_passed_over() -> None:
    commands = Commands()
    commands.called(Block(type="tool_use", id="a", name="Edit"), AT)
    commands.returned(result("b", "x"), AT)
    commands.noticed("<task-notification><task-id>no</task-id><status>completed</status>")

    assert commands.lately(AT) == []


def test_few_are_kept_however_many_run() -> None:
    commands = Commands()
    for at in range(1000):
        commands.called(call(f"c{at}", command="make " * 100), AT + at)

    found = commands.lately(AT)
    assert len(found) == 64
    assert max(len(each.text) for each in found) == 300


@given(st.binary(max_size=60), st.text(max_size=200))
def test_whatever_is_written_there_does_no_harm(raw: bytes, said: str) -> None:
    commands = Commands()
    odd = msgspec.Raw(raw)
    commands.called(Block(type="tool_use", id="a", name="Bash", input=odd), AT)
    commands.called(call("b", command="make"), AT)
    commands.returned(Block(type="tool_result", tool_use_id="b", content=odd), AT)
    commands.noticed(said)

    assert len(commands.lately(AT)) >= 1
