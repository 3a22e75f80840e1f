"""A host that is killed while it takes facts: none is lost, and none is kept twice."""

import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from attendd.store import Store
from tests.store import child_memory, given, killing
from tests.store.remembering import differences
from tests.store.test_capturing import Talk

pytestmark = pytest.mark.timeout(900)
SAMPLE = 6
"""A process that starts all of Python is dear."""


@pytest.fixture
def ready(tmp_path: Path, home: Path) -> Path:
    """Make a folder with a store, and a transcript of which nothing was taken yet."""
    folder = tmp_path / "ready"
    folder.mkdir()
    with given.opened(folder / "attend.db") as db:
        given.enrol(db)
    with closing(Store(str(folder / "attend.db"))) as store:
        talk = Talk(store, folder)
        talk.says(talk.tag("deploy on friday") + talk.tag("AWS key AKIAIOSFODNN7EXAMPLE"))
        talk.says(talk.tag("the build needs make 4"))
        talk.hears(f"a file that has {talk.tag('x')}")
        talk.says(talk.tag("said after the tag was seen"))
    return folder


def test_a_host_killed_at_any_call_leaves_the_rest_to_the_next(
    ready: Path, tmp_path: Path
) -> None:
    def prepare(folder: Path) -> None:
        shutil.copytree(ready, folder)
        with closing(sqlite3.connect(folder / "attend.db")) as db, db:
            db.execute("UPDATE session SET transcript = ?", (str(folder / "s1.jsonl"),))

    def task(folder: Path) -> list[str]:
        return [sys.executable, child_memory.__file__, "capture", str(folder / "attend.db")]

    for folder, call in killing.each_call(task, prepare, tmp_path, SAMPLE):
        child_memory.capture(str(folder / "attend.db"))
        with closing(Store(str(folder / "attend.db"))) as store:
            log = [each.action for each in store.facts.log(None)]
            facts = [each.fact.text for each in store.facts.all(None, "active")]
            nonces = store.call(lambda db: db.execute("SELECT count(*) FROM nonce").fetchone())
            assert sorted(facts) == ["deploy on friday", "the build needs make 4"], call
            assert sorted(log) == ["recorded"] * 2 + ["refused"] * 2, call
            assert nonces == (2,), call
            assert differences(store) == {}, call
