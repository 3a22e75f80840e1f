"""A build that a session started and left wakes it with its exit code once, whoever says so."""

import os
import platform
import re
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from tests.live import talk
from tests.live.box import eventually
from tests.live.scene import SOON_S, Scene, Setting, told
from tests.live.scripted_api import Asked
from tests.live.wire import Answer, Call

CODE = "exit code 2"  # of a make whose recipe fails
CONFIG = """[sensors.processes]
interval_s = 2.0
min_interval_s = 1.0
least_s = 1.0
"""

TELLS = tuple(map(int, re.findall(r"\d+", platform.release())[:2])) >= (6, 15)

Start = Callable[[Setting], AbstractContextManager[Scene]]


@pytest.mark.parametrize(
    "command",
    [
        "attend build -- make > log 2>&1 &",
        pytest.param(
            "make > log 2>&1 &",
            marks=pytest.mark.skipif(not TELLS, reason="Linux tells a code from 6.15 on"),
        ),
    ],
)
def test_a_build_left_by_a_shell_is_told_by_attend(start: Start, command: str) -> None:
    """The client doesn't know of it."""
    with start(Setting(config=CONFIG)) as scene:
        woken = build(scene, command, background=False)
        scene.client.wait_resting()
        lines = told(scene.prompt("and now?"))

    assert "<event>" in woken.news()
    assert [CODE in line for line in lines if "sensor=processes" in line] == [True]


def test_a_build_in_the_background_is_told_by_the_client_and_not_again(start: Start) -> None:
    with start(Setting(config=CONFIG)) as scene:
        woken = build(scene, "make", background=True)
        assert eventually(lambda: ("own", True) in journalled(scene), SOON_S), scene.state()
        scene.client.wait_resting()
        last = scene.last()
        lines = told(scene.prompt("and now?"))

    assert "<status>failed</status>" in woken.news()
    assert last == woken.number
    assert [line for line in lines if "sensor=processes" in line] == []


def build(scene: Scene, command: str, *, background: bool) -> Asked:
    """Have a session start a build that ends when the session is idle; return what woke it."""
    gate = scene.box.project / "gate"
    os.mkfifo(gate)
    (scene.box.project / "Makefile").write_text("all:\n\t@cat gate; false\n", encoding="utf-8")
    scene.prompt("hello there")
    scene.client.wait_resting()
    scene.await_looks()
    arguments = {"command": command, "description": "Build", "run_in_background": background}
    scene.prompt("build it", Answer("I build", calls=(Call("Bash", arguments),)))
    scene.client.wait_resting()
    scene.await_journal("processes", "own")  # that it was started
    before = scene.last()
    writer = eventually(lambda: talk.opened(gate), SOON_S)
    assert writer, scene.state()
    os.close(writer)
    return scene.await_asked(lambda one: CODE in one.news(), after=before)


def journalled(scene: Scene) -> list[tuple[str, bool]]:
    """What became of all that was seen of builds, and whether it had the exit code."""
    return [
        (row["code"], CODE in row["text"])
        for row in scene.journal()
        if row["sensor"] == "processes"
    ]
