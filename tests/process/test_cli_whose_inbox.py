"""Whose inbox is shown, to whom, and what happens where it cannot be marked."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from attendd.hot import ledger
from tests.process.box import Box
from tests.process.posting import Office, as_bob
from tests.process.reading import eventually

SESSION = "38655051-aaaa-4bbb-8ccc-000000000001"


@pytest.fixture
def office(box: Box) -> Office:
    office = Office(box)
    for name in ("as:bob", "as:mira", "as:juno"):
        office.enrol(name)
    return office


def test_a_session_reads_its_own_mail_only(box: Box, office: Office) -> None:
    message = office.say("for juno", "--to", "juno")
    by_name = as_bob(box, "inbox", "--session", "juno")
    by_id = as_bob(box, "inbox", message)

    assert by_name.returncode == 2
    assert by_name.stderr.startswith("attend: a session reads its own mail only\n")
    assert by_id.returncode == 1
    assert "for juno" not in by_id.stdout + by_id.stderr
    assert "juno" not in by_id.stderr


def test_a_person_finds_the_own_mail_and_with_a_word_any(box: Box, office: Office) -> None:
    """What a person looks at was not read by the session that it is for."""
    mine = office.say("for the person", "--to", "@human")
    other = office.say("for juno", "--to", "juno")
    own = box.run("inbox")
    hint = box.run("inbox", other).stderr
    looked = box.run("inbox", "--session", "juno")

    assert "| for the person\n" in own.stdout
    assert "| for juno\n" not in own.stdout
    assert f"attend inbox {other} --session as:juno" in hint
    assert "| for juno\n" in looked.stdout
    assert office.states(mine) == {"@user": "fetched"}
    assert office.states(other) == {"as:juno": "stored"}


def test_who_cannot_be_named_has_no_inbox(box: Box, office: Office) -> None:
    done = box.run("inbox", env={"CLAUDE_PID": "1"})

    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith("attend: it is not known which session this is")


def test_a_client_s_session_reads_what_came_for_it(box: Box, office: Office) -> None:
    project = box.repository()
    client = box.client(project)
    office.enrol(client.session, project)
    message = office.say("for the agent", "--to", client.session)
    out = box.home / "out"
    command = f"'{sys.executable}' -P -m attendd inbox"
    client.do(
        f"CLAUDECODE=1 CLAUDE_PID={client.pid} PYTHONPATH={Path.cwd()} {command} >{out}.new; mv {out}.new {out}"
    )
    eventually(out.exists)

    assert "| for the agent\n" in out.read_text()
    assert office.states(message) == {client.session: "fetched"}


def test_a_conversation_that_went_on_under_another_id_keeps_its_mail(
    box: Box, office: Office
) -> None:
    office.enrol(SESSION)
    shown, waits = (office.say(text, "--to", SESSION) for text in ("shown", "waits"))
    office.show(SESSION, limit=1)
    ledger.move_session(office.db, "gone", SESSION, "4a0b11ce-new", 1.0)
    done = box.run("inbox", "--session", "4a0b11ce")

    assert [i for i in (shown, waits) if f"#{i} from" in done.stdout] == [shown, waits]
    assert "said to an earlier session here" in done.stdout


@pytest.mark.parametrize("part", ["as:b", "as:bo", "b"])
def test_a_chosen_name_is_meant_whole_by_every_command(
    box: Box, office: Office, part: str
) -> None:
    office.say("for bob alone", "--to", "bob")
    refused = [
        box.run("inbox", "--session", part),
        box.run("mute", part, env={"ATTEND_AS": "mira"}),
        box.run("send", "--to", part, "x", env={"ATTEND_AS": "mira"}),
        box.run("context", "--session", part),
        box.run("why", "--session", part),
    ]

    for done in refused:
        assert done.returncode != 0
        assert f"no session is known as '{part}'" in done.stderr
        assert done.stdout == ""


@pytest.mark.parametrize("part", ["3", "386"])
def test_less_of_an_id_than_four_characters_is_not_enough(
    box: Box, office: Office, part: str
) -> None:
    office.enrol(SESSION)
    done = box.run("inbox", "--session", part)

    assert done.returncode != 0
    assert f"no session is known as '{part}'" in done.stderr
    assert box.run("inbox", "--session", SESSION[:4]).returncode == 0


def test_what_a_line_only_announced_is_fetched_like_the_rest(box: Box, office: Office) -> None:
    said = [office.say(f"number {n}", "--to", "bob") for n in range(9)]
    for each in said:
        office.advance(each, "announced")
    as_bob(box, "inbox", said[0])
    as_bob(box, "inbox", "--limit", "3")

    assert [office.states(each)["as:bob"] for each in said] == [
        "fetched",
        *["announced"] * 5,
        *["fetched"] * 3,
    ]


def test_an_output_that_nobody_reads_fetches_nothing(box: Box, office: Office) -> None:
    message = office.say("text", "--to", "bob")
    readable, writable = os.pipe()
    os.close(readable)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "attendd", "inbox"],
        env=box.env | {"ATTEND_AS": "bob"},
        stdout=writable,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writable)

    assert (done.returncode, done.stderr) == (141, b"")
    assert office.states(message) == {"as:bob": "stored"}


READ_ONLY = """
mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || { echo no-mount; exit 0; }
shift
exec "$@"
"""


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare(1)")
@pytest.mark.parametrize("opened", [True, False], ids=["beside others", "alone"])
def test_where_nothing_can_be_written_the_mail_is_shown_and_stays_unread(
    box: Box, office: Office, *, opened: bool
) -> None:
    message = office.say("text", "--to", "bob")
    if not opened:
        office.db.close()
    command = [sys.executable, "-P", "-m", "attendd", "inbox", message]
    done = subprocess.run(
        ["unshare", "-Urm", "sh", "-c", READ_ONLY, "sh", str(box.home / "attend"), *command],
        env=box.env | {"ATTEND_AS": "bob"},
        capture_output=True,
        text=True,
        check=False,
    )
    if "no-mount" in done.stdout or "unshare" in done.stderr:
        pytest.skip("no user namespaces here")
    if not opened:
        office = Office(box)

    assert done.returncode == 0
    assert done.stdout.endswith("| text\n")
    assert "attend: not marked as fetched: the store at " in done.stderr
    assert office.states(message) == {"as:bob": "stored"}
