"""A host that is killed while it sees to what was offered: all of a step was done, or nothing."""

import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from attendd.hot import db as hot
from tests.store import child_host, given, killing, mailing
from tests.store.sweeping import DAY_S

pytestmark = pytest.mark.timeout(900)
SAMPLE = 8
"""A process that starts all of Python is dear."""
BOXES = ("s1", "s2", "s3")


def ready(folder: Path, prepare: Callable[[hot.Connection], object]) -> Callable[[Path], None]:
    """Make a store of three sessions, of which s2 has written to s1; return what copies it."""
    folder.mkdir()
    with given.opened(folder / "attend.db") as db:
        for box in BOXES:
            given.enrol(db, box)
        mailing.send(db, "s2", "--to", "s1", body=b"hello")
        prepare(db)

    def copy(at: Path) -> None:
        shutil.copytree(folder, at)

    return copy


def test_a_host_killed_while_it_offers_again_has_moved_the_message_as_well_or_neither(
    tmp_path: Path,
) -> None:
    def task(folder: Path) -> list[str]:
        path = str(folder / "attend.db")
        return [sys.executable, child_host.__file__, "again", path, "1", "s3"]

    copy = ready(tmp_path / "ready", mailing.show)
    for folder, call in killing.each_call(task, copy, tmp_path, SAMPLE):
        with given.opened(folder / "attend.db") as db:
            assert mailing.fates(db)[0] in (
                ("s1", "offered", "", 0),
                ("s3", "stored", "", 1),
            ), call
        child_host.again(str(folder / "attend.db"), "1", "s3")
        with given.opened(folder / "attend.db") as db:
            assert mailing.fates(db) == [("s3", "stored", "", 1)], call


def test_a_host_killed_while_it_gives_mail_up_has_told_its_author_as_well_or_neither(
    tmp_path: Path,
) -> None:
    def age(db: hot.Connection) -> None:
        db.execute("UPDATE session SET seen_at = ?", (time.time(),))
        db.execute(
            "UPDATE session SET seen_at = ? WHERE id = 's2'", (time.time() + 31 * DAY_S,)
        )

    def task(folder: Path) -> list[str]:
        return [sys.executable, child_host.__file__, "sweep", str(folder / "attend.db")]

    before = [("s1", "stored", "", 0)]
    after = [("s1", "undeliverable", "gone", 0), ("s2", "stored", "", 0)]
    copy = ready(tmp_path / "ready", age)
    for folder, call in killing.each_call(task, copy, tmp_path, SAMPLE):
        with given.opened(folder / "attend.db") as db:
            assert mailing.fates(db) in (before, after), call
        child_host.sweep(str(folder / "attend.db"))
        with given.opened(folder / "attend.db") as db:
            assert mailing.fates(db) == after, call
