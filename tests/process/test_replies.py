"""A reply answers the last message that its session was really shown, or nothing is sent."""

import itertools
import shlex
from typing import NamedTuple

import pytest

from tests.process.box import LAUNCHER, Box, Client, eventually
from tests.process.hooking import Hooks, change, rows, send
from tests.process.test_proof import client, context, enqueue, event, notification, shown

__all__ = ["client"]

TO = """SELECT session FROM delivery JOIN message ON message.id = delivery.message
    WHERE body = 'the answer'"""
_NUMBERS = itertools.count()


class Said(NamedTuple):
    """What a command that a session ran has said, and what it ended with."""

    text: str
    code: int


def run(box: Box, client: Client, *words: str) -> Said:
    """Have the client run attend, as a model's call does."""
    out, done = (box.home / f"said-{next(_NUMBERS)}.{end}" for end in ("out", "done"))
    called = shlex.join([str(LAUNCHER), *words])
    client.do(
        f"CLAUDECODE=1 CLAUDE_PID={client.pid} {called} >{out} 2>&1 </dev/null;"
        f" echo $? >{done}.new; mv {done}.new {done}"
    )
    eventually(done.exists)
    return Said(out.read_text(), int(done.read_text()))


def reply(box: Box, client: Client) -> Said:
    return run(box, client, "reply", "the answer")


@pytest.fixture
def first(box: Box, client: Client) -> str:
    """A message of ann's that the session has before it; a model is about to answer it."""
    message = send(box, client.session, "question of ann's", name="ann")
    event(client, shown(client, "ann's"))
    state = "SELECT state FROM delivery WHERE message = ?"
    eventually(lambda: rows(box, state, message) == [("seen",)])
    return message


@pytest.fixture
def second(box: Box, client: Client, first: str) -> str:
    """A message of zed's that was written for the session a moment later."""
    return send(box, client.session, "question of zed's", name="zed")


def test_what_its_client_still_holds_is_not_answered(
    box: Box, client: Client, first: str, second: str
) -> None:
    enqueue(client, shown(client, "zed's"))
    client.tool_call(command="attend reply -")

    said = reply(box, client)

    assert (said.code, rows(box, TO)) == (0, [("as:ann",)])
    answered = "SELECT re FROM message WHERE body = 'the answer'"
    assert rows(box, answered) == [(first,)]


def test_what_has_just_come_in_is_answered_though_no_host_has_seen_that(
    box: Box, client: Client, first: str, second: str
) -> None:
    """The usual case: a message wakes an idle session, which replies at once."""
    box.running[0].kill()
    event(client, shown(client, "zed's"))
    client.tool_call(command="attend reply -")

    assert (reply(box, client).code, rows(box, TO)) == (0, [("as:zed",)])


def test_what_came_in_between_two_calls_is_answered(
    box: Box, client: Client, first: str, second: str
) -> None:
    line = shown(client, "zed's")
    call = client.tool_call(command="make")
    enqueue(client, line)
    client.tool_result(call)
    client.row(
        "attachment",
        attachment={
            "type": "queued_command",
            "commandMode": "task-notification",
            "prompt": notification(line),
        },
    )
    client.tool_call(command="attend reply -")

    assert (reply(box, client).code, rows(box, TO)) == (0, [("as:zed",)])


def test_where_it_cannot_be_told_nothing_is_sent_and_both_are_named(
    box: Box, client: Client, first: str, second: str
) -> None:
    shown(client, "zed's")

    said = reply(box, client)

    assert said.code == 1
    assert f"attend: #{second} from zed may not have come before you yet" in said.text
    assert f"`attend reply --re {second} -` answers zed" in said.text
    assert f"`attend reply --re {first} -` answers ann" in said.text
    assert rows(box, TO) == []
    assert run(box, client, "reply", "--re", second, "the answer").code == 0
    assert rows(box, TO) == [("as:zed",)]


def test_between_two_of_one_author_there_is_nothing_to_be_told(
    box: Box, client: Client, first: str
) -> None:
    send(box, client.session, "another of ann's", name="ann")
    shown(client, "another")

    assert (reply(box, client).code, rows(box, TO)) == (0, [("as:ann",)])


def test_what_is_just_being_written_is_not_answered(
    box: Box, client: Client, first: str, second: str
) -> None:
    shown(client, "zed's")
    change(
        box,
        "UPDATE delivery SET state = 'claimed', offered_at = NULL WHERE message = ?",
        second,
    )
    client.tool_call(command="attend reply -")

    assert (reply(box, client).code, rows(box, TO)) == (0, [("as:ann",)])


def test_what_a_hook_said_is_answered_without_a_host(box: Box) -> None:
    client = box.client(box.home)
    hooks = Hooks(box, client=client)
    hooks.start()
    for name in ("ann", "zed"):
        send(box, client.session, f"question of {name}'s", name=name)
        text = hooks.prompt(name)
        client.prompt(name)
        context(client, text)
    client.tool_call(command="attend reply -")

    assert (reply(box, client).code, rows(box, TO)) == (0, [("as:zed",)])


def test_what_was_read_in_the_inbox_is_answered(
    box: Box, client: Client, first: str, second: str
) -> None:
    event(client, shown(client, "zed's"))
    client.tool_call(command="attend inbox")
    run(box, client, "inbox", first)

    assert (reply(box, client).code, rows(box, TO)) == (0, [("as:ann",)])


def test_of_a_page_of_the_inbox_the_last_is_answered(box: Box) -> None:
    client = box.client(box.home)
    Hooks(box, client=client).start()
    for name in ("ann", "zed"):
        send(box, client.session, f"question of {name}'s", name=name)
    assert "no message was shown to this session yet" in reply(box, client).text

    run(box, client, "inbox", "--json")

    assert (reply(box, client).code, rows(box, TO)) == (0, [("as:zed",)])
