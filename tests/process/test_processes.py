"""Builds around a session, with real processes: who runs them, how they end, what it costs."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.process.box import Box, Client, eventually

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


def test_a_reported_build_is_told_with_its_exit_code(box: Box, make: Path) -> None:
    project = box.repository()
    attended(box, project)
    flag = box.home / "flag"
    flag.touch()

    done = box.hot("build", "--", str(make), str(flag), "2", cwd=project)

    assert done.returncode == 2
    eventually(lambda: told(box, "failed with exit code 2") == 1)
