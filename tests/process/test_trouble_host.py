"""A host that fails, steps back, is stopped or loses its lock: somebody else goes on."""

import signal
from pathlib import Path

from tests.process.box import DEADLINE_S, Box, Reading, eventually
from tests.process.plugging import Plugged
from tests.process.test_host import host, is_full, taught

HANDOVER_S = 10.0


def of(readings: list[Reading], pid: str) -> Reading:
    """Return the one that runs as a process."""
    return next(each for each in readings if str(each.process.pid) == pid)


def three(box: Box) -> tuple[Path, list[Reading]]:
    """Start three readers of one project; the first to come is the host."""
    box.open_gates()
    project = box.repository()
    readings = [box.reader(project, f"--as={name}") for name in ("one", "two", "three")]
    for reading in readings:
        taught(reading)
    box.looked(3)
    return project, readings


def test_a_service_that_is_killed_is_replaced_though_the_earlier_host_still_reads(
    box: Box,
) -> None:
    """Who stepped back for it goes on as a reader, so its process does not end."""
    project, readings = three(box)
    first = of(readings, host(box)[0])
    daemon = box.daemon()
    eventually(lambda: host(box)[2:3] == ["daemon"])
    eventually(lambda: not is_full(first))
    first.process.send_signal(signal.SIGSTOP)

    daemon.kill()

    eventually(lambda: host(box)[2:3] == ["embedded"], HANDOVER_S)
    others = [each for each in readings if each is not first]
    eventually(lambda: any(is_full(each) for each in others))
    box.git(project, "switch", "-q", "-c", "feat/x")
    for each in others:
        each.out.until("branch changed: main → feat/x")
    first.process.send_signal(signal.SIGCONT)
    first.out.until("branch changed: main → feat/x")


def test_twenty_readers_at_once_have_one_host_and_are_all_told(box: Box) -> None:
    box.open_gates()
    project = box.repository()
    readings = [box.reader(project, f"--as=r{index}") for index in range(20)]
    for reading in readings:
        taught(reading)
    box.looked(len(readings))

    assert [is_full(reading) for reading in readings].count(True) == 1
    box.git(project, "switch", "-q", "-c", "feat/x")
    for reading in readings:
        reading.out.until("branch changed: main → feat/x")
    for reading in readings:
        reading.process.send_signal(signal.SIGTERM)
    assert {reading.process.wait(DEADLINE_S) for reading in readings} == {0}
    assert list((box.home / "attend" / "run").iterdir()) == []


FAILS = """
import os
from attendd.api import hookimpl
from attendd.loop import Loop

_pause = Loop._pause

def _failing(self, now):
    if os.path.exists(os.environ["HOME"] + "/fail"):
        raise RuntimeError("a fault of attend's own")
    return _pause(self, now)

Loop._pause = _failing

@hookimpl
def attend_sensors():
    return []
"""


def test_a_host_that_fails_is_replaced_said_and_goes_on_reading(box: Box) -> None:
    box.open_gates()
    project = box.repository()
    first = Plugged(box, {"fails": FAILS}).reader(project, "--as=one")
    taught(first)
    second = box.reader(project, "--as=two")
    taught(second)
    box.looked(2)

    (box.home / "fail").touch()
    box.git(project, "switch", "-q", "-c", "feat/x")

    said = "attend: the host stopped (RuntimeError: a fault of attend's own); reading goes on"
    assert first.err.until("the host stopped")[-1] == said
    eventually(lambda: host(box)[:1] == [str(second.process.pid)], HANDOVER_S)
    assert "the host failed" in box.run("status").stdout
    box.journalled("host.failed", "RuntimeError: a fault of attend's own")
    for reading in (first, second):
        reading.out.until("branch changed: main → feat/x")
        assert reading.kill(signal.SIGTERM) == 0
