"""Signals at the worst moment: none is lost, and a stopped process loses nothing either."""

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.process.box import DEADLINE_S, HOT, Box, eventually
from tests.process.test_client import attached
from tests.process.test_client import taught as client_taught
from tests.process.test_host import host, is_full, taught
from tests.process.test_trouble_host import three

RACES = 10


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_in_the_moment_of_becoming_the_host_is_answered(box: Box, number: int) -> None:
    project = box.repository()
    readings = [box.reader(project, f"--as=r{index}") for index in range(RACES)]
    for reading in readings:
        taught(reading)

    while readings:
        (full,) = (each for each in readings if host(box)[:1] == [str(each.process.pid)])
        readings.remove(full)
        assert full.kill(number) == 0
        if readings:
            eventually(lambda: host(box)[:1] in [[str(r.process.pid)] for r in readings])


def test_a_signal_in_the_moment_of_ceasing_to_be_the_host_is_answered(box: Box) -> None:
    """A service takes over again and again; it is the reader's turn to end each time."""
    project = box.repository()
    for _ in range(3):
        reading = box.reader(project, "--as=me")
        taught(reading)
        eventually(lambda: is_full(reading))  # noqa: B023 - it is called before the next one
        daemon = box.daemon()
        eventually(lambda: host(box)[2:3] == ["daemon"])
        reading.process.send_signal(signal.SIGTERM)
        assert reading.process.wait(DEADLINE_S) in (0, -signal.SIGTERM)
        assert daemon.kill(signal.SIGTERM) == 0


def test_a_service_that_is_to_end_before_it_has_begun_ends_and_leaves_no_lock(box: Box) -> None:
    for _ in range(3):
        daemon = box.daemon()
        eventually(lambda: host(box)[2:3] == ["daemon"])

        code = daemon.kill(signal.SIGTERM)
        assert code in (
            0,
            -signal.SIGTERM,
        )  # by the signal itself where it came before all else
        assert code or not (box.state / "host.lock").exists()


def test_a_group_that_is_stopped_and_continued_goes_on_where_it_was(box: Box) -> None:
    project, readings = three(box)
    for reading in readings:
        reading.process.send_signal(signal.SIGSTOP)
    stopped = f"the host, pid {host(box)[0]}, is stopped"
    eventually(lambda: stopped in box.run("status").stdout)
    assert f"pid {host(box)[0]}, stopped" in box.run("why", "--silence").stdout
    assert box.run("status").stdout.count("is stopped; it shows nothing until continued") == 3
    box.git(project, "switch", "-q", "-c", "feat/x")

    for reading in readings:
        reading.process.send_signal(signal.SIGCONT)

    for reading in readings:
        reading.out.until("branch changed: main → feat/x")
    assert "is stopped" not in box.run("status").stdout
    for reading in readings:
        assert reading.kill(signal.SIGTERM) == 0
        assert not any("(again)" in line for line in [*reading.out.seen, *reading.out.end()])


def test_a_host_that_is_stopped_from_its_terminal_makes_way_first(box: Box) -> None:
    """Ctrl-Z. A reader that is stopped so shows nothing until it is continued, and then all."""
    box.open_gates()
    project = box.repository()
    words = [sys.executable, "-I", "-S", str(HOT), "run", "--as=one"]
    first = box.start(words, project, group=0)
    taught(first)
    second = box.reader(project, "--as=two")
    taught(second)
    box.looked(2)
    assert host(box)[0] == str(first.process.pid)

    first.process.send_signal(signal.SIGTSTP)

    eventually(lambda: host(box)[:1] == [str(second.process.pid)])
    eventually(lambda: _state(first.process.pid) == "T")
    box.git(project, "switch", "-q", "-c", "feat/x")
    second.out.until("branch changed: main → feat/x")
    first.process.send_signal(signal.SIGCONT)
    first.out.until("branch changed: main → feat/x")
    assert host(box)[0] == str(second.process.pid)
    assert [reading.kill(signal.SIGTERM) for reading in (first, second)] == [0, 0]
    assert not any("(again)" in line for line in [*first.out.seen, *second.out.seen])


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_a_client_that_is_killed_takes_its_reader_along_wherever_it_is(box: Box) -> None:
    """Two readers of one client: the host, and one that stands by."""
    project = box.repository()
    client = box.client(project)
    attached(box, client)
    client.monitor()
    client.err.until("this one waits")
    client.prompt()
    client_taught(client)
    pids = _children(client.pid)
    assert len(pids) == 2

    client.process.kill()

    client.out.end()
    eventually(lambda: not any(_runs(pid) for pid in pids))


def _children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
