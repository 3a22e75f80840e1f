"""A hook answers a session's start once, and never stands in anybody's way."""

import json
import os
import select
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.process.box import DEADLINE_S, HOT, ROOT, Box

LAUNCHER = ROOT / "bin" / "attend"
SOURCES = ["startup", "resume", "clear", "compact", "fork", "something new"]
OTHERS = [
    {"hook_event_name": "UserPromptSubmit", "prompt": "what does SessionStart do?"},
    {"hook_event_name": "Stop", "stop_hook_active": False},
    {"hook_event_name": "SessionEnd", "reason": "clear"},
    {"hook_event_name": "Never heard of"},
    {"hook_event_name": 7},
]
TEACHING = (ROOT / "disclosures" / "messaging.md").read_text().split("\n+++\n", 1)[1].strip()


def event(box: Box, **fields: Any) -> str:
    """Write an event as the client does."""
    start = {
        "session_id": "38655051-aa",
        "transcript_path": str(box.home / ".claude/projects/x/38655051-aa.jsonl"),
        "cwd": str(box.home),
        "hook_event_name": "SessionStart",
        "source": "startup",
        "model": "claude-opus-5-5",
    }
    return json.dumps(start | fields)


def hook(box: Box, stdin: str | bytes, **env: str) -> subprocess.CompletedProcess[bytes]:
    data = stdin.encode() if isinstance(stdin, str) else stdin
    return subprocess.run(
        [sys.executable, "-I", "-S", str(HOT), "hook"],
        input=data,
        env=box.env | env,
        capture_output=True,
        timeout=DEADLINE_S,
        check=False,
    )


def silent(done: subprocess.CompletedProcess[bytes]) -> bool:
    return (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def context(done: subprocess.CompletedProcess[bytes]) -> str:
    """Return what an answer puts before the model; the answer is valid."""
    assert (done.returncode, done.stderr) == (0, b"")
    answer = json.loads(done.stdout)
    assert list(answer) == ["hookSpecificOutput"]
    assert answer["hookSpecificOutput"].pop("hookEventName") == "SessionStart"
    text = answer["hookSpecificOutput"].pop("additionalContext")
    assert answer == {"hookSpecificOutput": {}}
    assert isinstance(text, str)
    return text


def rows(box: Box, sql: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(box.state / "attend.db") as db:
        found = db.execute(sql).fetchall()
    db.close()
    return found


def log(box: Box) -> str:
    path = box.state / "hook.log"
    return path.read_text() if path.exists() else ""


@pytest.fixture
def ready(box: Box) -> Box:
    """A box whose store has been made."""
    assert context(hook(box, event(box, session_id="earlier")))
    return box


@pytest.mark.parametrize("source", SOURCES)
def test_a_session_is_taught_whenever_it_starts_or_has_forgotten(box: Box, source: str) -> None:
    text = context(hook(box, event(box, source=source)))

    lines = text.split("\n")
    assert lines[0].startswith("[attend sensor=disclosure priority=high] ")
    assert all(line.startswith("| ") for line in lines[1:])
    told = " ".join(line.removeprefix("| ") for line in lines)
    assert told.split("] ", 1)[1].split() == TEACHING.split()
    assert len(text) <= 9_000
    assert "+++" not in text


def test_what_was_told_is_on_record(box: Box) -> None:
    repository = box.repository()

    context(hook(box, event(box, cwd=str(repository))))

    transcript = str(box.home / ".claude/projects/x/38655051-aa.jsonl")
    assert rows(box, "SELECT id, harness, project, workdir, transcript FROM session") == [
        ("38655051-aa", "claude-code", f"{repository}/.git", str(repository), transcript)
    ]
    assert rows(box, "SELECT session, sensor, topic, conduit FROM telling") == [
        ("38655051-aa", "disclosure", "messaging", "session-start")
    ]
    assert rows(
        box, "SELECT name, failure FROM conduit WHERE latency_ms > 0 AND ok_at > 0"
    ) == [("session-start", "")]
    assert log(box) == ""


def test_the_launcher_gives_the_same_answer(box: Box) -> None:
    done = subprocess.run(
        [str(LAUNCHER), "hook"],
        input=event(box).encode(),
        env=box.env,
        capture_output=True,
        timeout=DEADLINE_S,
        check=False,
    )

    assert context(done)


def test_installed_twice_it_answers_once(box: Box) -> None:
    """The plugin's hook and the settings' run at the same moment."""
    together = [
        subprocess.Popen(
            [sys.executable, "-I", "-S", str(HOT), "hook"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=box.env | {"CLAUDE_PID": "77"},
        )
        for _ in range(4)
    ]

    for each in together:
        assert each.stdin is not None
        each.stdin.write(event(box).encode())
        each.stdin.flush()
    said = [each.communicate(timeout=DEADLINE_S) for each in together]

    assert sorted(bool(out) for out, _ in said) == [False, False, False, True]
    assert {each.returncode for each in together} == {0}
    assert len(rows(box, "SELECT 1 FROM telling")) == 1


def test_a_second_process_of_the_session_and_a_later_event_are_answered_too(box: Box) -> None:
    assert context(hook(box, event(box), CLAUDE_PID="77"))
    assert silent(hook(box, event(box), CLAUDE_PID="77"))

    assert context(hook(box, event(box, source="resume"), CLAUDE_PID="78"))
    assert context(hook(box, event(box, source="compact"), CLAUDE_PID="77"))
    with sqlite3.connect(box.state / "attend.db") as db:
        db.execute("UPDATE meta SET value = value - 6 WHERE key GLOB 'answered:*'")
    db.close()
    assert context(hook(box, event(box), CLAUDE_PID="77"))
    assert len(rows(box, "SELECT 1 FROM meta WHERE key GLOB 'answered:*'")) == 1


@pytest.mark.parametrize(
    ("user", "project", "taught"),
    [
        ("", "", True),
        ("[sensors.disclosure]\nenabled = false\n", "", False),
        ("", "[sensors.disclosure]\nenabled = false\n", False),
        ("[sensors.disclosure]\nenabled = false\n", "[sensors.disclosure]\nenabled=true", True),
        ("[sensors.disclosure]\nenabled = true\n", "[sensors.git]\nenabled=false", True),
        ("[sensors.disclosure\n enabled = false", "", True),
        ("sensors = 1 # disclosure", "[sensors]\ndisclosure = 'off'", True),
        ("[sensors.disclosure]\nenabled = 'no'\n", "", True),
    ],
)
def test_configuration_can_keep_it_from_teaching(
    box: Box, user: str, project: str, *, taught: bool
) -> None:
    repository = box.repository()
    inner = repository / "inner"
    inner.mkdir()
    (box.home / "attend").mkdir()
    (box.home / "attend" / "config.toml").write_text(user)
    (repository / ".attend.toml").write_text(project)

    done = hook(box, event(box, cwd=str(inner)))

    assert bool(done.stdout) is taught
    assert len(rows(box, "SELECT 1 FROM telling")) == int(taught)
    assert len(rows(box, "SELECT 1 FROM session")) == 1
    assert len(rows(box, "SELECT 1 FROM conduit WHERE ok_at > 0")) == 1


@pytest.mark.parametrize("fields", OTHERS)
def test_other_events_are_not_answered(ready: Box, fields: dict[str, Any]) -> None:
    assert silent(hook(ready, event(ready, **fields)))
    assert len(rows(ready, "SELECT 1 FROM session")) == 1


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


def test_a_start_in_a_strange_place_is_a_start(box: Box) -> None:
    places = ["/gone/for/ever", f"{box.home}/日本\n{'x' * 300}", "relative", "/", ""]

    for number, cwd in enumerate(places):
        assert context(hook(box, event(box, cwd=cwd, session_id=f"s-{number}")))

    assert context(hook(box, event(box, cwd=None, transcript_path=None, session_id="s-9")))


class Stuck:
    """A hook that can't go on: its input stays open, or its output takes nothing."""

    def __init__(self, box: Box, **streams: Any) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(HOT), "hook"], env=box.env, **streams
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
    assert log(ready).endswith(" no answer within 300 ms\n")


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
    assert answered or log(ready).endswith(" no answer within 300 ms\n")
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

        assert silent(hook(ready, event(ready, session_id="late")))

    held.close()
    assert "StoreError" in log(ready) or "no answer" in log(ready)


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
