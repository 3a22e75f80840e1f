"""What a client held when it was killed, it has forgotten; attend has not."""

import os
import signal
from pathlib import Path

from tests.live import talk
from tests.live.box import eventually
from tests.live.client import Client
from tests.live.scene import SOON_S, Scene, Setting, scene


def test_what_a_killed_client_held_comes_once_when_its_session_goes_on(
    claude: Path, tmp_path: Path
) -> None:
    """Its sender is told that it was offered twice, though the conversation has it once."""
    with scene(claude, tmp_path / "requests.jsonl", Setting()) as killed:
        session = killed.session
        with talk.busy(killed, "run the long one"):
            message = talk.say(killed.box, session, "the build is green")
            talk.fared(killed.box, message, "queued")
            before = killed.last()
            os.kill(killed.client.pid, signal.SIGKILL)
        assert eventually(lambda: not killed.box.processes(), SOON_S), killed.state()

        resume = ("--dangerously-skip-permissions", "--resume", session)
        with Client(claude, killed.box, *resume) as client:
            client.wait_resting()
            resumed = Scene(killed.api, killed.box, client)
            assert resumed.session == session
            asked = talk.came(resumed, message, after=before)
            told = talk.fared(killed.box, message, "answered")
            client.wait_resting()
            resumed.prompt("go on")
            talk.once(resumed, [message])

        assert "(again)" in asked.news()
        assert told["repeats"] == 1
