"""The machine sleeps, or all that belongs together is stopped: nobody is dead, nothing floods."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from attendd.hot import bell, places
from tests.process.box import DEADLINE_S, ROOT, Box, Client, eventually
from tests.process.hooking import Hooks, rows, send
from tests.process.plugging import Plugged
from tests.process.test_host import taught
from tests.process.test_proof import becomes, event, fate, shown

JUMPING = """
import os, time
from attendd.api import hookimpl

_real = time.clock_gettime
_file = os.environ["HOME"] + "/lost"

def _ahead():
    try:
        with open(_file) as file:
            return [float(word) for word in file.read().split()]
    except OSError:
        return [0.0, 0.0]

def _gettime(clock):
    stopped, asleep = _ahead()
    return _real(clock) + stopped + asleep * (clock == time.CLOCK_BOOTTIME)

time.clock_gettime = _gettime

@hookimpl
def attend_sensors():
    return []
"""
"""A plugin whose host sees the clocks of a machine that was stopped, or asleep, so long."""

HOUR_S = 3600.0


class World:
    """Two clients in a project; the reader of one is the host, and its clocks can jump."""

    def __init__(self, box: Box) -> None:
        box.open_gates()
        self.box = box
        self.project = box.repository()
        self.client = self._client(Plugged(box, {"jumping": JUMPING}).python)
        eventually(lambda: "embedded" in _text(box.state / "host.lock"))
        self._client(sys.executable)
        box.looked(2)

    def _client(self, interpreter: str) -> Client:
        client = self.box.client(self.project)
        Hooks(self.box, client=client).start()
        client.monitor(interpreter)
        client.prompt("begin")
        client.answer()
        return client

    def jump(self, *, stopped_s: float = 0.0, asleep_s: float = 0.0) -> None:
        """Let the host find so much time gone, and look around."""
        fresh = self.box.home / "lost.new"
        fresh.write_text(f"{stopped_s} {asleep_s}")
        fresh.replace(self.box.home / "lost")

    def wake(self) -> None:
        """Ring the host, which looks around by itself within half a minute."""
        bell.ring(f"{places.runtime_dir()}/{bell.HOST}")


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


@pytest.fixture
def world(box: Box, monkeypatch: pytest.MonkeyPatch) -> World:
    for name in ("HOME", "ATTEND_HOME"):
        monkeypatch.setenv(name, box.env[name])
    return World(box)


def test_a_machine_that_slept_is_said_once_and_nothing_is_judged_by_the_time(
    world: World,
) -> None:
    box, client = world.box, world.client
    message = send(box, client.session, "just before")
    shown(client, "just before")
    becomes(box, message, "offered")

    world.jump(asleep_s=8 * HOUR_S)
    world.wake()
    box.journalled("host.slept", "the machine slept for 8 h")
    client.record("busy")
    box.git(world.project, "switch", "-q", "-c", "feat/x")
    client.out.until("branch changed: main → feat/x")
    while not slept(client):  # it rode along with whatever was first
        client.out.line()
    other = send(box, client.session, "afterwards")
    event(client, shown(client, "afterwards"))
    becomes(box, other, "seen")

    line = "[attend sensor=attend priority=low] the machine slept for 8 h"
    assert slept(client) == [line]
    assert [each for each in client.out.seen if " is gone" in each or "(again)" in each] == []
    assert fate(box, message)[:3] == ("offered", "monitor", 0)
    assert "gone" not in box.run("status").stdout


def slept(client: Client) -> list[str]:
    return [line for line in client.out.seen if "slept" in line]


def test_what_is_stopped_together_is_continued_as_if_nothing_had_been(world: World) -> None:
    box, client = world.box, world.client
    group = all_of(box)
    for pid in group:
        subprocess.run(["kill", "-STOP", str(pid)], check=True)

    world.jump(stopped_s=300.0)
    for pid in reversed(group):
        subprocess.run(["kill", "-CONT", str(pid)], check=True)
    world.wake()

    box.journalled("host.paused", "this process was stopped for 5 min")
    message = send(box, client.session, "afterwards")
    event(client, shown(client, "afterwards"))
    becomes(box, message, "seen")
    assert [each for each in client.out.seen if " is gone" in each or "slept" in each] == []
    assert len(rows(box, "SELECT 1 FROM attachment WHERE ended_at IS NULL")) == 2


def all_of(box: Box) -> list[int]:
    """Return the processes of all clients and of their readers."""
    found = rows(box, "SELECT reader_pid, client_pid FROM attachment WHERE ended_at IS NULL")
    return [pid for pair in found for pid in pair]


AHEAD = ["unshare", "--time", "--boottime", "28800", "--fork", "--kill-child", "--"]
"""Has a program see the clocks of a machine that has slept for 8 h since it was booted."""


@pytest.fixture
def python_that_slept(tmp_path: Path) -> str:
    """An interpreter in a time namespace of its own."""
    path = tmp_path / "python"
    path.write_text(f'#!/bin/sh\nexec {" ".join(AHEAD)} {sys.executable} "$@"\n')
    path.chmod(0o755)
    asked = "from attendd.clock import SystemClock; print(SystemClock().slept())"
    done = subprocess.run(
        [str(path), "-c", asked],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    if shutil.which("unshare") is None or done.returncode:
        pytest.skip(f"no time namespaces here: {done.stderr.strip()}")
    assert round(float(done.stdout)) == 28800
    return str(path)


def test_what_was_left_before_a_sleep_is_shown_once_after_it(
    box: Box, python_that_slept: str
) -> None:
    """Leases, checkpoints and batches of a host and a reader that did not live to see it."""
    box.open_gates()
    project = box.repository()
    before = box.reader(project, "--as=me")
    taught(before)
    message = send(box, "me", "shown before")
    before.out.until("shown before")
    becomes(box, message, "offered")
    before.kill()
    send(box, "me", "left before")

    slept_at = time.time()
    after = box.reader(project, "--as=me", interpreter=python_that_slept)

    shown = after.out.until("left before")
    taught(after)
    box.looked(since=slept_at)
    box.git(project, "switch", "-q", "-c", "feat/x")
    shown += after.out.until("branch changed: main → feat/x")
    assert [line for line in shown if "shown before" in line or "(again)" in line] == []
    assert sum("left before" in line for line in shown) == 1
