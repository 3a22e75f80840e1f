"""Calling the hook as the client does, and reading what it answers."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from tests.process.box import DEADLINE_S, HOOK, HOT, Box


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


def hook(
    box: Box, stdin: str | bytes, words: Sequence[str] = HOOK, **env: str
) -> subprocess.CompletedProcess[bytes]:
    data = stdin.encode() if isinstance(stdin, str) else stdin
    return subprocess.run(
        [sys.executable, "-I", "-S", str(HOT), *words],
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
    assert answer.pop("systemMessage").startswith("attend told the session: how to use it")
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
