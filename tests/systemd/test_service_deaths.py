"""The service with a real systemd, and what ends it or takes its ground away."""

import os
import re
import sys
from collections import Counter

import pytest

from tests.process.reading import Reading, eventually
from tests.systemd.machine import ROOT, UNITS, Machine
from tests.systemd.test_service_life import (
    TAUGHT,
    attended,
    branch,
    host,
    send,
    served_by_service,
)

KILLS, READERS = (200, 20) if os.environ.get("ATTEND_TORTURE") else (14, 4)
"""With ATTEND_TORTURE=1 the whole of it."""
COPY = """
cp -a "$1" /srv/it
for name in attendd sensors disclosures; do
    cp -a "$2/$name" /srv/it/lib/python3*/site-packages/
done
sed -i '1s|.*|#!/srv/it/bin/python|' /srv/it/bin/attendd
"""
"""Puts another environment, with code of its own, in a place that may go."""


@pytest.mark.timeout(1800)
def test_killed_again_and_again_under_traffic_it_loses_and_repeats_nothing(
    served: Machine,
) -> None:
    served.write(f"{UNITS}/attend.service.d/quick.conf", "[Unit]\nStartLimitIntervalSec=0\n")
    served.run("systemctl", "--user", "daemon-reload")
    project = served.project()
    readings = [served.reader(project, f"r{n}") for n in range(READERS)]
    for reading in readings:
        reading.out.until(TAUGHT)
    for n in range(KILLS):
        pid = served.service("MainPID")
        send(served, f"before {n}.", f"r{n % READERS}")
        served.run("kill", "-9", pid)
        send(served, f"after {n}.", f"r{n % READERS}")
        eventually(lambda: served.service("MainPID") not in ("0", pid))  # noqa: B023
    eventually(lambda: served_by_service(served))

    for number, reading in enumerate(readings):
        mine = range(number, KILLS, READERS)
        sent = Counter(f"{when} {n}." for n in mine for when in ("before", "after"))
        while sent.keys() - told(reading).keys():
            reading.out.line()
        assert told(reading) == sent
        assert not any("(again)" in line for line in reading.out.seen)
        assert text(reading).count(TAUGHT) == 1


def test_one_that_can_not_stay_up_is_left_alone_until_somebody_restarts_it(
    served: Machine,
) -> None:
    served.write(f"{UNITS}/attend.service.d/few.conf", "[Unit]\nStartLimitBurst=2\n")
    served.run("systemctl", "--user", "daemon-reload")
    reading = served.reader(served.project(), "one")
    reading.out.until(TAUGHT)
    while (pid := served.service("MainPID")) != "0":
        served.run("kill", "-9", pid)
        eventually(lambda: served.service("MainPID") != pid)
        eventually(lambda: served.service("SubState") in ("running", "failed"))

    eventually(lambda: host(served) != "")
    said = served.run("attend", "service", "status")
    assert ": not the service" in said
    assert "it has failed and is not tried again" in said
    assert served.run("attend", "service", "restart").startswith("restarted in ")
    eventually(lambda: served_by_service(served))


def text(reading: Reading) -> str:
    return "\n".join(reading.out.seen)


def told(reading: Reading) -> Counter[str]:
    return Counter(re.findall(r"(?:before|after) \d+\.", text(reading)))


def test_the_folder_it_was_started_from_may_go(here: Machine) -> None:
    """That of its program, its code and its interpreter; the readers have another."""
    here.write("/root/.config/attend/config.toml", "[governor]\ngap_s = 0.0\n")
    here.run("sh", "-c", COPY, "sh", sys.prefix, str(ROOT))
    here.run("/srv/it/bin/python", "-P", "-m", "attendd", "service", "install")
    pid = here.service("MainPID")
    assert "/srv/it/bin/attendd" in here.run("cat", f"/proc/{pid}/cmdline")
    maps = f"/proc/{pid}/maps"
    eventually(lambda: "/watchfiles/" in here.run("cat", maps))  # the last that it loads
    here.run("rm", "-r", "/srv/it")

    project = here.project()
    reading = here.reader(project, "one")
    reading.out.until(TAUGHT)
    attended(here, 1)
    branch(here, project, "feat/x")

    reading.out.until("branch changed: main → feat/x")
    assert here.service("MainPID") == pid == host(here)
