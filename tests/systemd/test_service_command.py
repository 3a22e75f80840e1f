"""`attend service` with a real systemd: what it makes, what it says, what it leaves."""

import json

import pytest

from tests.process.reading import eventually
from tests.systemd.machine import UNITS, Machine


def test_installing_twice_is_installing_once(here: Machine) -> None:
    first = here.run("attend", "service", "install").splitlines()
    pid = here.service("MainPID")
    second = here.run("attend", "service", "install").splitlines()

    assert first == [
        f"wrote {UNITS}/attend.socket",
        f"wrote {UNITS}/attend.service",
        "enabled attend.socket",
        "enabled attend.service",
        f"started it: pid {pid}, 0 sessions, 0 sensors",
        "lingering is off: it ends with your last log-in; `loginctl enable-linger` keeps it running",
    ]
    assert second[0] == f"nothing was to be done; it runs: pid {pid}, 0 sessions, 0 sensors"
    assert here.service("MainPID") == pid
    assert here.run("systemd-analyze", "--user", "verify", f"{UNITS}/attend.service") == ""


def test_uninstalling_leaves_nothing(served: Machine) -> None:
    pid = served.service("MainPID")
    done = served.run("attend", "service", "uninstall").splitlines()

    assert done == [
        "stopped it",
        "disabled attend.socket",
        "disabled attend.service",
        f"removed {UNITS}/attend.socket",
        f"removed {UNITS}/attend.service",
    ]
    assert served.run(
        "find", "/root/.config", "/run/user/0/attend", "!", "-type", "d"
    ).split() == ["/root/.config/attend/config.toml"]
    assert served.run("find", "/root/.local/state/attend", "-name", "host.*") == ""
    assert not served.true("kill", "-0", pid)
    assert "0 loaded units" in served.run(
        "systemctl", "--user", "list-units", "--all", "attend*"
    )
    again = served.run("attend", "service", "uninstall")
    assert again == "there was nothing to be removed\n"
    assert served.run("attend", "service", "status").startswith("not installed; ")


def test_a_shell_with_other_places_is_a_reason_to_install_again(served: Machine) -> None:
    pid = served.service("MainPID")
    elsewhere = {"XDG_STATE_HOME": '/root/a "state" of 100%'}

    told = served.run("attend", "service", "status", env=elsewhere)
    done = served.run("attend", "service", "install", env=elsewhere).splitlines()

    assert "attend.service would be written otherwise now" in told
    assert done[0] == f"wrote {UNITS}/attend.service"
    assert served.service("MainPID") != pid
    known = json.loads(served.run("attend", "service", "status", "--json", env=elsewhere))
    assert (known["outdated"], known["host"]["pid"]) == ([], known["pid"])
    assert served.true("test", "-e", f"{elsewhere['XDG_STATE_HOME']}/attend/attend.db")


def test_status_tells_the_service_from_whoever_else_is_the_host(here: Machine) -> None:
    before = here.run("attend", "service", "status")
    here.run("attend", "service", "install")
    known = json.loads(here.run("attend", "service", "status", "--json"))
    here.run("systemctl", "--user", "stop", "attend.service")
    stopped = here.run("attend", "service", "status")
    by_hand = here.start("attendd")
    eventually(lambda: "daemon" in here.run("attend", "status"))

    assert before.startswith("not installed; `attend service install` does that\n")
    assert known["host"]["pid"] == known["pid"] == int(known["pid"])
    assert "inactive (dead)" in stopped
    assert "it comes with the next session" in stopped
    assert ": not the service" in here.run("attend", "service", "status")
    refused = here.run("attend", "service", "install", check=False)
    assert refused == (
        "attend: an `attendd` that was started by hand is the host, so the service can't be\n"
        "  hint: end it; the service then comes with the next session\n"
    )
    by_hand.end()


def test_restarting_says_how_long_it_took(served: Machine) -> None:
    pid = served.service("MainPID")

    said = served.run("attend", "service", "restart")

    assert said.startswith("restarted in ")
    assert said.endswith(f" s: pid {served.service('MainPID')}, 0 sessions, 0 sensors\n")
    assert served.service("MainPID") != pid


def test_what_is_not_installed_can_not_be_restarted(here: Machine) -> None:
    said = here.run("attend", "service", "restart", check=False)

    assert said == "attend: the service is not installed\n  hint: attend service install\n"


def test_the_log_has_what_the_service_and_systemd_said(served: Machine) -> None:
    served.run("systemctl", "--user", "reload", "attend.service")
    said = (
        "Started attend.service",
        "the configuration was read again",
        "Reloaded attend.service",
    )
    eventually(lambda: all(each in served.run("attend", "service", "logs") for each in said))
    log = served.run("attend", "service", "logs")
    rows = [
        json.loads(row)
        for row in served.run("attend", "service", "logs", "--json").splitlines()
    ]
    one = served.run("attend", "service", "logs", "--last", "1")

    assert len(one.splitlines()) == 1
    about = {row.get("USER_UNIT") or row["_SYSTEMD_USER_UNIT"] for row in rows}
    assert about == {"attend.service"}
    assert served.run("attend", "service", "logs", "--since", "1d") == log


@pytest.mark.parametrize(
    "folder", ["a b", "q\"u'o", "per%cent%h", "back\\slash", "do$HOME", "é;#"]
)
def test_the_program_is_started_wherever_it_lies(here: Machine, folder: str) -> None:
    home = f"/srv/{folder}"
    program = here.run("sh", "-c", "realpath $(command -v attendd)").strip()
    prefix = program.removesuffix("/bin/attendd")
    here.run("sh", "-c", 'mkdir -p "$1" && cp -a "$2" "$1/env"', "sh", home, prefix)
    here.run("sed", "-i", f"1s|.*|#!{prefix}/bin/python|", f"{home}/env/bin/attendd")

    here.run(f"{home}/env/bin/python", "-P", "-m", "attendd", "service", "install")

    words = here.run("cat", f"/proc/{here.service('MainPID')}/cmdline").split("\0")
    assert f"{home}/env/bin/attendd" in words
    here.run("attend", "service", "uninstall")
