"""How a message fared is said on the evidence of the client's own files, and no further."""

import html
import json
import os
import signal
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.process.box import Box, Client, eventually
from tests.process.hooking import Hooks, change, hosting, rows, send

LATER = "UPDATE delivery SET offered_at = offered_at - 61, offered_bt = offered_bt - 61"


def notification(text: str, task: str = "b1") -> str:
    return (
        f"<task-notification>\n<task-id>{task}</task-id>\n"
        f"<event>{html.escape(text, quote=False)}</event>\n</task-notification>"
    )


def enqueue(client: Client, text: str) -> None:
    """The client takes lines of a monitor into its queue."""
    row = {
        "type": "queue-operation",
        "operation": "enqueue",
        "timestamp": datetime.now(UTC).isoformat(),
        "content": notification(text),
    }
    with client.transcript.open("a") as file:
        file.write(json.dumps(row) + "\n")


def event(client: Client, text: str) -> None:
    """Lines of a monitor become a turn."""
    origin = {"kind": "task-notification", "producer": "session-task"}
    client.row(
        "user",
        message={"role": "user", "content": notification(text)},
        origin=origin,
        promptSource="system",
    )


def context(client: Client, text: str, name: str = "UserPromptSubmit") -> None:
    """What a hook said comes into the conversation."""
    attached = {"type": "hook_additional_context", "content": [text], "hookEvent": name}
    client.row("attachment", attachment=attached)


def fate(box: Box, message: str) -> tuple[Any, ...]:
    """Return state, way, repeats and whether there is evidence."""
    sql = """SELECT state, conduit, repeats, evidence <> '' FROM delivery WHERE message = ?"""
    return rows(box, sql, message)[0]


def becomes(box: Box, message: str, state: str) -> None:
    eventually(lambda: fate(box, message)[0] == state)


@pytest.fixture
def client(box: Box) -> Client:
    """A client with a monitor, after its first prompt, and a host that knows it."""
    hosting(box)
    client = box.client(box.home)
    Hooks(box, client=client).start()
    client.monitor()
    eventually(lambda: rows(box, "SELECT conduit FROM attachment") == [("monitor",)])
    client.prompt("begin")
    client.answer()
    client.record("idle")
    return client


def shown(client: Client, text: str) -> str:
    """Return the line in which the monitor shows a text."""
    return client.out.until(text)[-1]


def test_a_message_is_queued_then_seen_then_answered(box: Box, client: Client) -> None:
    client.record("busy")
    message = send(box, client.session, "hello <b> & more")
    line = shown(client, "hello")
    becomes(box, message, "offered")

    enqueue(client, line)
    becomes(box, message, "queued")
    event(client, line)
    becomes(box, message, "seen")
    assert fate(box, message) == ("seen", "monitor", 0, 1)
    client.answer()
    becomes(box, message, "answered")

    times = """SELECT offered_at, queued_at, seen_at, answered_at FROM delivery"""
    assert all(rows(box, times)[0])


def test_what_a_hook_said_is_seen_by_its_row(box: Box, client: Client) -> None:
    hooks = Hooks(box, client=client)
    reader = rows(box, "SELECT reader_pid FROM attachment")[0][0]
    client.do(f"kill {reader}")
    eventually(lambda: not rows(box, "SELECT 1 FROM attachment WHERE ended_at IS NULL"))
    message = send(box, client.session, "hello")

    text = hooks.prompt()
    client.prompt()
    context(client, text)

    becomes(box, message, "seen")
    assert fate(box, message) == ("seen", "prompt", 0, 1)


def test_a_quotation_proves_nothing(box: Box, client: Client) -> None:
    message = send(box, client.session, "hello")
    line = shown(client, "hello")
    client.prompt(f"what is this: {line}")
    client.answer(text=line)
    second = send(box, client.session, "second")
    event(client, shown(client, "second"))

    becomes(box, second, "seen")
    assert fate(box, message)[0] == "offered"


def test_a_client_that_died_has_forgotten_its_queue(box: Box, client: Client) -> None:
    client.record("busy")
    message = send(box, client.session, "hello")
    enqueue(client, shown(client, "hello"))
    becomes(box, message, "queued")

    os.kill(rows(box, "SELECT reader_pid FROM attachment")[0][0], signal.SIGKILL)
    client.kill()
    becomes(box, message, "stored")
    resumed = box.client(box.home, client.session)
    resumed.monitor()

    assert "(again) message from" in shown(resumed, "hello")
    becomes(box, message, "offered")
    assert fate(box, message)[2] == 1
    event(resumed, shown(resumed, other := send(box, client.session, "and so on")))
    becomes(box, other, "seen")
    assert fate(box, message)[0] == "offered", "what the dead client queued is not queued now"


def test_what_the_client_says_it_dropped_is_offered_again(box: Box, client: Client) -> None:
    first = send(box, client.session, "first")
    event(client, shown(client, "first"))
    becomes(box, first, "seen")
    message = send(box, client.session, "hello")
    shown(client, "hello")
    becomes(box, message, "offered")

    event(client, '[plugin monitor "attend" suppressed 2 events — output rate exceeded]')

    assert "(again) message from" in shown(client, "hello")


def test_without_a_sign_for_a_minute_it_goes_another_way(box: Box, client: Client) -> None:
    hooks = Hooks(box, client=client)
    message = send(box, client.session, "hello")
    shown(client, "hello")
    becomes(box, message, "offered")
    assert hooks.prompt() == ""

    change(box, LATER)
    becomes(box, message, "stored")

    assert "(again) message from" in hooks.prompt(), "though a monitor is at work"
    change(box, LATER)
    other = send(box, client.session, "and so on")
    event(client, shown(client, "and so on"))
    becomes(box, other, "seen")
    assert fate(box, message)[:3] == ("offered", "prompt", 1), "it is offered again once"


def test_without_another_way_it_stays_offered(box: Box, client: Client) -> None:
    change(box, "DELETE FROM conduit")
    message = send(box, client.session, "hello")
    shown(client, "hello")
    becomes(box, message, "offered")
    change(box, LATER)
    other = send(box, client.session, "and so on")
    event(client, shown(client, "and so on"))

    becomes(box, other, "seen")
    assert fate(box, message)[:3] == ("offered", "monitor", 0)


def test_a_death_before_the_record_is_no_repeat_where_the_transcript_shows_it(
    box: Box, client: Client
) -> None:
    message = send(box, client.session, "hello")
    line = shown(client, "hello")
    becomes(box, message, "offered")
    change(box, "UPDATE delivery SET state = 'claimed', offered_at = NULL WHERE 1")
    event(client, line)

    becomes(box, message, "seen")


def test_where_nothing_is_written_down_offered_is_the_most(box: Box, client: Client) -> None:
    reading = box.reader(box.home, "--as=alice")
    eventually(lambda: rows(box, "SELECT count(*) FROM attachment") == [(2,)])
    message = send(box, "alice", "hello")
    reading.out.until("hello")
    becomes(box, message, "offered")
    change(box, LATER)
    other = send(box, client.session, "and so on")
    event(client, shown(client, "and so on"))

    becomes(box, other, "seen")
    assert fate(box, message)[:3] == ("offered", "terminal", 0)


def test_what_a_dead_client_had_is_found_by_a_host_that_comes_later(
    box: Box, client: Client
) -> None:
    message = send(box, client.session, "hello")
    enqueue(client, shown(client, "hello"))
    becomes(box, message, "queued")
    box.running[0].kill()
    client.kill()

    box.daemon()

    becomes(box, message, "stored")
