"""`attend demo`: its first seconds, for real; the whole minute is the same with more of it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.process.box import Box, Reading, eventually


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started and not yet buried."""
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def playing(box: Box, **env: str) -> Reading:
    return Reading(
        subprocess.Popen(
            [sys.executable, "-P", "-m", "attendd", "demo"],
            env=box.env | env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_demo_shows_real_lines_and_leaves_nothing_behind(box: Box, number: int) -> None:
    reading = playing(box)
    try:
        first = reading.out.line()
        folder = Path(first.split(" works in ")[1].split("/lighthouse")[0])
        taught = reading.out.until("> [attend sensor=disclosure priority=high]")
        assert "First attend tells the agent what such lines are" in taught[-2]
        assert folder.is_dir()
        (attending,) = children_of(reading.process.pid)
        reading.out.until("The session itself commits")
        code = reading.kill(number)
        said = reading.err.end()
    finally:
        reading.end()

    assert (code, said) == (130, [])
    assert not folder.exists()
    eventually(lambda: not Path(f"/proc/{attending}").exists())
    assert not (box.home / "attend").exists()


@pytest.mark.parametrize("by", ["cleanup", "demo"])
def test_what_a_killed_demo_left_is_removed_later(box: Box, by: str) -> None:
    """By this one, or by another test's that runs meanwhile."""
    reading = playing(box)
    try:
        first = reading.out.line()
        folder = Path(first.split(" works in ")[1].split("/lighthouse")[0])
        assert folder.is_dir()
        reading.out.until("> [attend sensor=disclosure priority=high]")
        (attending,) = children_of(reading.process.pid)
        kept = str(folder) in box.run("cleanup", "--dry-run").stdout
        reading.kill(signal.SIGKILL)
    finally:
        reading.end()
    assert not kept
    eventually(lambda: not Path(f"/proc/{attending}").exists())

    if by == "cleanup":
        assert box.run("cleanup").returncode == 0
    else:
        again = playing(box)
        again.out.line()
        again.kill(signal.SIGTERM)
        again.end()

    assert not folder.exists()


def test_without_git_the_demo_says_that_and_nothing_else(box: Box) -> None:
    done = box.run("demo", env={"PATH": "/nowhere"})

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "attend: git was not found\n  hint: install git, then try again\n"


def test_a_demo_inside_a_real_client_pretends_its_own_session(box: Box) -> None:
    """The client's own session must not get a line of it."""
    client = box.client(box.repository())
    client.do(
        f"CLAUDECODE=1 CLAUDE_PID={client.pid} '{sys.executable}' -P -m attendd demo & echo $!"
    )
    pid = int(client.out.line())
    try:
        client.out.until("> [attend sensor=disclosure priority=high]")
        (attending,) = children_of(pid)
        environment = Path(f"/proc/{attending}/environ").read_bytes().split(b"\0")
    finally:
        os.kill(pid, signal.SIGTERM)
        eventually(lambda: not children_of(pid) if Path(f"/proc/{pid}").exists() else True)

    assert f"CLAUDE_PID={pid}".encode() in environment
    assert b"CLAUDECODE=1" not in environment
    assert not (box.home / "attend").exists()
