"""Whatever is wrong, a hook stands in nobody's way."""

import json
import os
import select
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.process.box import DEADLINE_S, HOT, HURRIED, Box
from tests.process.hookcalls import context, event, hook, log, rows, silent


@pytest.fixture
def ready(box: Box) -> Box:
    """A box whose store has been made."""
    assert context(hook(box, event(box, session_id="earlier")))
    return box


@pytest.mark.parametrize(
    "stdin",
    [
        b"",
        b"{}",
        b"not json",
        b'"SessionStart"',
        b'["SessionStart"]',
        b'{"hook_event_name":"SessionStart"}',
        b'{"hook_event_name":"SessionStart","session_id":""}',
        b'{"hook_event_name":"SessionStart","session_id":"a\\nb","cwd":"/"}',
        b'{"hook_event_name":"SessionStart","session_id":"' + b"x" * 200 + b'"}',
        b'{"hook_event_name":"SessionStart","session_id":"x","cwd":"\\ud83d"}',
        b'{"hook_event_name":"SessionStart","session_id":"x"',
        b'\xff\xfe"SessionStart"',
        b"[" * 100_000 + b'"SessionStart"',
        b'{"hook_event_name":"SessionStart","session_id":"x","p":"' + b"y" * (1 << 20) + b'"}',
    ],
    ids=range(14),
)
def test_broken_input_is_met_with_silence(box: Box, stdin: bytes) -> None:
    assert silent(hook(box, stdin))
    assert not (box.state / "attend.db").exists() or rows(box, "SELECT 1 FROM session") == []


def test_an_event_that_is_too_long_leaves_a_trace(ready: Box) -> None:
    prompt = event(ready, hook_event_name="UserPromptSubmit", prompt="y" * 1_200_000)

    assert silent(hook(ready, prompt))
    assert " an event of 1,200," in log(ready)
    assert log(ready).endswith(" bytes is not looked at: over 1,048,576\n")


def test_a_start_in_a_strange_place_is_a_start(box: Box) -> None:
    places = ["/gone/for/ever", f"{box.home}/日本\n{'x' * 300}", "relative", "/", ""]

    for number, cwd in enumerate(places):
        assert context(hook(box, event(box, cwd=cwd, session_id=f"s-{number}")))

    assert context(hook(box, event(box, cwd=None, transcript_path=None, session_id="s-9")))


class Stuck:
    """A hook that can't go on: its input stays open, or its output takes nothing."""

    def __init__(self, box: Box, **streams: Any) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(HOT), *HURRIED], env=box.env, **streams
        )

    def ends(self) -> int:
        return self.process.wait(DEADLINE_S)


def test_an_input_that_does_not_end_is_not_waited_for(ready: Box) -> None:
    stuck = Stuck(ready, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert stuck.process.stdin is not None
    stuck.process.stdin.write(event(ready).encode())
    stuck.process.stdin.flush()

    code = stuck.ends()

    assert (code, *stuck.process.communicate()) == (0, b"", b"")
    assert log(ready).endswith(" no answer within 833 ms\n")


HOLD = """
import fcntl, sys
with open(sys.argv[1], "r+b") as index:
    fcntl.lockf(index, fcntl.LOCK_EX, 8, 120)
    print("held", flush=True)
    sys.stdin.read()
"""
"""Holds all locks that SQLite has in its index of the log."""


@pytest.fixture
def full_pipe() -> Iterator[tuple[int, int]]:
    """A pipe that takes nothing more."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    size = 65_536
    while size:
        try:
            os.write(writing, b"x" * size)
        except BlockingIOError:
            size //= 2
    os.set_blocking(writing, True)
    yield reading, writing
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize("room", [0, 4096])
def test_an_output_that_takes_nothing_gets_no_half_an_answer(
    ready: Box, full_pipe: tuple[int, int], room: int
) -> None:
    reading, writing = full_pipe
    held = len(os.read(reading, room)) if room else 0
    stuck = Stuck(ready, stdin=subprocess.PIPE, stdout=writing, stderr=subprocess.PIPE)
    padding = "x" * 4096  # so that what is to be said can't fit

    started = stuck.process.communicate(
        event(ready, session_id="full", source=padding).encode()
    )

    assert (stuck.ends(), started[1]) == (0, b"")
    os.set_blocking(reading, False)
    left = b""
    while select.select([reading], [], [], 0)[0]:
        left += os.read(reading, 65_536)
    assert held == room
    answered = b"hookSpecificOutput" in left
    assert not answered or json.loads(left.lstrip(b"x"))
    assert answered or log(ready).endswith(" no room in the output\n")
    assert len(rows(ready, "SELECT 1 FROM telling WHERE session = 'full'")) == int(answered)


def test_an_output_that_nobody_reads_is_a_failure_on_record(ready: Box) -> None:
    reading, writing = os.pipe()
    os.close(reading)

    stuck = Stuck(ready, stdin=subprocess.PIPE, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    _, err = stuck.process.communicate(event(ready, session_id="deaf").encode())

    assert (stuck.ends(), err) == (0, b"")
    assert "BrokenPipeError" in log(ready)
    failed = rows(ready, "SELECT failure FROM conduit WHERE session = 'deaf'")
    assert failed == [("[Errno 32] Broken pipe",)]
    assert rows(ready, "SELECT 1 FROM telling WHERE session = 'deaf'") == []


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_harm_nothing(ready: Box, closed: str) -> None:
    """A file of ours that got the number of a closed output must not get our answer."""
    command = f"'{sys.executable}' -I -S '{HOT}' hook {closed}"

    done = subprocess.run(
        ["sh", "-c", command],
        input=event(ready, session_id="closed"),
        env=ready.env,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert rows(ready, "PRAGMA integrity_check") == [("ok",)]
    assert "hookSpecificOutput" not in log(ready)


def test_a_store_that_somebody_holds_is_not_waited_for(ready: Box) -> None:
    with sqlite3.connect(ready.state / "attend.db", isolation_level=None) as held:
        held.execute("BEGIN IMMEDIATE")

        assert silent(hook(ready, event(ready, session_id="late"), HURRIED))

    held.close()
    assert "StoreError" in log(ready) or "no answer" in log(ready)


def test_a_store_that_sqlite_itself_waits_for_is_not_waited_for(ready: Box) -> None:
    """As when somebody stands still who is putting its log in order; it would take 20 seconds."""
    with closing(sqlite3.connect(ready.state / "attend.db")) as held:
        held.execute("SELECT * FROM meta").fetchall()
        holder = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(ready.state / "attend.db-shm")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        with holder:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"

            assert silent(hook(ready, event(ready, session_id="late"), HURRIED))
            assert "nothing heard of the deadline" in log(ready)
            assert holder.poll() is None


def test_a_damaged_store_costs_at_most_one_answer(ready: Box) -> None:
    for name in ("attend.db-wal", "attend.db-shm"):
        (ready.state / name).unlink(missing_ok=True)
    (ready.state / "attend.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 8176)

    first = hook(ready, event(ready, session_id="one"))

    assert (first.returncode, first.stderr) == (0, b"")
    assert context(hook(ready, event(ready, session_id="two")))


def test_no_place_for_a_store_is_met_with_silence(box: Box, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    assert silent(hook(box, event(box), ATTEND_HOME=str(tmp_path / "file" / "x")))
    assert silent(hook(box, event(box), ATTEND_HOME="relative"))


def test_the_log_of_what_it_gave_up_stays_small(ready: Box) -> None:
    path = ready.state / "hook.log"
    path.write_text("".join(f"line {number}\n" for number in range(9_000)))
    before = path.stat().st_size

    assert silent(hook(ready, b'{"hook_event_name":"SessionStart"}'))

    lines = log(ready).splitlines()
    assert path.stat().st_size <= 64 * 1024 < before
    assert lines[-2] == "line 8999"
    assert lines[0].startswith("line ")
    assert "the event is not JSON, or names no session" in lines[-1]
    assert path.stat().st_mode & 0o077 == 0o044  # it was there before, so it stays as it was
