"""Facts and the death of processes: all of a change is there or nothing, and nobody loses any."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from attendd.store import Store
from tests.store import child_memory, given, killing
from tests.store.remembering import PROJECT, active, differences, say

pytestmark = pytest.mark.timeout(900)
SAMPLE = 5
"""A process that starts all of Python is dear."""


def command(task: str, *args: object) -> list[str]:
    return [sys.executable, child_memory.__file__, task, *map(str, args)]


def test_two_writers_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "attend.db"
    Store(str(path)).close()
    children = [
        subprocess.Popen(
            command("remember", path, 100, number),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for number in (1, 2)
    ]
    for child in children:
        assert child.stdin is not None
        child.stdin.close()
        child.stdin = None
    said = [child.communicate(timeout=given.DEADLINE_S)[0].split() for child in children]

    assert said == [[b"recorded"] * 100] * 2
    store = Store(str(path))
    assert len(active(store)) == 200
    assert differences(store) == {}
    assert {each.name for each in tmp_path.iterdir()} <= {
        "attend.db", "attend.db-wal", "attend.db-shm", "attend.db.lock"
    }  # fmt: skip
    store.close()


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a store with one fact in it."""
    folder = tmp_path_factory.mktemp("ready")
    store = Store(str(folder / "attend.db"))
    say(store, "use tabs in go files")
    store.close()
    return folder


def prepared(ready: Path) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        shutil.copytree(ready, folder)

    return prepare


def test_a_correction_killed_at_any_call_has_happened_or_not(
    ready: Path, tmp_path: Path
) -> None:
    def task(folder: Path) -> list[str]:
        return command("correct", folder / "attend.db", folder / "accepted")

    seen = set()
    for folder, call in killing.each_call(task, prepared(ready), tmp_path, SAMPLE):
        accepted = folder / "accepted"
        was_said = accepted.exists() and accepted.read_text() != ""
        store = Store(str(folder / "attend.db"))
        now = active(store)
        assert differences(store) == {}, call
        assert len(now) == 1, call
        happened = now == ["do not use tabs in go files"]
        assert happened or not was_said, call
        again = say(store, "do not use tabs in go files", session="s2", source="row/1")
        assert again.kind == ("known" if happened else "updated"), call
        seen.add(happened)
        store.close()

    assert seen <= {True, False}
    assert True in seen


def test_a_forgetting_killed_at_any_call_can_be_finished(ready: Path, tmp_path: Path) -> None:
    store = Store(str(ready / "attend.db"))
    fact = store.facts.all(PROJECT, "active")[0].fact
    store.close()

    def task(folder: Path) -> list[str]:
        return command("withdraw", folder / "attend.db", fact.id)

    for folder, call in killing.each_call(task, prepared(ready), tmp_path, SAMPLE):
        child_memory.withdraw(str(folder / "attend.db"), fact.id)
        store = Store(str(folder / "attend.db"))
        assert active(store) == [], call
        assert differences(store) == {}, call
        store.close()
        for path in folder.rglob("*"):
            assert fact.text.encode() not in path.read_bytes(), (call, path)
