"""Unread mail goes along with a session that is resumed, and with one that is forked off it."""

from pathlib import Path

from tests.live import talk
from tests.live.box import Box, eventually
from tests.live.client import Client
from tests.live.scene import SOON_S, Scene, Setting, scene
from tests.live.scripted_api import ScriptedApi

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
