"""Whatever system call a hook dies at: nothing is lost, and what is repeated is marked."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from attendd.hot import db as hot
from tests.process.hooking import said
from tests.store import given, killing, mailing

pytestmark = pytest.mark.timeout(900)

MAIN = Path(hot.__file__).with_name("main.py")
ROUNDS = "SELECT value FROM meta WHERE key = 'rounds:s1'"


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a home in which two messages wait for s1, whom only hooks reach."""
    home = tmp_path_factory.mktemp("ready")
    home.chmod(0o700)
    (home / "state").mkdir(0o700)
    with given.opened(home / "state" / "attend.db") as db:
        given.enrol(db)
        given.enrol(db, "s2")
        for text in (b"first", b"second"):
            mailing.send(db, "s2", "--to", "s1", body=text)
    return home


def script(home: Path, event: str, out: str) -> list[str]:
    (home / "event").write_text(event)
    line = 'cd / && ATTEND_HOME="$1" exec "$2" -I -S "$3" hook --within=20 <"$1/event" >"$1/$4"'
    return ["sh", "-c", line, "sh", str(home), sys.executable, str(MAIN), out]


def event(name: str) -> str:
    fields = {"hook_event_name": name, "session_id": "s1", "cwd": "/", "prompt": "hello"}
    return json.dumps(fields | {"prompt_id": "p-1"})


def shown(home: Path, out: str) -> str:
    path = home / out
    return said(path.read_text()) if path.exists() else ""


@pytest.mark.parametrize("name", ["UserPromptSubmit", "Stop"])
def test_a_hook_killed_at_any_call_loses_nothing_and_repeats_once_marked(
    ready: Path, tmp_path: Path, name: str
) -> None:
    def prepare(home: Path) -> None:
        shutil.copytree(ready, home)

    def task(home: Path) -> list[str]:
        return script(home, event(name), "first")

    seen = set()
    for home, call in killing.each_call(task, prepare, tmp_path):
        with given.opened(home / "state" / "attend.db") as db:
            db.execute("UPDATE delivery SET lease_bt = 0 WHERE state = 'claimed'")
            db.execute("DELETE FROM meta WHERE key GLOB 'answered:*'")
        again = script(home, event("UserPromptSubmit"), "again")
        subprocess.run(again, check=True, timeout=60)

        before, after = shown(home, "first"), shown(home, "again")
        with given.opened(home / "state" / "attend.db") as db:
            assert hot.read(db, "PRAGMA integrity_check") == [("ok",)], call
            assert {row[1] for row in mailing.fates(db)} == {"offered"}, call
            assert int((hot.read(db, ROUNDS) or [(0,)])[0][0]) <= 1, call
        for text in ("first", "second"):
            marks = [
                "again" if "(again)" in line else "plain"
                for line in (before + "\n" + after).split("\n")
                if line.endswith(f": {text}")
            ]
            assert marks in (["plain"], ["again"], ["plain", "again"]), (call, marks)
            seen.add(tuple(marks))

    assert ("plain",) in seen
