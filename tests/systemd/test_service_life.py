"""The service with a real systemd: started by whoever comes first, never lost for long."""

import json
import re
import time
from collections import Counter

import pytest

from tests.process.reading import Reading, eventually
from tests.systemd.machine import RUNTIME, UNITS, Machine

TAUGHT = "`attend run` belongs"
ASK = (
    "import socket, sys; s = socket.socket(socket.AF_UNIX); s.settimeout(20);"
    ' s.connect(sys.argv[1]); s.sendall(b\'{"ask": "status"}\\n\'); print(s.recv(9999).decode())'
)


def host(machine: Machine) -> str:
    """Return the pid of whoever is the host."""
    found = json.loads(machine.run("attend", "status", "--json"))["host"]
    return str(found["pid"]) if found else ""


def served_by_service(machine: Machine) -> bool:
    return host(machine) == machine.service("MainPID") != "0"


def ask(machine: Machine, name: str) -> Reading:
    """Ask at a socket, whoever listens there."""
    return machine.start("python3", "-c", ASK, f"{RUNTIME}/attend/{name}")


def send(machine: Machine, text: str, to: str = "one") -> None:
    machine.run("attend", "send", "--as=mira", "--to", to, text)


def attended(machine: Machine, count: int) -> None:
    """Wait until the host has looked at the repository for so many sessions."""

    def looked() -> bool:
        sessions = json.loads(machine.run("attend", "why", "--now", "--json"))["sessions"]
        sensors = [each for session in sessions for each in session["sensors"]]
        looks = [each["polled_at"] for each in sensors if each["sensor"] == "git"]
        return len([each for each in looks if each]) == count

    eventually(looked)


def branch(machine: Machine, project: str, name: str) -> None:
    machine.run("git", "-C", project, "switch", "-q", "-c", name)


def test_the_first_session_starts_it_and_loses_nothing_that_came_meanwhile(
    served: Machine,
) -> None:
    project = served.project()
    served.run("systemctl", "--user", "stop", "attend.service")
    assert served.service("ActiveState") == "inactive"

    reading = served.reader(project, "one")
    reading.err.until("listening for")
    asked = [ask(served, "service.sock") for _ in range(3)]
    for n in range(5):
        send(served, f"number {n}.")

    reading.out.until("number 4.")
    answers = [json.loads(each.out.line())["ok"]["host"] for each in asked]
    assert {str(each["pid"]) for each in answers} == {served.service("MainPID")}
    assert {each["kind"] for each in answers} == {"daemon"}
    assert not re.search(r"step_up\.py", served.run("ps", "-eo", "args"))
    attended(served, 1)
    branch(served, project, "feat/x")
    reading.out.until("branch changed: main → feat/x")
    seen = [line for line in reading.out.seen if "number " in line]
    assert [line[-9:] for line in seen] == [f"number {n}." for n in range(5)]


def stop(machine: Machine) -> float:
    """Stop the service and what would start it again; return how long that took."""
    began = time.monotonic()
    machine.run("systemctl", "--user", "stop", "attend.socket", "attend.service")
    return time.monotonic() - began


def test_a_stop_takes_less_than_a_second_and_sessions_look_after_themselves(
    served: Machine,
) -> None:
    project = served.project()
    readings = [served.reader(project, f"r{n}") for n in range(3)]
    for reading in readings:
        reading.out.until(TAUGHT)
    attended(served, 3)
    pid = served.service("MainPID")

    assert stop(served) < 1.0

    assert served.service("Result") == "success"
    assert not served.true("kill", "-0", pid)
    eventually(lambda: host(served) not in ("", pid))
    branch(served, project, "feat/x")
    for reading in readings:
        reading.out.until("branch changed: main → feat/x")


def test_a_stop_leaves_no_process_socket_or_lock(served: Machine) -> None:
    reading = served.reader(served.project(), "one")
    reading.out.until(TAUGHT)
    attended(served, 1)
    served.run("pkill", "-TERM", "-f", "--", "run --as=one")
    assert reading.process.wait(20) == 0

    assert stop(served) < 1.0

    assert served.run("find", f"{RUNTIME}/attend", "!", "-type", "d") == ""
    left = served.run("ls", "/root/.local/state/attend").split()
    assert [name for name in left if name.startswith("host")] == []
    assert "attend" not in served.run("ps", "-eo", "args")


def test_who_is_stopped_by_hand_is_not_started_by_a_session_that_goes_on(
    served: Machine,
) -> None:
    reading = served.reader(served.project(), "one")
    reading.out.until(TAUGHT)

    served.run("systemctl", "--user", "stop", "attend.service")

    eventually(lambda: host(served) != "")
    assert served.service("ActiveState") == "inactive"


BLOCKS = """
import os, signal, time
from attendd.api import SensorConfig, SensorType, hookimpl

FLAG = "/root/block"

class Config(SensorConfig, frozen=True, kw_only=True):
    interval_s: float = 0.2
    min_interval_s: float = 0.2

class Sensor:
    def __init__(self, config):
        pass
    async def poll(self, focus):
        if os.path.exists(FLAG):
            os.remove(FLAG)
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
            time.sleep(3600)
        return []

@hookimpl
def attend_sensors():
    return [SensorType("blocks", "blocks when asked to", Config, Sensor)]
"""


def test_a_loop_that_is_blocked_is_restarted_by_the_watchdog(served: Machine) -> None:
    served.write("/root/lib/blocks.py", BLOCKS)
    about = "/root/lib/blocks-1.dist-info"
    served.write(f"{about}/METADATA", "Metadata-Version: 2.1\nName: blocks\nVersion: 1\n")
    served.write(f"{about}/entry_points.txt", "[attend]\nblocks = blocks\n")
    settings = "[Service]\nWatchdogSec=1\nEnvironment=PYTHONPATH=/root/lib\n"
    served.write(f"{UNITS}/attend.service.d/quick.conf", settings)
    served.run("systemctl", "--user", "daemon-reload")
    served.run("attend", "service", "restart")
    project = served.project()
    reading = served.reader(project, "one")
    reading.out.until(TAUGHT)
    attended(served, 1)
    pid = served.service("MainPID")

    served.run("touch", "/root/block")

    eventually(lambda: served.service("NRestarts") == "1")
    eventually(lambda: served_by_service(served))
    assert served.service("MainPID") != pid
    branch(served, project, "feat/x")
    reading.out.until("branch changed: main → feat/x")
    log = served.run("attend", "service", "logs")
    assert "Watchdog timeout" in log
    assert "Fatal Python error: Aborted" in log
    assert re.search(r'File "/root/lib/blocks.py", line \d+ in poll', log)


def test_of_two_started_at_once_one_serves_and_the_other_names_it_fifty_times(
    served: Machine,
) -> None:
    served.run("systemctl", "--user", "stop", "attend.service")
    said: Counter[str] = Counter()
    for _ in range(50):
        other = served.start("attendd")
        served.run("systemctl", "--user", "start", "attend.service", check=False)
        eventually(lambda: host(served) != "")
        here = served.service("MainPID")
        if here == "0":  # the one that was started by hand was first
            assert served.service("ExecMainStatus") == "7"
            served.run("systemctl", "--user", "reset-failed", "attend.service")
            served.run("pkill", "-TERM", "-x", "attendd")
            assert other.process.wait(20) == 0
            said["by hand"] += 1
        else:
            assert other.process.wait(20) == 7
            assert f"process {here} (daemon) is attend's host already" in other.err.line()
            served.run("systemctl", "--user", "stop", "attend.service")
            said["service"] += 1
        other.end()

    assert said.total() == 50


@pytest.mark.parametrize("lingers", [True, False])
def test_who_logs_out_keeps_it_only_by_lingering(here: Machine, *, lingers: bool) -> None:
    here.write("/root/.config/attend/config.toml", "[governor]\ngap_s = 0.0\n")
    if lingers:
        here.run("loginctl", "enable-linger", "root")
    here.run("attend", "service", "install")
    said = here.run("attend", "service", "status")
    pid = here.service("MainPID")

    here.log_out()
    eventually(lambda: "No sessions" in here.run("loginctl", "list-sessions"))
    if lingers:
        here.run("attend", "send", "--as=mira", "--to", "@human", "are you there?")
        assert here.service("MainPID") == pid
        assert served_by_service(here)
    else:
        eventually(lambda: not here.true("kill", "-0", pid), 40)
        eventually(lambda: not here.true("test", "-e", RUNTIME))
    here.log_in("again")

    assert f"lingering  {'on' if lingers else 'off'}: " in said
    eventually(lambda: served_by_service(here))
    assert (here.service("MainPID") == pid) is lingers
    reading = here.reader(here.project(), "one")
    reading.out.until(TAUGHT)
    send(here, "welcome back")
    reading.out.until("welcome back")
