"""How a message fared, step by step and as it happens; and taking it back in time."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from attendd.hot import db, ids, moment, post
from tests.process.box import Box
from tests.process.posting import Office, as_bob
from tests.process.reading import DEADLINE_S, Lines

SESSION = "38655051-aaaa-4bbb-8ccc-000000000001"
MIRA = {"ATTEND_AS": "mira"}


@pytest.fixture
def office(box: Box) -> Office:
    office = Office(box)
    for name in ("as:bob", "as:mira", "as:juno", SESSION):
        office.enrol(name)
    return office


def told(box: Box, *words: str) -> list[dict[str, Any]]:
    done = box.run("sent", "--json", *words, env=MIRA)
    assert (done.returncode, done.stderr) == (0, "")
    found: list[dict[str, Any]] = json.loads(done.stdout)["messages"]
    return found


def test_each_recipient_has_a_fate_of_its_own(box: Box, office: Office) -> None:
    message = office.say("text", "--to", "bob", "--to", SESSION)
    office.show(SESSION)
    office.advance(message, "queued")
    office.alter(
        "UPDATE delivery SET state = 'stored', queued_at = NULL WHERE session = 'as:bob'"
    )
    (found,) = told(box, message)
    bob, agent = found["deliveries"]
    said = box.run("sent", message, env=MIRA).stdout

    assert (bob["name"], bob["state"], bob["offered_at"]) == ("bob (w)", "stored", None)
    assert (agent["session"], agent["state"], agent["conduit"]) == (
        SESSION,
        "queued",
        "monitor",
    )
    assert agent["accepted_at"] <= agent["offered_at"] <= agent["queued_at"]
    assert (bob["at_rest"], agent["at_rest"]) == (False, False)
    assert "\nbob (w): stored\n" in said
    assert "written by monitor" in said
    assert "held by its client" in said
    assert "| text\n" in said


def test_the_list_has_the_latest_last_and_only_what_was_said_from_here(
    box: Box, office: Office
) -> None:
    first = office.say("first", "--to", "bob")
    office.say("somebody else's", "--to", "bob", author="as:juno")
    second = office.say("second", "--to", "bob", "--to", "juno", "--to", SESSION)
    office.show("as:juno", limit=1)
    said = box.run("sent", env=MIRA).stdout

    assert [each["id"] for each in told(box)] == [first, second]
    assert [each["id"] for each in told(box, "--limit", "1")] == [second]
    assert "somebody else" not in said
    assert "3 sessions" in said
    assert "2 stored, 1 offered" in said


def test_what_a_script_said_is_listed_for_its_user(box: Box, office: Office) -> None:
    """It has no mailbox, so it is listed with what was said at terminals, and as a script's."""
    done = box.hot("send", "--to", "bob", "from a script", start_new_session=True)
    mine = office.say("by hand", "--to", "bob", author="tty:1:1")
    other = office.say("by a session", "--to", "bob")
    notice = ids.new_id()
    db.write(
        office.db, lambda db: post.add_notice(db, notice, "as:bob", "attend's", moment.now())
    )
    listed = box.run("sent")
    script = box.run("sent", start_new_session=True)
    known = json.loads(box.run("sent", "--json").stdout)["messages"]

    assert done.returncode == 0
    assert listed.stdout == script.stdout
    assert [each["body"] for each in known] == ["from a script", "by hand"]
    assert [each["from"]["kind"] for each in known] == ["script", "human"]
    assert f"#{known[0]['id']}" in listed.stdout
    assert "a script (" in listed.stdout
    assert f"#{mine}" in listed.stdout
    assert other not in listed.stdout
    assert notice not in listed.stdout
    assert "a script" not in box.run("sent", "--session", "mira").stdout
    assert f"took back #{known[0]['id']}" in box.run("retract", known[0]["id"]).stdout


def test_where_nothing_was_sent_it_is_said_by_whom(box: Box, office: Office) -> None:
    message = office.say("text", "--to", "bob")
    for words in ((), ("--watch",)):
        said = box.run("sent", *words).stdout
        assert said.startswith("nothing was sent at a terminal or by a script in the last 30")
        assert "attend sent --session WHO" in said
        said = as_bob(box, "sent", *words).stdout
        assert said == "nothing was sent from here in the last 30 days\n"
    said = box.run("sent", "--session", "bob").stdout
    assert said == "bob (w) has sent nothing in the last 30 days\n"
    assert f"#{message}" in box.run("sent", "--session", "mira").stdout
    assert box.run("sent", "--watch", "--json").stdout == ""


def test_a_session_asks_about_its_own_messages_only(box: Box, office: Office) -> None:
    other = office.say("secret", "--to", "juno")
    came = office.say("for bob", "--to", "bob")
    strange, inbox = as_bob(box, "sent", other), as_bob(box, "sent", came)
    why = as_bob(box, "why", other)
    person = box.run("sent", other)

    assert [done.returncode for done in (strange, inbox, why, person)] == [1, 1, 1, 0]
    assert strange.stderr.startswith(f"attend: no message #{other} was sent from here\n")
    assert f"it came here: `attend inbox {came}` shows it" in inbox.stderr
    assert why.stderr.startswith(f"attend: nothing is known that has the id '{other}'")
    assert "secret" in person.stdout
    assert "secret" not in strange.stderr + why.stderr


def test_why_tells_the_story_of_a_message_to_both_its_ends(box: Box, office: Office) -> None:
    message = office.say("text", "--to", "bob", author="as:mira")
    office.show("as:bob", "stop")
    office.advance(message, "seen", "row 6a3f11")
    sender, recipient = box.run("why", f"#{message}", env=MIRA), as_bob(box, "why", message)
    document = json.loads(as_bob(box, "why", message, "--json").stdout)

    assert sender.stdout == recipient.stdout
    steps = [
        line.split("  ")[-1] for line in sender.stdout.splitlines() if line.startswith("  ")
    ]
    assert steps[0] == "accepted"
    assert steps[1].startswith("written by stop, ")
    assert steps[2] == "stands in the conversation (row 6a3f11)"
    assert document["messages"][0]["deliveries"][0]["evidence"] == "row 6a3f11"


def test_what_held_repeated_or_ended_a_message_is_said(box: Box, office: Office) -> None:
    held, aged, twice = (office.say(text, "--to", "bob") for text in ("held", "aged", "twice"))
    for message, change in (
        (held, "hold = '6 links without a human'"),
        (aged, "state = 'expired', reason = 'aged'"),
        (twice, "state = 'offered', repeats = 1, conduit = 'monitor'"),
    ):
        sql = f"UPDATE delivery SET {change} WHERE message = ?"  # noqa: S608 - of the line above
        office.alter(sql, message)
    stories = [box.run("sent", each, env=MIRA).stdout for each in (held, aged, twice)]

    assert "stored (held: 6 links without a human)" in stories[0]
    assert "it is no longer offered, but stays in the inbox: said to a group" in stories[1]
    assert "offered by monitor (shown twice)" in stories[2]


@contextmanager
def watching(box: Box, *words: str) -> Iterator[tuple[subprocess.Popen[bytes], Lines]]:
    child = subprocess.Popen(
        [sys.executable, "-P", "-m", "attendd", "sent", "--watch", *words],
        env=box.env | MIRA,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout is not None
    try:
        with child:
            yield child, Lines(child.stdout)
    finally:
        child.kill()


def test_watching_follows_every_change_and_ends_at_rest(box: Box, office: Office) -> None:
    message = office.say("text", "--to", SESSION)
    with watching(box, message) as (child, lines):
        said = [lines.line()]
        office.show(SESSION)
        said.append(lines.line())
        office.advance(message, "queued")
        said.append(lines.line())
        office.advance(message, "seen", "row 6a3f")
        said += lines.end()
        code = child.wait(DEADLINE_S)

    assert code == 0
    assert [line.rpartition(": ")[2] for line in said] == [
        "stored",
        "offered by monitor",
        "queued by monitor",
        "seen by monitor",
    ]
    assert all(f"#{message} to " in line for line in said)


def test_where_no_transcript_can_prove_more_what_was_offered_is_at_rest(
    box: Box, office: Office
) -> None:
    message = office.say("text", "--to", "bob")
    office.show("as:bob", "terminal")
    with watching(box, "--json") as (child, lines):
        (line,) = lines.end()
        code = child.wait(DEADLINE_S)

    assert code == 0
    found = json.loads(line)
    assert (found["id"], found["name"], found["state"]) == (message, "bob (w)", "offered")


def test_watching_ends_on_an_interrupt_and_when_nobody_listens(
    box: Box, office: Office
) -> None:
    office.say("text", "--to", "bob")
    with watching(box) as (child, lines):
        lines.line()
        child.send_signal(signal.SIGINT)
        assert child.wait(DEADLINE_S) == 130
        assert child.stderr is not None
        assert child.stderr.read() == b""
    with watching(box) as (child, lines):
        lines.line()
        assert child.stdout is not None
        child.stdout.close()
        office.say("more", "--to", "juno")
        assert child.wait(DEADLINE_S) == 141


def test_a_message_is_taken_back_from_who_was_not_shown_it(box: Box, office: Office) -> None:
    message = office.say("text", "--to", "bob", "--to", "juno")
    office.show("as:juno")
    done = box.run("retract", message, env=MIRA)
    again = box.run("retract", message, env=MIRA)

    assert done.returncode == 0
    first, late = done.stdout.splitlines()
    assert first == f"took back #{message} from 1 session"
    assert late.startswith("too late: juno (w) has it since ")
    assert late.endswith("(offered by monitor)")
    assert again.stdout.splitlines() == [first, late]
    assert office.states(message) == {"as:bob": "retracted", "as:juno": "offered"}
    assert office.show("as:bob") == []
    listed = box.run("sent", env=MIRA).stdout
    assert "taken back from bob (w); juno (w): offered by monitor" in " ".join(listed.split())


def test_a_message_is_taken_back_from_many(box: Box, office: Office) -> None:
    message = office.say("text", "--to", "bob", "--to", "juno", "--to", SESSION)
    office.show(SESSION)
    box.run("retract", message, env=MIRA)
    listed = " ".join(box.run("sent", env=MIRA).stdout.split())

    assert "taken back from 2 sessions; " in listed
    assert ": offered by monitor" in listed


def test_what_everybody_has_cannot_be_taken_back(box: Box, office: Office) -> None:
    message = office.say("text", "--to", "bob")
    office.show("as:bob")
    done = box.run("retract", message, env=MIRA)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"attend: #{message} can't be taken back any more\n")
    assert "hint: bob (w) has it since " in done.stderr
    assert "taken back" not in box.run("sent", env=MIRA).stdout
    (found,) = told(box, message)
    assert (found["retracted_at"], found["deliveries"][0]["state"]) == (None, "offered")


def test_only_who_said_something_can_take_it_back(box: Box, office: Office) -> None:
    message = office.say("text", "--to", "bob")
    other = box.run("retract", message, env={"ATTEND_AS": "juno"})
    recipient = as_bob(box, "retract", message)

    assert (other.returncode, recipient.returncode) == (1, 1)
    assert office.states(message) == {"as:bob": "stored"}
