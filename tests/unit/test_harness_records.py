"""The records of the client's processes: whose they are, whether it lives, what it does."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from attendd.harness import records
from attendd.model import Status
from tests.clients import Client, ClientFolder

DEAD = 5000


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[ClientFolder]:
    folder = ClientFolder(tmp_path / "claude")
    yield folder
    folder.close()


def raw(folder: ClientFolder, client: Client, data: bytes) -> None:
    folder.put(folder.record_path(client), data)


def live(folder: ClientFolder) -> list[int]:
    return [session.pid for session in folder.harness.live()]


def test_a_live_session_is_what_its_record_says(folder: ClientFolder) -> None:
    client = folder.client()
    folder.write(client, status="waiting", waitingFor="permission prompt")
    (session,) = folder.harness.live()

    assert (session.session, session.pid, session.start) == ("one", client.pid, client.start)
    assert (session.status, session.since) == (Status.WAITING, folder.time)
    assert (session.name, session.entrypoint, session.kind) == (
        "project-00",
        "cli",
        "interactive",
    )
    assert session.transcript == ""


@pytest.mark.parametrize(
    ("status", "means"),
    [
        ("busy", Status.BUSY),
        ("waiting", Status.WAITING),
        ("idle", Status.IDLE),
        ("shell", Status.IDLE),
    ],
)
def test_each_status_of_the_client_is_known(
    folder: ClientFolder, status: str, means: Status
) -> None:
    client = folder.client()
    folder.write(client, status=status)
    view = folder.view(client)

    assert (view.activity().status, view.contract) == (means, "")


def test_a_record_left_behind_is_no_session(folder: ClientFolder) -> None:
    client = folder.client()
    client.kill()

    assert live(folder) == []


def test_a_pid_that_was_used_again_is_another_process(folder: ClientFolder) -> None:
    """Neither is it live, nor does a view of the earlier process believe the record."""
    client = folder.client()
    view = folder.view(client)
    folder.write(client, procStart="1", status="busy", sessionId="two")
    view.refresh()

    assert live(folder) == []
    assert (view.session, view.activity().status) == ("one", Status.UNKNOWN)


def test_a_process_of_another_namespace_is_not_known_to_live(folder: ClientFolder) -> None:
    client = folder.client()
    folder.write(client, pidDomain="linux:0:pid:[1]")

    assert live(folder) == []
    assert folder.view(client).activity().status is Status.IDLE


def test_thousands_of_records_left_behind_are_not_even_read(folder: ClientFolder) -> None:
    client = folder.client()
    largest = int(Path("/proc/sys/kernel/pid_max").read_text())
    for number in range(DEAD):
        (folder.path / "sessions" / f"{largest + 1 + number}.json").touch()
    opened: list[str] = []
    watching = [True]

    def note(event: str, args: tuple[Any, ...]) -> None:
        if watching and event == "open" and str(args[0]).startswith(str(folder.path)):
            opened.append(str(args[0]))

    sys.addaudithook(note)  # it can't be taken away again, only silenced
    alive = live(folder)
    watching.clear()

    assert alive == [client.pid]
    assert opened == [str(folder.record_path(client))]


def test_a_folder_that_is_not_there_means_no_sessions(tmp_path: Path) -> None:
    folder = ClientFolder(tmp_path / "claude")
    (tmp_path / "claude" / "sessions").rmdir()

    assert live(folder) == []


def test_a_new_session_is_seen_although_the_folder_was_listed(folder: ClientFolder) -> None:
    first = folder.client()
    os.utime(folder.path / "sessions", (1.0, 1.0))
    before = live(folder)
    second = folder.client("two")

    assert before == [first.pid]
    assert sorted(live(folder)) == sorted([first.pid, second.pid])


@pytest.mark.parametrize("torn", [b"", b'{"pid":1,"sessionId":"on', b"\x00" * 40])
def test_a_record_in_mid_write_keeps_its_last_content_for_a_moment(
    folder: ClientFolder, torn: bytes
) -> None:
    client = folder.client()
    view = folder.view(client)
    raw(folder, client, torn)
    view.refresh()
    during = (view.activity().status, view.contract)
    folder.write(client, status="busy")
    view.refresh()

    assert during == (Status.IDLE, "")
    assert view.activity().status is Status.BUSY


def test_a_record_that_stays_no_json_is_said_to_be_none(folder: ClientFolder) -> None:
    client = folder.client()
    view = folder.view(client)
    raw(folder, client, b"status: busy\n")
    folder.time += 2.0
    view.refresh()

    assert view.activity().status is Status.UNKNOWN
    assert view.activity().contract == "its session record is no JSON"
    assert view.gauge() is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sessionId": 7}, "$.sessionId"),
        ({"sessionId": None}, "$.sessionId"),
        ({"sessionId": "../x"}, "names no session"),
        ({"sessionId": "x" * 200}, "names no session"),
        ({"procStart": None}, "$.procStart"),
        ({"pid": "12"}, "$.pid"),
        ({"status": 3}, "$.status"),
        ({"status": "thinking"}, "'thinking'"),
        ({"statusUpdatedAt": "now"}, "$.statusUpdatedAt"),
        ({"statusUpdatedAt": None}, "since when"),
        ({"pid": ...}, "pid"),
        ({"sessionId": ...}, "sessionId"),
        ({"procStart": ...}, "procStart"),
    ],
)
def test_a_record_that_changed_is_said_to_have_and_nothing_is_guessed(
    folder: ClientFolder, change: dict[str, Any], said: str
) -> None:
    client = folder.client()
    changed = {**client.record, **change}
    fields = {key: value for key, value in changed.items() if value is not ...}
    raw(folder, client, json.dumps(fields).encode())
    view = folder.view(client)

    assert said in view.activity().contract
    assert view.activity().status in (Status.UNKNOWN, Status.IDLE)
    assert (view.activity().status is Status.IDLE) == (change == {"statusUpdatedAt": None})


def test_fields_that_came_or_went_do_no_harm(folder: ClientFolder) -> None:
    """2.1.197 has fewer than 2.1.328, and a later release may have more."""
    client = folder.client()
    needed = {"pid", "sessionId", "procStart", "status", "statusUpdatedAt"}
    bare = {key: value for key, value in client.record.items() if key in needed}
    raw(folder, client, json.dumps({**bare, "novelty": [1], "name": None}).encode())
    view = folder.view(client)

    assert (view.activity().status, view.contract) == (Status.IDLE, "")
    assert live(folder) == [client.pid]


def test_a_status_is_missed_only_after_some_seconds(folder: ClientFolder) -> None:
    """The client writes its first record without one."""
    client = folder.client()
    del client.record["status"], client.record["statusUpdatedAt"]
    folder.write(client)
    view = folder.view(client)
    at_once = (view.activity().status, view.contract)
    folder.time += 6.0
    view.refresh()

    assert at_once == (Status.UNKNOWN, "")
    assert (view.activity().status, view.contract) == (
        Status.UNKNOWN,
        "its session record names no status",
    )


def test_an_unchanged_record_is_not_read_again(folder: ClientFolder) -> None:
    client = folder.client()
    file = records.RecordFile(folder.record_path(client))
    file.refresh(folder.time)
    before = file.record
    file.refresh(folder.time)

    assert before is not None
    assert file.record is before
