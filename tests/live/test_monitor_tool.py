"""Where plugin monitors are missing, the model arms Monitor itself, as the skill says."""

import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from tests.live.scene import LONG, TEACHING, Scene, Setting
from tests.live.scripted_api import Asked
from tests.live.wire import Answer, Call

LOOKS_OFTEN = "[sensors.disclosure]\ninterval_s = 10\nmin_interval_s = 5\n"
OURS = ("Bash(attend run:*)",)
SEARCH = Call("ToolSearch", {"query": "select:Monitor", "max_results": 5})
ARM = Call(
    "Monitor", {"command": "attend run", "description": "attend", "timeout_ms": 3_600_000}
)

Start = Callable[[Setting], AbstractContextManager[Scene]]


def test_attend_run_works_under_the_monitor_tool_with_the_rule_we_ship(start: Start) -> None:
    """Teaching wakes nobody, so it comes with the turn after the one that armed it.

    After compaction it comes again, though never within two minutes of the first.
    """
    with start(Setting(plugin="", allowed=OURS, config=LOOKS_OFTEN)) as scene:
        armed = arm(scene)
        scene.client.wait_resting()
        scene.await_looks()
        scene.prompt("write at length", Answer(LONG, held="middle"))
        scene.await_queued(TEACHING)
        scene.api.release("middle")
        taught = scene.await_event("disclosure", "")

        assert "expires in 30m" in armed.news()
        assert taught.whole().count(TEACHING) == 1
        assert scene.reader_runs()

        scene.client.wait_resting()
        before = scene.last()
        scene.compact()
        scene.prompt("and again", Answer(LONG, held="compacted"))
        scene.await_queued(TEACHING, times=2, within_s=170.0)
        scene.api.release("compacted")
        again = scene.await_event("disclosure", "", after=before)

        assert again.whole().count(TEACHING) == 1


@pytest.mark.skipif(
    not (shutil.which("bwrap") and shutil.which("socat")),
    reason="the client's sandbox needs bubblewrap and socat",
)
def test_in_the_clients_sandbox_one_line_names_the_plugin_as_the_way(start: Start) -> None:
    """There it can neither write nor be rung, and the session had best know that once."""
    with start(Setting(plugin="", allowed=OURS, sandbox=True)) as scene:
        arm(scene)
        told = scene.await_event("attend", "sandbox")
        scene.client.wait_resting()
        later = scene.prompt("go on")

        assert "plugin" in told.news()
        assert later.whole().count("[attend ") == 1


def arm(scene: Scene) -> Asked:
    """Have the model arm the monitor, and return the request that brings the result."""
    scene.api.cue("Tool loaded", Answer("arming", calls=(ARM,)))
    scene.prompt("please arm it", Answer("looking", calls=(SEARCH,)))
    return scene.await_asked(lambda one: "Monitor started" in one.news())
