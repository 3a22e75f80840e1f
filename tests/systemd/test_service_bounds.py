"""Within the bounds of its unit the service's sensors see what they see anywhere; no more."""

import re

from tests.process.reading import eventually
from tests.systemd.machine import UNITS, Machine
from tests.systemd.test_service_life import TAUGHT, attended, branch

QUICK = """
[governor]
gap_s = 0.0
max_batches = 1000

[sensors.processes]
interval_s = 1.0
min_interval_s = 0.5
least_s = 0.1
threshold = 1.0
"""
NETWORKS = """
import socket
from attendd.api import Observation, SensorConfig, SensorType, hookimpl

class Config(SensorConfig, frozen=True, kw_only=True):
    interval_s: float = 0.5
    min_interval_s: float = 0.2
    threshold: float = 1.0

class Sensor:
    told = False
    def __init__(self, config):
        pass
    async def poll(self, focus):
        socket.socket(socket.AF_INET).close()
        if self.told:
            return []
        self.told = True
        return [Observation(text="the network was reached", magnitude=5.0)]

@hookimpl
def attend_sensors():
    return [SensorType("networks", "looks at the network", Config, Sensor)]
"""


def test_it_runs_without_privileges_and_with_few_system_calls(served: Machine) -> None:
    status = served.run("cat", f"/proc/{served.service('MainPID')}/status")

    assert re.search(r"^NoNewPrivs:\s+1$", status, re.MULTILINE)
    assert re.search(r"^Seccomp:\s+2$", status, re.MULTILINE)


def test_git_and_processes_are_seen_with_all_that_is_to_be_known(served: Machine) -> None:
    served.write("/root/.config/attend/config.toml", QUICK)
    served.run("systemctl", "--user", "reload", "attend.service")
    project = served.project()
    reading = served.reader(project, "one")
    reading.out.until(TAUGHT)
    attended(served, 1)

    branch(served, project, "feat/x")
    reading.out.until("branch changed: main → feat/x")
    served.write(f"{project}/Makefile", "all:\n\tsleep 8\n\texit 3\n")
    served.start("make", "-C", project)

    said = reading.out.until("failed with exit code 2")[-1]
    assert f"`make -C {project}`, started by a program outside any session" in said


def test_a_sensor_that_needs_more_fails_for_all_to_see_until_it_is_allowed(
    served: Machine,
) -> None:
    served.write("/root/lib/networks.py", NETWORKS)
    about = "/root/lib/networks-1.dist-info"
    served.write(f"{about}/METADATA", "Metadata-Version: 2.1\nName: networks\nVersion: 1\n")
    served.write(f"{about}/entry_points.txt", "[attend]\nnetworks = networks\n")
    drop_in = f"{UNITS}/attend.service.d/override.conf"
    served.write(drop_in, "[Service]\nEnvironment=PYTHONPATH=/root/lib\n")
    served.run("systemctl", "--user", "daemon-reload")
    served.run("attend", "service", "restart")
    reading = served.reader(served.project(), "one")
    reading.out.until(TAUGHT)

    eventually(lambda: "1 failing" in served.service("StatusText"))
    assert "Address family not supported" in served.run("attend", "why", "--now")
    more = "RestrictAddressFamilies=AF_INET AF_INET6\n"
    served.write(drop_in, f"[Service]\nEnvironment=PYTHONPATH=/root/lib\n{more}")
    served.run("systemctl", "--user", "daemon-reload")
    served.run("attend", "service", "restart")

    reading.out.until("the network was reached")
    assert "failing" not in served.service("StatusText")
