"""A hook answers a session's start once."""

import sqlite3
import subprocess
import sys
from typing import Any

import pytest

from tests.process.box import DEADLINE_S, HOOK, HOT, LAUNCHER, ROOT, Box
from tests.process.hookcalls import context, event, hook, log, rows, silent

SOURCES = ["startup", "resume", "clear", "compact", "fork", "something new"]
OTHERS = [
    {"hook_event_name": "UserPromptSubmit", "prompt": "what does SessionStart do?"},
    {"hook_event_name": "Stop", "stop_hook_active": False},
    {"hook_event_name": "SessionEnd", "reason": "clear"},
    {"hook_event_name": "Never heard of"},
    {"hook_event_name": 7},
]
TEACHING = (ROOT / "disclosures" / "messaging.md").read_text().split("\n+++\n", 1)[1].strip()


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
        [str(LAUNCHER), *HOOK],
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
            [sys.executable, "-I", "-S", str(HOT), *HOOK],
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
        ("[sensors.disclosure]\nenabled = false # f\udcfcr alle", "", True),
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
    (box.home / "attend" / "config.toml").write_bytes(user.encode(errors="surrogateescape"))
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
