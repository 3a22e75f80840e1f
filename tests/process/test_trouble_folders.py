"""Folders that are gone or in no repository, and no git: what people see, and what goes on."""

import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from tests.process.box import HOT, Box, Reading, eventually
from tests.process.test_host import taught
from tests.process.test_trouble_places import told


def test_without_git_the_rest_goes_on_and_why_is_said(box: Box, tmp_path: Path) -> None:
    box.open_gates()
    project = box.repository()
    reading = box.reader(project, "--as=me", PATH=str(tmp_path))
    taught(reading)
    box.journalled("low", "git is not installed, only refs are read")

    assert "git is not installed, only refs are read" in box.run("why", "--silence").stdout
    told(box, project, [reading])
    assert any("git is not installed" in line for line in reading.out.seen)
    assert "no repository" not in "".join(reading.err.seen)
    for words in ("status", "sensors"):
        problems = box.run(words).stdout.partition("to be looked at\n")[2]
        assert problems == (
            "sensor git: git is not installed, only refs are read;"
            " install git, or have it on the PATH of what runs attend's host\n"
        )


def test_no_repository_is_seen_by_people_and_told_to_nobody(box: Box) -> None:
    reading = box.reader(box.home, "--as=me")
    said = f"attend: there is no repository at {box.home}, so git has nothing to tell"
    assert reading.err.until("there is no repository")[-1] == said
    assert reading.err.line().startswith("  hint: start it in a repository ")
    taught(reading)
    box.looked()

    status, sensors = box.run("status").stdout, box.run("sensors", "git").stdout
    assert re.search(r"sensors that see less\n.*\nas:me +git .* no repository here", status)
    assert re.search(r"\ngit +limited .*: no repository here", sensors)
    assert "to be looked at" not in status + sensors
    why = box.run("why", "--silence", "--session=me").stdout
    assert "git sees less" in why
    box.git(box.home, "init", "-q", "-b", "main")
    eventually(lambda: "no repository" not in box.run("sensors").stdout)
    assert reading.kill(signal.SIGTERM) == 0


def test_a_directory_that_is_deleted_and_made_again_is_followed(box: Box) -> None:
    box.open_gates()
    with (box.home / "attend" / "config.toml").open("a") as config:
        config.write("[sensors.git]\ninterval_s = 1.0\nmin_interval_s = 1.0\n")
    folder = box.home / "gone"
    folder.mkdir()
    reading = box.reader(folder, "--as=me")
    taught(reading)
    box.looked()

    folder.rmdir()
    gone = f"sensor git: {folder} is gone; make it again, or let the session go on in a folder"
    eventually(lambda: gone in box.run("status").stdout)
    for words in (["status"], ["sensors"], ["why", "--silence"], ["log"]):
        done = box.run(*words)
        assert (done.returncode, done.stderr) == (0, ""), words
    folder.mkdir()
    box.git(folder, "init", "-q", "-b", "main")

    said = f"a repository appeared at {folder}, on main"
    assert said in reading.out.until("sensor=git", 40)[-1]


def test_a_host_whose_own_directory_is_deleted_serves_the_others(box: Box) -> None:
    box.open_gates()
    gone = box.repository("gone")
    first = box.reader(gone, "--as=one")
    taught(first)
    project = box.repository()
    second = box.reader(project, "--as=two")
    taught(second)
    box.looked(2)

    shutil.rmtree(gone)
    told(box, project, [second])

    first.out.until(f"the repository at {gone} is gone", 40)
    for reading in (first, second):
        assert reading.kill(signal.SIGTERM) == 0


def test_a_reader_started_in_a_directory_that_is_gone_is_served(box: Box) -> None:
    gone = box.home / "gone"
    gone.mkdir()
    run = f"rmdir '{gone}'; exec '{sys.executable}' -I -S '{HOT}' run --as=me"
    process = subprocess.Popen(
        ["sh", "-c", run],
        cwd=gone,
        env=box.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    reading = Reading(process)
    try:
        taught(reading)
        assert str(gone) in reading.err.line()
        assert "as:me" in box.run("status").stdout
        assert reading.kill(signal.SIGTERM) == 0
    finally:
        reading.end()
