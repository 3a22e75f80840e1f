"""Unread mail goes along with a session that is resumed, and with one that is forked off it."""

from pathlib import Path

import pytest

from tests.live import talk
from tests.live.box import Box, eventually
from tests.live.client import Client
from tests.live.scene import SOON_S, Scene, Setting, scene
from tests.live.scripted_api import ScriptedApi
from tests.live.wire import Answer, Call

FREE = "--dangerously-skip-permissions"


def test_what_waits_for_a_session_goes_to_its_resumption_and_to_its_fork(
    claude: Path, tmp_path: Path
) -> None:
    """Each is a new process, a fork has a new id as well; both show it unprompted and once."""
    with scene(claude, tmp_path / "requests.jsonl", Setting()) as first:
        first.prompt("hello")
        first.client.wait_resting()
        session, api, box = first.session, first.api, first.box
        ended(first)

        goes_on(claude, api, box, ("--resume", session), session)
        goes_on(claude, api, box, ("--resume", session, "--fork-session"), session)
        goes_on(claude, api, box, ("--continue", "--fork-session"), session, latest=True)


@pytest.mark.parametrize("fork", [(), ("--fork-session",)], ids=["itself", "a fork"])
def test_what_waits_for_a_session_goes_to_what_was_chosen_from_a_list(
    claude: Path, tmp_path: Path, fork: tuple[str, ...]
) -> None:
    """Of a fork only the rows that it is copied with say of which session it is one."""
    with scene(claude, tmp_path / "requests.jsonl", Setting()) as first:
        first.prompt("hello")
        first.client.wait_resting()
        session, api, box = first.session, first.api, first.box
        ended(first)
        message = talk.say(box, session, "for whoever goes on")
        with Client(claude, box, FREE, "--resume", *fork) as client:
            assert client.wait_drawn("Enter to resume", SOON_S), client.drawn()[-3000:]
            assert client.wait_drawn("hello", SOON_S), client.drawn()[-3000:]
            client.press("\r")
            assert client.wait_drawn("bypass permissions on", SOON_S), client.drawn()[-3000:]
            client.wait_resting()
            going = Scene(api, box, client)
            assert (going.session == session) is not bool(fork)
            going.prompt("and on")
            talk.came(going, message)
            talk.fared(box, message, "answered")
            client.wait_resting()
            going.prompt("anything else?")
            client.wait_resting()
            talk.once(going, [message])
            ended(going)


def test_a_fork_in_the_background_is_in_the_channels_of_its_origin_and_leaves_it_its_mail(
    attended: Scene,
) -> None:
    """Both go on, so what is said to the one is said to the one."""
    box, origin, forked = attended.box, attended.session, "go on beside me"
    join = Call("Bash", {"command": "attend join deploy", "description": "Join"})
    attended.prompt("join it", Answer("I join", calls=(join,)))
    attended.client.wait_resting()

    attended.client.type(f"/fork {forked}")
    assert eventually(lambda: attended.readers() == 2, SOON_S), attended.state()
    beside = attended.await_asked(lambda one: one.session != origin and forked in one.news())

    said = box.attend("send", "--channel", "deploy", "to both").stdout
    assert "to 2 sessions" in said
    alone = talk.say(box, origin, "to one")
    both = talk.id_in(said)
    for session in (origin, beside.session):
        attended.await_asked(
            lambda one, at=session: one.session == at and talk.shown(one, both)
        )
    talk.came(attended, alone)
    asked = [one for one in attended.api.asked() if one.session == beside.session]
    assert not any(talk.shown(one, alone) for one in asked)
    box.end()  # the client keeps the fork, and what runs it


def goes_on(
    claude: Path,
    api: ScriptedApi,
    box: Box,
    words: tuple[str, ...],
    session: str,
    *,
    latest: bool = False,
) -> None:
    """Say something to a session that has ended, and see it in the one that goes on."""
    name = latest_of(box) if latest else session
    message = talk.say(box, name, f"for {' '.join(words)}")
    assert talk.fate(box, message)["state"] == "stored"
    with Client(claude, box, FREE, *words) as client:
        client.wait_resting()
        going = Scene(api, box, client)
        going.prompt("and on")
        talk.came(going, message)
        talk.fared(box, message, "answered")
        client.wait_resting()
        going.prompt("anything else?")
        client.wait_resting()
        assert (going.session == session) is ("--fork-session" not in words)
        talk.once(going, [message])
        ended(going)


def latest_of(box: Box) -> str:
    """Return the session of the project that was written to last."""
    found = max(
        (box.client_dir / "projects").glob("*/*.jsonl"), key=lambda p: p.stat().st_mtime
    )
    return found.stem


def ended(going: Scene) -> None:
    going.client.end()
    assert eventually(lambda: not going.box.processes(), SOON_S), going.state()
