"""What changes while a session's own tool call runs is no news to it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients import Client, ClientFolder
from tests.transcripts import START, Written

BUSY_AT = START + 10.0


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[ClientFolder]:
    folder = ClientFolder(tmp_path / "claude")
    yield folder
    folder.close()


def calling(folder: ClientFolder, tool: str = "Bash") -> tuple[Client, Written]:
    """Begin a turn that called a tool at `BUSY_AT` + 1."""
    client = folder.client()
    folder.time = BUSY_AT
    folder.turn(client)
    written = Written(BUSY_AT)
    written.prompt()
    written.answer(1000, calls=[("call", tool)])
    folder.say(written)
    return client, written


@pytest.mark.parametrize(
    "tool", ["Bash", "Edit", "Write", "Agent", "mcp__db__query", "Novelty"]
)
def test_a_call_that_may_change_things_is_own_doing(folder: ClientFolder, tool: str) -> None:
    client, _ = calling(folder, tool)
    folder.time += 5.0

    assert folder.view(client).own_doing(folder.time - 0.5, folder.time) is True


@pytest.mark.parametrize("tool", ["Read", "Grep", "WebSearch", "TodoWrite", "AskUserQuestion"])
def test_a_call_that_only_looks_is_not(folder: ClientFolder, tool: str) -> None:
    client, _ = calling(folder, tool)
    folder.time += 5.0

    assert folder.view(client).own_doing(folder.time - 1.0, folder.time - 0.6) is False


def test_it_is_not_told_before_the_client_must_have_written(folder: ClientFolder) -> None:
    """Rows reach the disk some 0.3 s late; after half a second they must be there."""
    client, written = calling(folder)
    written.result("call")
    folder.say(written)
    view = folder.view(client)
    until = BUSY_AT + 20.0
    folder.time = until + 0.2
    early = view.own_doing(until - 1.0, until)
    folder.time = until + 0.5
    late = view.own_doing(until - 1.0, until)

    assert (early, late) == (None, False)


def test_a_newer_row_tells_at_once(folder: ClientFolder) -> None:
    client, written = calling(folder)
    written.result("call")
    written.at = BUSY_AT + 20.1
    written.answer(2000)
    folder.say(written)
    view = folder.view(client)
    folder.time = BUSY_AT + 20.2

    assert view.own_doing(BUSY_AT + 19.0, BUSY_AT + 20.0) is False


def test_a_call_counts_from_its_start_to_its_result(folder: ClientFolder) -> None:
    client, written = calling(folder)
    written.at = BUSY_AT + 5.0
    written.result("call")
    folder.say(written)
    view = folder.view(client)
    folder.time += 60.0
    asked = [(0.0, 0.5), (0.0, 1.0), (2.0, 3.0), (5.0, 9.0), (5.5, 9.0)]
    told = [view.own_doing(BUSY_AT + since, BUSY_AT + until) for since, until in asked]

    assert told == [False, True, True, True, False]


def test_an_idle_session_has_done_nothing_since(folder: ClientFolder) -> None:
    """Nor is it waited for anything, although a call without a result stands in the file."""
    client, _ = calling(folder)
    folder.time += 10.0
    folder.turn(client, "idle")
    view = folder.view(client)

    assert view.own_doing(folder.time + 0.1, folder.time + 0.2) is False
    assert view.own_doing(folder.time - 0.1, folder.time + 0.2) is True


def test_a_call_that_waits_for_permission_does_not_run(folder: ClientFolder) -> None:
    client, _ = calling(folder)
    folder.time += 2.0
    folder.write(
        client,
        status="waiting",
        waitingFor="permission prompt",
        statusUpdatedAt=folder.time * 1000,
    )
    view = folder.view(client)
    folder.time += 30.0

    assert view.own_doing(folder.time - 10.0, folder.time - 1.0) is False


def test_a_dialog_does_not_stop_a_call(folder: ClientFolder) -> None:
    client, _ = calling(folder)
    folder.time += 2.0
    folder.turn(client, "waiting")
    folder.write(client, waitingFor="dialog open")
    folder.time += 30.0

    assert folder.view(client).own_doing(folder.time - 10.0, folder.time - 1.0) is True


@pytest.mark.parametrize(("age", "counts"), [(30.0, True), (700.0, False)])
def test_a_subagents_call_counts_but_not_for_ever(
    folder: ClientFolder, age: float, *, counts: bool
) -> None:
    """One that was stopped leaves its last call without a result."""
    client, written = calling(folder)
    written.result("call")
    folder.say(written)
    agent = Written(BUSY_AT)
    agent.answer(10, calls=[("inner", "Bash")], isSidechain=True)
    folder.put(folder.transcript().with_suffix("") / "subagents" / "agent-a.jsonl", agent.data)
    folder.time += age

    assert folder.view(client).own_doing(folder.time - 2.0, folder.time - 1.0) is counts


def test_a_command_of_the_persons_own_counts_too(folder: ClientFolder) -> None:
    """The conversation has it and what it printed: it is no news there."""
    client = folder.client()
    folder.time = BUSY_AT
    folder.turn(client)
    written = Written(BUSY_AT)
    none = {"origin": None, "promptSource": None}
    written.prompt("<bash-input>git commit</bash-input>", **none)
    written.at += 5.0
    written.prompt("<bash-stdout></bash-stdout>", **none)
    folder.say(written)
    folder.time += 30.0

    assert folder.view(client).own_doing(BUSY_AT + 2.0, BUSY_AT + 3.0) is True
