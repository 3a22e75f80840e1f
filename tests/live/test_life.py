"""Attend follows a session through what clients do: clear, end, die, be two at a time."""

import os
import signal
from pathlib import Path

from tests.live.box import eventually
from tests.live.client import Client
from tests.live.scene import LONG, SOON_S, TEACHING, Scene, told
from tests.live.wire import Answer


def test_after_clear_the_new_conversation_is_taught_and_told(attended: Scene) -> None:
    """The process and its monitor stay, the session is another one."""
    attended.prompt("hello there")
    attended.client.wait_resting()
    attended.await_looks()
    first = attended.client.record()["sessionId"]

    attended.client.type("/clear")
    assert eventually(lambda: attended.client.record().get("sessionId") != first, SOON_S)
    attended.client.wait_resting()
    asked = attended.prompt("hello again", Answer(LONG, held="middle"))
    assert attended.api.wait_held("middle", 20.0)
    attended.box.git("switch", "-q", "elsewhere")
    attended.await_queued("elsewhere")
    attended.api.release("middle")
    last = attended.await_event("git", "elsewhere")

    assert "hello there" not in asked.whole()
    assert asked.whole().count(TEACHING) == 1
    assert sum("elsewhere" in line for line in told(last)) == 1


def test_nothing_is_left_of_a_client_that_was_killed(attended: Scene) -> None:
    """It could not tell its monitor to end, so the monitor watches it."""
    attended.await_looks()

    os.kill(attended.client.pid, signal.SIGKILL)

    assert eventually(lambda: not attended.box.processes(), 10.0), attended.state()


def test_another_session_takes_the_loop_over_when_its_host_leaves(
    attended: Scene, claude: Path
) -> None:
    """One process looks for all sessions, and it need not be one's own."""
    attended.await_looks()

    with Client(claude, attended.box, "--dangerously-skip-permissions") as client:
        client.wait_resting()
        other = Scene(attended.api, attended.box, client)
        other.prompt("hello there")
        client.wait_resting()
        attended.client.end()
        other.await_looks()
        other.prompt("write at length", Answer(LONG, held="middle"))
        assert other.api.wait_held("middle", 20.0)
        other.box.git("switch", "-q", "elsewhere")
        other.await_queued("elsewhere")
        other.api.release("middle")
        last = other.await_event("git", "elsewhere")

    assert sum("elsewhere" in line for line in told(last)) == 1
