"""Builds around a session, with real processes: who runs them, how they end, what it costs."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sensors.processes import table
from tests.process.box import HOT, Box, Client, eventually
from tests.process.plugging import Plugged
from tests.process.test_host import taught
from tests.process.test_trouble_clock import SET, STEPPED, set_clock

MAKE = """#!/bin/sh
while [ ! -e "$1" ]; do sleep 0.05; done
exit "$2"
"""
QUICK = """[sensors.processes]
interval_s = 0.2
min_interval_s = 0.2
least_s = 0.01
[governor]
gap_s = 0.0
"""


@pytest.fixture
def make(box: Box) -> Path:
    """A program called `make` that waits for a file and ends with a code."""
    path = box.home / "bin" / "make"
    path.parent.mkdir()
    path.write_text(MAKE)
    path.chmod(0o755)
    (box.home / "attend").mkdir(exist_ok=True)
    (box.home / "attend" / "config.toml").write_text(QUICK)
    return path


def told(box: Box, text: str, code: str = "observed") -> int:
    """Count the observations of the processes sensor that contain a text."""
    sql = """SELECT count(*) FROM entry WHERE sensor = 'processes' AND text LIKE ?
        AND code = ?"""
    try:
        with closing(sqlite3.connect(f"file:{box.state}/journal.db?mode=ro", uri=True)) as db:
            return int(db.execute(sql, (f"%{text}%", code)).fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def attended(box: Box, workdir: Path) -> Client:
    client = box.client(workdir)
    client.prompt()
    client.monitor()
    box.looked(sensor="processes")
    return client


def test_a_build_left_in_the_background_wakes_who_started_it_once(box: Box, make: Path) -> None:
    project = box.repository()
    client = attended(box, project)
    flag = box.home / "flag"
    call = client.tool_call(command=f"make {flag} 3 &")
    client.do(f"CLAUDE_PID={client.pid} '{make}' '{flag}' 3 &")
    client.tool_result(call)
    client.answer()
    client.record("idle")
    eventually(lambda: told(box, "was started by this session", "own") == 1)

    flag.touch()

    line = client.out.until("sensor=processes")[-1]
    assert "started by this session, " in line
    eventually(lambda: told(box, "started by this session,") == 1)


def test_what_another_session_builds_is_told_with_its_end(box: Box, make: Path) -> None:
    project = box.repository()
    attended(box, project)
    other = box.client(project)
    flag = box.home / "flag"
    other.do(f"'{make}' '{flag}' 0 &")
    eventually(lambda: told(box, f"was started by session {other.session[:8]}") == 1)

    flag.touch()

    eventually(lambda: told(box, f"started by session {other.session[:8]}, ended") == 1)


def test_a_build_is_soon_seen_by_who_is_at_work_and_its_end_is_told_at_once(
    box: Box, make: Path
) -> None:
    """Exactly and with its exit code, however far the next look is."""
    config = box.home / "attend" / "config.toml"
    config.write_text("[sensors.processes]\nleast_s = 0.01\n[governor]\ngap_s = 0.0\n")
    project = box.repository()
    attended(box, project)
    other = box.client(project)
    flag = box.home / "flag"
    began = time.monotonic()
    other.do(f"'{make}' '{flag}' 3")
    eventually(lambda: told(box, f"was started by session {other.session[:8]}") == 1)

    ended = time.monotonic()
    flag.touch()
    eventually(lambda: told(box, "failed with exit code 3") == 1)

    assert time.monotonic() - ended < table.FRESH_S
    seconds = {round(ended - began + more) for more in (-0.5, 0, 0.5, 1)}
    assert any(told(box, f"failed with exit code 3 after {each} s") for each in seconds)


@pytest.fixture
def foreign(box: Box) -> Iterator[list[int]]:
    """More builds than are followed, in a folder where nobody is attended, without parents."""
    folder = box.home / "elsewhere" / "bin"
    folder.mkdir(parents=True)
    shutil.copy(shutil.which("sleep") or "", folder / "make")
    script = (
        f"for each in $(seq {table.MOST + 20}); do ./make 1000 >/dev/null 2>&1 & echo $!; done"
    )
    done = subprocess.run(["sh", "-c", script], cwd=folder, stdout=subprocess.PIPE, check=True)
    pids = [int(pid) for pid in done.stdout.split()]
    yield pids
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


@pytest.mark.usefixtures("foreign")
def test_foreign_builds_are_neither_held_on_to_nor_in_the_way(box: Box, make: Path) -> None:
    project = box.repository()
    client = attended(box, project)
    flag = box.home / "flag"
    host = int((box.state / "host.lock").read_text().split()[0])

    client.do(f"CLAUDE_PID={client.pid} '{make}' '{flag}' 4 &")
    eventually(lambda: told(box, "was started by this session", "own") == 1)
    fds = list(Path(f"/proc/{host}/fd").iterdir())
    held = [fd for fd in fds if "pidfd" in os.readlink(fd)]  # noqa: PTH115 - of no path
    flag.touch()

    eventually(lambda: told(box, "failed with exit code 4") == 1)
    assert len(held) < 10


def test_a_reported_build_is_told_with_its_exit_code(box: Box, make: Path) -> None:
    project = box.repository()
    attended(box, project)
    flag = box.home / "flag"
    flag.touch()

    done = box.hot("build", "--", str(make), str(flag), "2", cwd=project)

    assert done.returncode == 2
    eventually(lambda: told(box, "failed with exit code 2") == 1)


def test_what_is_reported_is_told_at_once_and_its_start_when_it_is_old_enough(
    box: Box, make: Path
) -> None:
    """However far the next look is."""
    config = box.home / "attend" / "config.toml"
    config.write_text("[sensors.processes]\nleast_s = 1.0\n[governor]\ngap_s = 0.0\n")
    project = box.repository()
    client = attended(box, project)
    client.answer()
    client.record("idle")
    flag = box.home / "flag"
    began = time.monotonic()
    words = [sys.executable, "-I", "-S", str(HOT), "build", "--", str(make), str(flag), "0"]

    with subprocess.Popen(words, cwd=project, env=box.env):
        eventually(lambda: told(box, "was started by") == 1)
        assert 1.0 <= time.monotonic() - began < table.FRESH_S
        flag.touch()
    box.hot("build", "--", "true", cwd=project)

    eventually(lambda: told(box, "ended with exit code 0") == 2)
    assert told(box, "`true`, started by") == 1


def test_a_reporter_that_is_killed_is_not_the_end_of_the_build(box: Box, make: Path) -> None:
    project = box.repository()
    attended(box, project)
    other = box.client(project)
    flag = box.home / "flag"
    other.do(f"'{sys.executable}' -I -S '{HOT}' build -- '{make}' '{flag}' 3 &")
    eventually(lambda: told(box, f"was started by session {other.session[:8]}") == 1)
    (path,) = (box.state / "builds").glob("*.json")
    os.kill(json.loads(path.read_text())["pid"], signal.SIGKILL)
    box.hot("build", "--", "true", cwd=project)  # it is looked once more
    eventually(lambda: told(box, "`true`, started by") == 1)
    before = told(box, "make%started by")

    flag.touch()

    eventually(lambda: told(box, "make%, started by") == 1)
    assert before == 1  # its start
    assert told(box, "make%was started by") == 1


RUN = f"""
import sys
{SET}
sys.argv[:] = sys.argv[1:]
with open(sys.argv[0], encoding="utf-8") as file:
    exec(compile(file.read(), sys.argv[0], "exec"), {{"__name__": "__main__", "__file__": sys.argv[0]}})
"""


@pytest.mark.parametrize("set_s", [-3600.0, 3600.0])
def test_a_clock_that_is_set_makes_a_reported_build_neither_two_nor_longer(
    box: Box, make: Path, set_s: float
) -> None:
    project = box.repository()
    taught(Plugged(box, {"stepped": STEPPED}).reader(project, "--as=me"))
    box.looked(sensor="processes")
    flag = box.home / "flag"
    words = [sys.executable, "-I", "-S", "-c", RUN, str(HOT), "build", "--"]

    with subprocess.Popen([*words, str(make), str(flag), "0"], cwd=project, env=box.env):
        eventually(lambda: told(box, "make%was started by") == 1)
        set_clock(box, set_s)
        subprocess.run([*words, "true"], cwd=project, env=box.env, check=True)
        eventually(lambda: told(box, "`true`, started by") == 1)  # so it was looked once more
        flag.touch()
    eventually(lambda: told(box, "make%ended with exit code 0") == 1)
    subprocess.run([*words, "false"], cwd=project, env=box.env, check=False)
    eventually(lambda: told(box, "`false`, started by") == 1)

    assert told(box, "make%was started by") == 1
    assert told(box, "make%, started by") == 1
    assert not any(told(box, f"make%after {wrong}") for wrong in ("0 s", "1 h", "59 min"))


def test_each_end_of_runs_that_came_between_two_looks_is_told(box: Box, make: Path) -> None:
    """However many they are, and though few of each command are kept for long."""
    project = box.repository()
    attended(box, project)
    host = int((box.state / "host.lock").read_text().split()[0])
    flag = box.home / "flag"
    flag.touch()

    os.kill(host, signal.SIGSTOP)
    for _ in range(8):
        box.hot("build", "--", str(make), str(flag), "3", cwd=project)
    os.kill(host, signal.SIGCONT)

    eventually(lambda: told(box, "failed with exit code 3") == 8)
