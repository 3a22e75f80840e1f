"""A client whose files are torn, unreadable or not as known: it is said, and nothing guessed."""

import json
import os
import time
from pathlib import Path

import pytest

from tests.process.box import Box, Client, eventually
from tests.process.test_client import attached, taught

GIT = "[attend sensor=git priority=medium] branch changed: "


def awake(box: Box) -> tuple[Path, Client]:
    """Have a session that was prompted, taught and answered."""
    box.open_gates()
    project = box.repository()
    client = box.client(project)
    attached(box, client)
    client.prompt()
    taught(client)
    client.answer(tokens=5_000)
    return project, client


def used(box: Box, client: Client) -> str:
    """Return what `attend context` says of a session, or why it says nothing."""
    done = box.run("context", "--session", client.session)
    return done.stdout.partition("\n")[0] or done.stderr.partition("\n")[0]


def contract(box: Box, client: Client) -> str:
    """Return what `attend status` says has changed; empty if nothing has."""
    done = box.run("status", "--json")
    (session,) = json.loads(done.stdout)["sessions"]
    assert session["session"] == client.session
    if session["contract"]:
        said = box.run("status").stdout
        assert f"contract changed: the client of {client.session[:8]}: " in said
        assert session["contract"] in said
        assert session["contract"] in box.run("why", "--silence").stdout
    return str(session["contract"])


def still_told(box: Box, project: Path, client: Client, branch: str) -> None:
    """See that the rest goes on."""
    box.git(project, "switch", "-q", "-c", branch)
    assert client.out.until("sensor=git")[-1].endswith(f"→ {branch}")


def test_a_record_that_is_gone_is_said_while_its_client_runs(box: Box) -> None:
    project, client = awake(box)
    content = client.record_path.read_text()

    client.record_path.unlink()

    assert contract(box, client) == (
        f"{client.record_path} is not there, so nobody knows whether it is idle"
    )
    still_told(box, project, client, "feat/x")
    client.record_path.write_text(content)
    assert contract(box, client) == ""


def test_a_row_half_written_is_read_when_it_is_whole(box: Box) -> None:
    project, client = awake(box)
    whole = client.transcript.read_bytes()
    client.answer(tokens=60_000)
    row = client.transcript.read_bytes().removeprefix(whole)
    client.transcript.write_bytes(whole + row[:200])

    assert used(box, client).split()[1] == "5,000"
    with client.transcript.open("ab") as file:
        file.write(row[200:])

    assert used(box, client).split()[1] == "60,000"
    assert contract(box, client) == ""
    still_told(box, project, client, "feat/x")


def test_rubbish_between_rows_is_passed_over(box: Box) -> None:
    project, client = awake(box)

    with client.transcript.open("ab") as file:
        file.write(b'no json\n\0\0\n\xff\xfe{"\n\n[1]\n"text"\nnull\n')
        file.write(b'{"type": "text", "x": "' + b"x" * 3_000_000 + b'"}\n')
    client.answer(tokens=60_000)

    assert used(box, client).split()[1] == "60,000"
    assert contract(box, client) == ""
    still_told(box, project, client, "feat/x")


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_a_transcript_that_can_not_be_read_is_said_to_be_so(box: Box, kind: str) -> None:
    project, client = awake(box)
    client.transcript.unlink()

    (os.mkdir if kind == "folder" else os.mkfifo)(client.transcript)

    why = "its transcript cannot be read: it is not a plain file"
    assert contract(box, client) == why
    assert used(box, client) == f"attend: {why}"
    still_told(box, project, client, "feat/x")


def test_rows_of_another_shape_are_a_changed_contract(box: Box) -> None:
    project, client = awake(box)

    client.row("assistant", message={"id": "m", "role": "assistant", "usage": {"in": 5}})

    why = "rows of kind 'assistant' in its transcript have changed: "
    assert contract(box, client).startswith(why)
    assert used(box, client).startswith(f"attend: {why}")
    still_told(box, project, client, "feat/x")


RECORDS = {
    "a new status": (
        {"status": "pondering"},
        "its session record names a status we don't know",
    ),
    "no start": ({"procStart": None}, "its session record has changed: "),
    "no session": ({"sessionId": 5}, "its session record has changed: "),
}


@pytest.mark.parametrize(("change", "why"), RECORDS.values(), ids=RECORDS)
def test_a_record_of_another_shape_is_a_changed_contract(
    box: Box, change: dict[str, object], why: str
) -> None:
    project, client = awake(box)
    record = json.loads(client.record_path.read_text())

    client.record_path.write_text(json.dumps(record | change))
    box.journalled("contract.changed", why)

    assert contract(box, client).startswith(why)
    still_told(box, project, client, "feat/x")
    client.record("busy")
    box.journalled("contract.known")
    assert contract(box, client) == ""


def test_a_record_that_is_cut_off_is_a_changed_contract_only_if_it_stays(box: Box) -> None:
    project, client = awake(box)

    client.record_path.write_text('{"pid":')

    eventually(lambda: contract(box, client) == "its session record is no JSON")
    still_told(box, project, client, "feat/x")


def test_a_client_with_a_record_of_another_shape_is_waited_for(box: Box) -> None:
    project = box.repository()
    client = box.client(project)
    record = json.loads(client.record_path.read_text())
    client.record_path.write_text(json.dumps(record | {"sessionId": 5}))

    client.monitor()

    assert client.err.line() == (
        f"attend: {client.record_path} names no session as this release knows it"
    )
    assert client.err.line().startswith("  hint: ")
    client.record("idle")
    client.err.until(f"listening for {client.session}")


def test_a_record_of_another_shape_is_said_of_a_neighbour_too(box: Box) -> None:
    """Nobody reads for it, so that only its record tells of it."""
    project, _client = awake(box)
    other, recycled, dead = (box.client(project) for _ in range(3))
    dead.end()
    for client, later in ((other, 60), (recycled, -3600), (dead, 60)):
        client.record_path.write_text('{"foo": 1}')
        os.utime(client.record_path, (0, time.time() + later))
    said = box.run("status").stdout

    changed = (
        f"contract changed: the client with pid {other.pid}: its session record has changed"
    )
    assert said.count("contract changed") == 1
    assert changed in said
    line = "1 client has a record that this release can't read: `attend status` says why"
    assert line in box.hot("peers", cwd=project).stdout
