"""One host for all: who it is, how it is handed over, what it leaves."""

import os
import signal
import time
from pathlib import Path

from tests.process.box import Box, Reading, eventually


def host(box: Box) -> list[str]:
    """Return the words of the host's note: pid, start, kind, version."""
    path = box.state / "host.lock"
    return path.read_text().split() if path.exists() else []


def is_full(reading: Reading) -> bool:
    """Tell whether a reader has become the full program."""
    return b"step_up" in Path(f"/proc/{reading.process.pid}/cmdline").read_bytes()


def taught(reading: Reading) -> None:
    """Wait for the first disclosure to be whole."""
    reading.out.until("`attend run` belongs")


def test_the_first_reader_is_the_host_and_the_others_are_small(box: Box) -> None:
    box.open_gates()
    project = box.repository()
    first = box.reader(project, "--as=one")
    taught(first)
    second = box.reader(project, "--as=two")
    taught(second)

    assert host(box)[:1] == [str(first.process.pid)]
    assert is_full(first)
    assert not is_full(second)


def test_every_session_is_told_what_happens_in_its_repository(box: Box) -> None:
    box.open_gates()
    project = box.repository()
    readings = [box.reader(project, f"--as={name}") for name in ("one", "two", "three")]
    for reading in readings:
        taught(reading)
    box.looked(len(readings))

    box.git(project, "switch", "-q", "-c", "feat/x")

    for reading in readings:
        line = reading.out.until("sensor=git")[-1]
        assert line == "[attend sensor=git priority=medium] branch changed: main → feat/x"


def test_a_host_that_is_killed_is_replaced_by_a_reader_that_goes_on(box: Box) -> None:
    box.open_gates()
    project = box.repository()
    first = box.reader(project, "--as=one")
    taught(first)
    second = box.reader(project, "--as=two")
    taught(second)

    first.kill()
    killed_at = time.time()
    eventually(lambda: host(box)[:1] == [str(second.process.pid)], 10)
    box.looked(since=killed_at)
    box.git(project, "switch", "-q", "-c", "feat/x")

    told = second.out.until("sensor=git")
    assert "branch changed: main → feat/x" in told[-1]
    assert not any("sensor=disclosure" in line for line in told)


def test_what_changed_while_there_was_no_host_is_told_by_the_next(box: Box) -> None:
    """The last look is part of what is handed over."""
    box.open_gates()
    project = box.repository()
    first = box.reader(project, "--as=one")
    taught(first)
    second = box.reader(project, "--as=two")
    taught(second)
    box.looked(2)
    second.process.send_signal(signal.SIGSTOP)

    assert first.kill(signal.SIGTERM) == 0
    box.git(project, "switch", "-q", "-c", "feat/x")
    second.process.send_signal(signal.SIGCONT)

    assert "branch changed: main → feat/x" in second.out.until("sensor=git")[-1]


def test_a_clean_end_leaves_no_process_lock_or_socket(box: Box) -> None:
    box.open_gates()
    project = box.repository()
    reading = box.reader(project, "--as=one")
    taught(reading)

    assert reading.kill(signal.SIGTERM) == 0

    runtime = Path(box.env["ATTEND_HOME"]) / "run"
    assert list(runtime.iterdir()) == []
    again = box.reader(project, "--as=one")
    taught(again)
    assert host(box)[:1] == [str(again.process.pid)]


def test_attendd_takes_over_from_an_embedded_host_and_back(box: Box) -> None:
    box.open_gates()
    project = box.repository()
    reading = box.reader(project, "--as=one")
    taught(reading)
    box.looked()
    daemon = box.daemon()

    eventually(lambda: host(box)[2:3] == ["daemon"])
    eventually(lambda: not is_full(reading))
    box.git(project, "switch", "-q", "-c", "feat/x")
    assert "branch changed: main → feat/x" in reading.out.until("sensor=git")[-1]

    assert daemon.kill(signal.SIGTERM) == 0
    eventually(lambda: host(box)[2:3] == ["embedded"])
    assert host(box)[:1] == [str(reading.process.pid)]
    box.git(project, "switch", "-q", "main")
    assert "branch changed: feat/x → main" in reading.out.until("sensor=git")[-1]
    told = [line for line in reading.out.seen if line.startswith("[attend ")]
    assert len(told) == len(set(told)) == 3  # its teaching and two changes, none of it again


def test_a_second_attendd_says_who_the_host_is(box: Box) -> None:
    first = box.daemon()
    eventually(lambda: host(box)[2:3] == ["daemon"])

    second = box.daemon()

    assert second.process.wait(30) == 7
    said = f"attendd: process {first.process.pid} (daemon) is attend's host already"
    assert second.err.line() == said


def test_a_full_program_that_cannot_start_leaves_a_reader(box: Box) -> None:
    """Here because nothing of what it needs is installed for this interpreter."""
    bare = box.home / "bare"
    bare.symlink_to(os.path.realpath("/proc/self/exe"))
    reading = box.reader(box.home, "--as=one", interpreter=str(bare))

    said = reading.err.until("reading goes on")[-1]

    assert said.startswith("attend: the host stopped (ModuleNotFoundError: ")
    assert reading.kill(signal.SIGTERM) == 0
