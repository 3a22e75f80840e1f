"""Odd surroundings: paths, environment, locale, no watches, no git, a broken configuration."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.process.box import DEADLINE_S, HOT, ROOT, Box, Reading, eventually
from tests.process.test_host import taught

OPEN_GATES = "[governor]\ngap_s = 0.0\nmax_batches = 1000\n"
NAMES = ["with blanks", "new\nline", "per%3fcent?#", "häuschen 家", "quo\"te'$(x)`", "-dash"]


def moved(box: Box, home: Path) -> None:
    """Have attend's home elsewhere, with open gates."""
    box.env["ATTEND_HOME"] = str(home)
    box.state = home / "state"
    home.mkdir(parents=True)
    (home / "config.toml").write_text(OPEN_GATES)


def told(box: Box, project: Path, readings: list[Reading]) -> None:
    """See readings being told of their repository, at once."""
    box.git(project, "switch", "-q", "-c", "feat/x")
    for reading in readings:
        reading.out.until("branch changed: main → feat/x")


@pytest.mark.parametrize("name", NAMES)
def test_a_home_may_have_any_name(box: Box, name: str) -> None:
    moved(box, box.home / name)
    project = box.repository()
    readings = [box.reader(project, f"--as={who}") for who in ("one", "two")]
    for reading in readings:
        taught(reading)
    box.looked(2)

    told(box, project, readings)

    done = box.run("status")
    assert (done.returncode, done.stderr) == (0, "")
    assert "attended  2 sessions" in done.stdout
    assert "to be looked at" not in done.stdout
    for reading in readings:
        assert reading.kill(signal.SIGTERM) == 0


def test_a_home_so_deep_that_no_socket_fits_has_them_elsewhere(box: Box) -> None:
    moved(box, box.home / ("x" * 100) / ("y" * 100))
    project = box.repository()
    reading = box.reader(project, "--as=me")
    taught(reading)
    box.looked()

    told(box, project, [reading])

    assert reading.kill(signal.SIGTERM) == 0


def test_a_home_too_deep_for_the_store_is_said(box: Box) -> None:
    moved(box, box.home / ("x" * 200) / ("y" * 200) / ("z" * 200))
    reading = box.reader(box.home, "--as=me")

    line = reading.out.line()

    assert line.startswith(
        "[attend sensor=attend priority=medium] attend: the path of the store"
    )
    assert line.endswith("; set ATTEND_HOME to a folder with a shorter path")
    assert reading.kill(signal.SIGTERM) == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"HOME": ""},
        {"HOME": "relative"},
        {"TMPDIR": "/nowhere"},
        {"LANG": "C", "LC_ALL": "C"},
        {"LANG": "xx_YY.UTF-8", "LC_ALL": "xx_YY.UTF-8"},
        {"LANG": "", "LC_ALL": ""},
        {"PYTHONHOME": "/nowhere", "PYTHONPATH": "/nowhere", "PYTHONIOENCODING": "ascii"},
    ],
    ids=str,
)
def test_the_environment_may_be_odd(box: Box, changes: dict[str, str]) -> None:
    box.open_gates()
    project = box.repository("häuschen")
    reading = box.reader(project, "--as=me", **changes)
    taught(reading)
    box.looked()

    box.git(project, "switch", "-q", "-c", "zweig/für-später")

    assert reading.out.until("sensor=git")[-1].endswith("main → zweig/für-später")
    done = box.run("log", env={key: v for key, v in changes.items() if key[:2] != "PY"})
    assert (done.returncode, done.stderr) == (0, "")


def test_a_locale_that_is_not_unicode_changes_nothing(box: Box) -> None:
    """What one process writes down of a path, another one must find by it."""
    if shutil.which("localedef") is None:
        pytest.skip("no locale can be made here")
    name = "de_DE.ISO-8859-1"
    made = subprocess.run(
        ["localedef", "-i", "de_DE", "-f", "ISO-8859-1", str(box.home / name)],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("this locale can't be made here")
    box.env |= {"LOCPATH": str(box.home), "LC_ALL": name, "LANG": name}
    moved(box, box.home / "häuschen")
    project = box.repository("überall")
    attend = str(ROOT / "bin" / "attend")
    env = box.env | {"PATH": f"{Path(sys.executable).parent}:{box.env['PATH']}"}
    readings = [
        Reading(
            subprocess.Popen(
                [sys.executable, "-I", "-S", "-X", "utf8", str(HOT), "run", f"--as={who}"],
                cwd=project,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        )
        for who in ("one", "two")
    ]
    assert Path(attend).read_text().count("-X utf8") >= 2  # the launcher starts them like this
    try:
        for reading in readings:
            taught(reading)
        box.looked(2)
        told(box, project, readings)
    finally:
        for reading in readings:
            reading.end()


def test_without_watches_changes_are_found_by_looking_and_that_is_said(box: Box) -> None:
    """The limit is a namespace's own, so nothing of this machine is changed."""
    box.open_gates()
    (box.home / "attend" / "config.toml").write_text(
        OPEN_GATES + "[sensors.git]\ninterval_s = 1.0\nmin_interval_s = 0.5\n"
    )
    project = box.repository()
    limit = "echo 0 >/proc/sys/user/max_inotify_instances"
    if subprocess.run(["unshare", "-U", "-r", "sh", "-c", limit], check=False).returncode:
        pytest.skip("no namespace of users can be had here")
    command = f'{limit} && exec "$@"'
    words = [sys.executable, "-I", "-S", str(HOT), "run", "--as=me"]
    process = subprocess.Popen(
        ["unshare", "-U", "-r", "sh", "-c", command, "sh", *words],
        cwd=project,
        env=box.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    reading = Reading(process)
    try:
        taught(reading)
        box.looked()
        told(box, project, [reading])
        said = "watching failed (no inotify instances left, fs.inotify.max_user_instances)"
        eventually(lambda: said in box.run("status").stdout)
        assert said in reading.err.until("watching failed")[-1]
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE_S) == 0
        reading.end()


def test_a_configuration_that_is_none_is_said_and_replaced_by_defaults(box: Box) -> None:
    config = box.home / "attend" / "config.toml"
    config.parent.mkdir()
    config.write_text("[governor\n")
    project = box.repository()
    reading = box.reader(project, "--as=me")
    taught(reading)

    reading.err.until("config.toml: not valid TOML: ")
    assert "config.toml: not valid TOML: " in box.run("status").stdout
    assert box.run("config", "lint").returncode == 3


def test_a_configuration_that_breaks_leaves_what_it_said_in_force(box: Box) -> None:
    box.open_gates()
    config = box.home / "attend" / "config.toml"
    project = box.repository()
    reading = box.reader(project, "--as=me")
    taught(reading)
    box.looked()

    config.write_text(OPEN_GATES + "gap_s = [\n")
    told(box, project, [reading])
    box.git(project, "switch", "-q", "main")

    assert "→ main" in reading.out.until("sensor=git")[-1]
    assert "config.toml: not valid TOML: " in box.run("status").stdout


@pytest.mark.parametrize("what", ["folder", "pipe"])
def test_a_configuration_that_is_no_file_holds_nobody_up(box: Box, what: str) -> None:
    config = box.home / "attend" / "config.toml"
    config.parent.mkdir()
    (os.mkdir if what == "folder" else os.mkfifo)(config)

    taught(box.reader(box.repository(), "--as=me"))

    assert "config.toml: cannot be read: " in box.run("status").stdout
