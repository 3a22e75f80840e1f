"""A host that fails, steps back, is stopped or loses its lock: somebody else goes on."""

import signal
from pathlib import Path

from tests.process.box import Box, Reading, eventually
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
