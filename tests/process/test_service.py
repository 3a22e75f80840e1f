"""`attendd` as a service: what its manager hears of it, what it takes over, what it leaves."""

import json
import os
import pty
import re
import shutil
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from attendd import control
from attendd.control import Ask
from attendd.hot import attach, locks
from tests.process.box import DEADLINE_S, Box, Reading, eventually
from tests.process.installing import Installed
from tests.process.test_host import host, is_full, taught

HANDED = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
os.execv(sys.argv[2], sys.argv[2:])
"""
"""Hands a descriptor over as systemd would."""


IN_TERMINAL = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(int(sys.argv[1]), termios.TIOCSCTTY, 0)
os.close(int(sys.argv[1]))
os.execv(sys.argv[2], sys.argv[2:])
"""
"""Makes a descriptor the terminal that a program belongs to."""


@pytest.fixture(autouse=True)
def at_home(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have this process ask the box's host."""
    for name in ("HOME", "ATTEND_HOME"):
        monkeypatch.setenv(name, box.env[name])


@pytest.fixture
def manager(box: Box) -> Iterator[socket.socket]:
    """A stand-in for the service manager's end."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listens:
        listens.bind(str(box.home / "notify"))
        listens.settimeout(DEADLINE_S)
        yield listens


def heard(manager: socket.socket, said: str) -> str:
    """Return what was said first that begins so."""
    while not (text := manager.recv(9999).decode()).startswith(said):
        pass
    return text


def asked(ask: str = "status", sensor: str = "") -> Any:
    return control.ask(Ask(ask, sensor=sensor), DEADLINE_S)


def serves(pid: int) -> bool:
    return bool((asked() or {"host": {"pid": 0}})["host"]["pid"] == pid)


def test_a_service_manager_is_told_how_the_host_fares(box: Box, manager: socket.socket) -> None:
    box.open_gates()
    address = manager.getsockname()
    daemon = box.daemon(NOTIFY_SOCKET=address, WATCHDOG_USEC="600000")
    assert heard(manager, "READY=1") == "READY=1\nSTATUS=0 sessions, 0 sensors"
    for _ in range(3):
        heard(manager, "WATCHDOG=1")
    taught(box.reader(box.repository(), "--as=one"))
    assert heard(manager, "STATUS=") == "STATUS=1 session, 5 sensors"

    config = box.home / "attend" / "config.toml"
    config.write_text(f"{config.read_text()}[sensors.git]\nenabled = false\n")
    daemon.process.send_signal(signal.SIGHUP)

    heard(manager, "RELOADING=1\nMONOTONIC_USEC=")
    assert heard(manager, "READY=1") == "READY=1\nSTATUS=1 session, 4 sensors"
    assert daemon.kill(signal.SIGTERM) == 0
    heard(manager, "STOPPING=1")


def test_a_terminal_that_closes_ends_it(box: Box) -> None:
    """Elsewhere the same signal has it read its configuration again."""
    shell, terminal = pty.openpty()
    daemon = box.daemon(sys.executable, "-c", IN_TERMINAL, str(terminal), hand_over=terminal)
    os.close(terminal)
    eventually(lambda: serves(daemon.process.pid))

    os.close(shell)

    assert daemon.process.wait(DEADLINE_S) == 0
    assert not Path(control.path()).exists()


def test_every_kind_of_host_can_be_asked(box: Box) -> None:
    box.open_gates()
    reading = box.reader(box.repository(), "--as=one")
    taught(reading)
    box.looked()

    assert asked()["host"]["kind"] == "embedded"
    assert asked()["said"] == "1 session, 5 sensors"
    (session,) = asked("why", sensor="git")["sessions"]
    (git,) = session["sensors"]
    assert session["session"] == "as:one"
    assert git["next_at"] > git["polled_at"]
    assert git["holds"] == []

    daemon = box.daemon()
    eventually(lambda: serves(daemon.process.pid))
    daemon.kill()
    eventually(lambda: serves(reading.process.pid))


def test_status_sensors_top_and_why_are_as_of_this_moment(box: Box) -> None:
    project = box.repository()
    reading = box.reader(project, "--as=one")
    taught(reading)
    box.looked()
    box.git(project, "switch", "-q", "-c", "feat/x")
    eventually(lambda: held(asked("why", "git")) == ["held.gap"])

    looks = ("status", "sensors", "top", "why --now")
    status, sensors, top, why = (box.run(*words.split()) for words in looks)

    assert ", with 1 session, 5 sensors\n" in status.stdout
    assert re.search(r"git +ok +.* 3 of 2 +the last batch was just now\n", sensors.stdout)
    assert re.search(r"git +\S+ 3 of 2 .* the last batch was just now\n", top.stdout)
    assert re.search(
        r"git +in \d+ s +3 of 2 +the last batch was just now \(opens in \d+ s\)"
        r" +branch changed: main → feat/x\n",
        why.stdout,
    )


def held(answer: Any) -> list[str]:
    return [each["code"] for each in answer["sessions"][0]["sensors"][0]["holds"]]


def test_a_host_that_does_not_answer_is_named(box: Box) -> None:
    lock = locks.take(attach.host_lock(), f"{os.getpid()} {attach.own_start()} daemon 0.1.0")
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(control.path(make=True))
        silent.listen()
        status, why = box.run("status"), box.run("why", "--now")
    assert lock is not None
    os.close(lock)

    said = f"the host, pid {os.getpid()}, is stuck or overloaded: no answer within 1 s\n"
    assert status.stdout.endswith(said)
    assert (status.returncode, why.returncode) == (0, 1)
    assert why.stderr.startswith(f"attend: {said}")
    assert box.run("why", "--now").stderr.startswith("attend: nobody is the host\n")


def test_what_a_killed_one_left_is_no_obstacle(box: Box) -> None:
    for _ in range(3):
        daemon = box.daemon()
        eventually(lambda: serves(daemon.process.pid))  # noqa: B023 - called before the next
        daemon.kill()
    run = Path(control.path()).parent
    assert {each.name for each in run.iterdir()} == {"control.sock", "host.bell", "host.post"}

    last = box.daemon()
    eventually(lambda: serves(last.process.pid))
    assert last.kill(signal.SIGTERM) == 0

    assert list(run.iterdir()) == []
    assert [each.name for each in box.state.iterdir() if each.name.startswith("host")] == []


def test_of_several_started_at_once_one_serves_and_the_others_name_it(box: Box) -> None:
    racing = [box.daemon() for _ in range(4)]
    eventually(lambda: [each.process.poll() for each in racing].count(7) == 3)
    (one,) = (each for each in racing if each.process.poll() is None)

    said = f"attendd: process {one.process.pid} (daemon) is attend's host already"
    assert [each.err.line() for each in racing if each is not one] == [said] * 3
    assert serves(one.process.pid)


def test_who_asked_before_it_was_started_is_answered(box: Box) -> None:
    """A service manager listens in its place, and starts it at the first question."""
    path = str(box.home / "handed.sock")
    with socket.socket(socket.AF_UNIX) as listens:
        listens.bind(path)
        listens.listen()
        early = [connected(path) for _ in range(3)]
        for client in early:
            client.sendall(b'{"ask": "status"}\n')
        daemon = started(box, listens)
        answers = [json.loads(client.recv(9999)) for client in early]
        assert [each["ok"]["host"]["pid"] for each in answers] == [daemon.process.pid] * 3
        assert serves(daemon.process.pid)
        assert daemon.kill(signal.SIGTERM) == 0
    for client in early:
        client.close()
    assert Path(path).exists()


def test_where_another_is_the_host_who_asked_is_told_so(box: Box) -> None:
    first = box.daemon()
    eventually(lambda: serves(first.process.pid))
    path = str(box.home / "handed.sock")
    with socket.socket(socket.AF_UNIX) as listens:
        listens.bind(path)
        listens.listen()
        with connected(path) as client:
            assert started(box, listens).process.wait(DEADLINE_S) == 7

            said = json.loads(client.recv(9999))["error"]
    assert said == f"process {first.process.pid} (daemon) is attend's host already"


def started(box: Box, listens: socket.socket) -> Reading:
    fd = listens.fileno()
    return box.daemon(sys.executable, "-c", HANDED, str(fd), hand_over=fd)


def connected(path: str) -> socket.socket:
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(DEADLINE_S)
    client.connect(path)
    return client


@pytest.mark.parametrize("what", ["its directory", "all of its code"])
def test_the_folder_it_was_started_from_may_go(box: Box, what: str) -> None:
    box.open_gates()
    installed = Installed(box.home / "v")
    folder = box.home / "somewhere"
    folder.mkdir()
    daemon = box.start([str(installed.python), "-P", "-m", "attendd.daemon"], folder)
    eventually(lambda: serves(daemon.process.pid))
    project = box.repository()
    first = box.reader(project, "--as=one")
    taught(first)
    box.looked()

    shutil.rmtree(folder if what == "its directory" else installed.path)
    second = box.reader(project, "--as=two")
    taught(second)
    box.looked(2)
    box.git(project, "switch", "-q", "-c", "feat/x")

    for reading in (first, second):
        assert "branch changed: main → feat/x" in reading.out.until("sensor=git")[-1]
        assert not is_full(reading)
    assert host(box)[:1] == [str(daemon.process.pid)]
