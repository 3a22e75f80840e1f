"""A line that told of many messages is told again if it never came in, and only then."""

import os
import signal
from pathlib import Path

import pytest

from attendd.hot import wishes
from tests.process.box import Box, Client, eventually
from tests.process.hooking import Hooks, bodies, change, rows, send
from tests.process.posting import Office
from tests.process.talking import listen
from tests.process.test_proof import client, enqueue, event
from tests.process.test_turns import hooks
from tests.store import mailing

__all__ = ["client", "hooks"]

COUNT = 12
SINCE = "UPDATE delivery SET lease_bt = lease_bt - 61, announced_at = announced_at - 61"
STATES = """SELECT DISTINCT state, conduit, repeats, evidence <> '' FROM delivery
    WHERE message IS NOT NULL"""
TOLD = [("announced", "monitor", 0, 0)]
PROVED = [("announced", "monitor", 0, 1)]
OTHERS = """CREATE TRIGGER others BEFORE UPDATE OF state ON delivery
    WHEN NEW.state = 'claimed' AND OLD.id > 3
    BEGIN UPDATE delivery SET hold = 'theirs' WHERE id = OLD.id; SELECT RAISE(IGNORE); END"""
"""All but the first three are just being claimed by others."""
AGAIN = f"(again) {COUNT} messages wait (#"


@pytest.fixture
def line(box: Box, client: Client) -> str:
    """A line that told a session of messages which came while its reader was stopped."""
    reader = rows(box, "SELECT reader_pid FROM attachment")[0][0]
    os.kill(reader, signal.SIGSTOP)
    for number in range(COUNT):
        send(box, client.session, f"number {number}")
    os.kill(reader, signal.SIGCONT)
    line = client.out.until(f"{COUNT} messages wait")[-1]
    eventually(lambda: rows(box, STATES) == TOLD)
    return line


def die(box: Box, client: Client) -> None:
    """The client is killed, with all that it started."""
    os.kill(rows(box, "SELECT reader_pid FROM attachment")[0][0], signal.SIGKILL)
    client.kill()


def looked_after(box: Box, client: Client) -> None:
    """Wait until the host has judged what was said before."""
    message = send(box, client.session, "canary")
    event(client, client.out.until("canary")[-1])
    sql = "SELECT state FROM delivery WHERE message = ?"
    eventually(lambda: rows(box, sql, message) == [("seen",)])
    change(box, "DELETE FROM delivery WHERE message = ?", message)


def test_a_client_that_died_has_forgotten_the_line_too(
    box: Box, client: Client, line: str
) -> None:
    enqueue(client, line)
    looked_after(box, client)
    assert rows(box, STATES) == TOLD, "it was queued, and no more"

    die(box, client)
    eventually(lambda: rows(box, "SELECT DISTINCT state FROM delivery") == [("stored",)])
    resumed = box.client(box.home, client.session)
    resumed.monitor()

    again = resumed.out.until("messages wait")[-1]
    assert AGAIN in again
    eventually(lambda: rows(box, STATES) == [("announced", "monitor", 1, 0)])
    event(resumed, again)
    eventually(lambda: rows(box, STATES) == [("announced", "monitor", 1, 1)])


def test_a_line_that_came_in_is_not_told_again(box: Box, client: Client, line: str) -> None:
    event(client, line)
    eventually(lambda: rows(box, STATES) == PROVED)
    change(box, SINCE)
    event(client, '[plugin monitor "attend" suppressed 2 events — output rate exceeded]')
    looked_after(box, client)
    assert Hooks(box, client=client).prompt() == ""
    die(box, client)
    resumed = box.client(box.home, client.session)
    assert "messages wait" not in Hooks(box, client=resumed).start("resume")
    resumed.monitor()

    looked_after(box, resumed)

    assert rows(box, STATES) == PROVED


def test_a_line_that_its_client_says_it_dropped_is_told_again(
    box: Box, client: Client, line: str
) -> None:
    change(box, SINCE.replace("61", "4"))
    event(client, line.replace(line.partition("] ")[2], "of another kind"))

    event(client, '[plugin monitor "attend" suppressed 3 events — output rate exceeded]')

    assert AGAIN in client.out.until("messages wait")[-1]


def test_without_a_sign_for_a_minute_it_goes_another_way_once(
    box: Box, client: Client, line: str
) -> None:
    hooks = Hooks(box, client=client)
    assert hooks.prompt() == ""
    change(box, SINCE)
    change(
        box, "INSERT INTO conduit (session, name, ok_at) VALUES (?, 'stop', 1)", client.session
    )
    eventually(lambda: rows(box, "SELECT DISTINCT state FROM delivery") == [("stored",)])

    assert AGAIN in hooks.prompt(), "though a monitor is at work"

    change(box, SINCE)
    looked_after(box, client)
    assert rows(box, STATES) == [("announced", "prompt", 1, 0)], "it is told again once"


def test_a_start_counts_what_a_line_told_in_vain_until_it_is_fetched(
    box: Box, client: Client, line: str
) -> None:
    hooks = Hooks(box, client=client)
    box.running[0].kill()

    assert f"] {AGAIN}" in hooks.start("compact")
    assert rows(box, STATES) == TOLD

    assert f"] {AGAIN}" in hooks.start("resume")
    change(box, "UPDATE delivery SET state = 'fetched' WHERE id > 3")
    assert "(again) 3 messages wait (#" in hooks.start("clear")
    change(box, "UPDATE delivery SET state = 'fetched'")
    assert "sensor=disclosure" in (last := hooks.start("another"))
    assert "messages wait" not in last


def test_another_conversation_is_told_what_the_one_before_was(
    box: Box, client: Client, line: str
) -> None:
    event(client, line)
    eventually(lambda: rows(box, STATES) == PROVED)

    client.clear()

    assert f"] {AGAIN}" in Hooks(box, client=client).start("clear")


def test_its_sender_is_told_whether_the_line_came_in(
    box: Box, client: Client, line: str
) -> None:
    message = rows(box, "SELECT message FROM delivery")[0][0]
    words = ("sent", "--as", "bob", message)
    before = box.run(*words).stdout

    event(client, line)
    eventually(lambda: rows(box, STATES) == PROVED)

    assert "announced by monitor (no sign of that line yet)" in before
    after = box.run(*words).stdout
    assert "announced by monitor\n" in after
    assert "a line told that it waits, which is proved (" in after


def test_a_hook_shows_what_has_room_where_another_process_took_the_rest(
    box: Box, hooks: Hooks
) -> None:
    for number in range(10):
        send(box, hooks.session, f"{number}")
    change(box, OTHERS)

    assert bodies(hooks.prompt()) == ["0", "1", "2"]


def test_the_line_of_a_start_is_not_said_again_with_the_prompt_that_it_came_with(
    box: Box, hooks: Hooks
) -> None:
    sent = [send(box, hooks.session, f"{number}") for number in range(9)]
    line = f"] 9 messages wait (#{sent[0]} to #{sent[8]}): 9 from bob"
    assert line in hooks.start("resume")

    assert hooks.prompt() == ""

    assert rows(box, STATES) == [("announced", "session-start", 0, 0)]
    for number in range(9):
        send(box, hooks.session, f"another {number}")
    assert "] 9 messages wait (#" in hooks.prompt()


def test_more_than_a_start_has_told_is_said_with_the_prompt(box: Box, hooks: Hooks) -> None:
    for number in range(9):
        send(box, hooks.session, f"{number}")
    assert "] 9 messages wait" in hooks.start("resume")
    send(box, hooks.session, "one more")

    assert "] 10 messages wait" in hooks.prompt()


def test_a_reader_shows_what_has_room_where_another_process_took_the_rest(
    box: Box, office: Office, web: Path
) -> None:
    wishes.keep(office.db, {"gap_s": "0.0"})
    mailing.many(office.db, 10, "as:alice")
    office.alter(OTHERS)

    alice = listen(box, office, web)

    assert [alice.out.line().count("message from Juno") for _ in range(3)] == [1, 1, 1]
