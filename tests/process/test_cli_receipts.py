"""What a command that changes something says of it to programs: one JSON document."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.process.box import Box
from tests.process.posting import Office, as_bob
from tests.process.sandboxing import Sandbox
from tests.process.talking import listen, settled

MIRA = {"ATTEND_AS": "mira"}


@pytest.fixture
def members(box: Box, office: Office) -> Office:
    for name in ("as:bob", "as:mira"):
        office.enrol(name)
    return office


def said(box: Box, *words: str, cwd: Path | None = None) -> dict[str, Any]:
    """Run a hot command as bob; return the document that it prints."""
    done = box.hot(*words, "--as=bob", "--json", cwd=cwd)
    assert (done.returncode, done.stderr) == (0, ""), done
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_sending_says_who_hears_it_now_and_for_whom_it_waits(
    box: Box, office: Office, web: Path
) -> None:
    alice = listen(box, office, web)
    office.enrol("as:mira", web)

    found = said(box, "send", "--to=alice", "--to=mira", "hello", cwd=web)
    waits = said(box, "send", "--to=mira", "and you", cwd=web)

    assert found["state"] == "sent"
    assert found["recipients"] == [
        {"name": "alice (web)", "session": "as:alice", "state": "sent"},
        {"name": "mira (web)", "session": "as:mira", "state": "stored"},
    ]
    assert found["said"].startswith(
        f"sent #{found['id']} to 1 session, alice (web); stored for"
    )
    assert f"#{found['id']}: hello" in alice.out.line()
    assert (waits["state"], len(waits["recipients"])) == ("stored", 1)


def test_answering_says_the_same(box: Box, office: Office, web: Path) -> None:
    alice, bob = listen(box, office, web), listen(box, office, web, "bob")
    box.hot("send", "--as=alice", "--to=bob", "are you there", cwd=web)
    bob.out.until("are you there")
    settled(office, "offered")

    found = said(box, "reply", "<yes>", cwd=web)

    assert [each["name"] for each in found["recipients"]] == ["alice (web)"]
    alice.out.until(f"#{found['id']}: <yes>")


def test_what_is_refused_is_no_document(box: Box, members: Office) -> None:
    done = box.hot("send", "--as=bob", "--json", "--to=nobody", "hello")

    assert (done.returncode, done.stdout) == (1, "")
    assert "no session is known as 'nobody'" in done.stderr


def test_what_was_handed_over_names_no_recipients(
    box: Box, office: Office, web: Path, sandbox: Sandbox
) -> None:
    """Another process finds them, and says so in its sentence."""
    left = json.loads(sandbox.send("--json", "--to", "alice", "first").stdout)
    listen(box, office, web)
    settled(office, "offered")
    sent = json.loads(sandbox.send("--json", "--to", "alice", "second").stdout)

    assert (left["state"], left["recipients"]) == ("left", None)
    assert left["said"].startswith(f"left #{left['id']} in {sandbox.temporary}")
    assert (sent["state"], sent["recipients"]) == ("sent", None)
    assert sent["said"] == f"sent #{sent['id']} to 1 session, alice (web)"


def test_reading_taking_back_joining_and_leaving_say_what_they_did(
    box: Box, members: Office
) -> None:
    first, second = (members.say(text, "--to", "bob") for text in ("one", "two"))
    read = json.loads(as_bob(box, "read", first, "--json").stdout)
    back = json.loads(box.run("retract", second, "--json", env=MIRA).stdout)
    joined = [json.loads(as_bob(box, "join", "#Deploy", "--json").stdout) for _ in range(2)]
    left = json.loads(as_bob(box, "leave", "deploy", "--json").stdout)

    assert read == {"read": [first]}
    assert back == {
        "id": second,
        "recipients": [{"name": "bob (w)", "session": "as:bob", "state": "retracted"}],
    }
    assert joined[0] == {
        "name": "deploy",
        "joined": True,
        "new": True,
        "made": True,
        "others": 0,
        "earlier": 0,
    }
    assert (joined[1]["new"], joined[1]["made"]) == (False, False)
    assert left == {"name": "deploy", "joined": False}


def test_muting_says_who_is_muted_then(box: Box, members: Office) -> None:
    muted = json.loads(as_bob(box, "mute", "mira", "--json").stdout)
    lifted = json.loads(as_bob(box, "mute", "--off", "mira", "--json").stdout)

    assert [each["who"] for each in muted["muted"]] == ["as:mira"]
    assert lifted == {"muted": []}
