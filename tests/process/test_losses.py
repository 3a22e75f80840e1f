"""A store that has lost a table or a column: what needs it says so, and all else goes on.

Of what messages need, the store is set aside and a new one begun; that is said instead.
"""

import re
import shutil
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from attendd.hot import db as hot
from attendd.hot import moment, upkeep
from tests.process.box import HOOK, Box, eventually
from tests.process.hookcalls import event
from tests.store import given, mailing

SESSION, NAMED, TEXT = "38655051-aa", "as:rev", "the build is green"
MIGRATIONS = Path(hot.__file__).parents[1] / "store" / "migrations"
TOLD = re.compile(
    r"the store at \S+ (has lost a table, \w+, or a part of it"
    r"|was damaged and has been set aside as \S+|is damaged)"
)


def tables(version: int = hot.STORE.version) -> set[str]:
    """Return the tables of a store of some version."""
    db = hot.dial("", "", 1.0, hot.STORE)
    upkeep.migrate(db, [], version)
    found = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    db.close()
    return {name for (name,) in found if not name.startswith("sqlite_")}


def later_columns() -> list[tuple[str, str]]:
    scripts = (path.read_text() for path in sorted(MIGRATIONS.glob("*.sql")))
    return [
        found
        for text in scripts
        for found in re.findall(r"ALTER TABLE (\w+) ADD COLUMN (\w+)", text)
    ]


LOSSES = [*((table, "") for table in sorted(tables())), *later_columns()]
KEPT = tables() - tables(2)
"""What messages don't need."""


class Lossy:
    """A store with two messages that wait, and something lost; whole again for each step."""

    def __init__(self, box: Box, table: str, column: str) -> None:
        self.box = box
        self.workdir = box.home / "web"
        self.workdir.mkdir()
        self._whole = box.home / "whole.db"
        self._lost = (table, column)
        self._fill()

    def _fill(self) -> None:
        now = moment.now()
        with given.opened(self._whole) as db:
            for session in (SESSION, NAMED):
                given.enrol(db, session, workdir=str(self.workdir))
                mailing.send(db, "as:bob", "--to", session, now=now, body=TEXT.encode())
            db.execute("UPDATE session SET seen_at = ?", (now.wall,))
            db.execute(
                "INSERT INTO session (id, harness, enrolled_at, seen_at) VALUES ('old', '', 0, 0)"
            )
            db.execute("INSERT INTO telling VALUES (1, 'old', '', '', '', 0)")
            db.execute(
                "INSERT INTO memory_project (place, enabled, seen_at) VALUES (?, 1, ?)",
                (str(self.workdir), now.wall),
            )

    def lose(self) -> None:
        """Put the whole store in its place, and take something out of it."""
        shutil.rmtree(self.box.state, ignore_errors=True)
        self.box.state.mkdir(parents=True)
        path = self.box.state / "attend.db"
        shutil.copy(self._whole, path)
        table, column = self._lost
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            if not column:
                db.execute(f"DROP TABLE {table}")
                return
            sql = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ?"
            for name, text in db.execute(sql, (table,)).fetchall():
                if re.search(rf"\b{column}\b", text or ""):
                    db.execute(f"DROP INDEX {name}")
            db.execute(f"ALTER TABLE {table} DROP COLUMN {column}")

    def hook(self, name: str, **fields: object) -> str:
        """Call a hook; return what it said and what it left in its log."""
        self.lose()
        asked = event(self.box, hook_event_name=name, cwd=str(self.workdir), **fields)
        done = self.box.hot(*HOOK, input=asked)
        assert (done.returncode, done.stderr) == (0, "")
        log = self.box.state / "hook.log"
        return done.stdout + (log.read_text() if log.exists() else "")

    def send(self) -> str:
        """Send a message; return what was said of it."""
        self.lose()
        done = self.box.hot("send", "--as", "bob", "--to", SESSION, "more", cwd=self.workdir)
        return done.stdout + done.stderr

    def read(self) -> str:
        """Have a reader read until it delivers or says why not; return that."""
        self.lose()
        reading = self.box.reader(self.workdir, "--as=rev")
        found: list[str] = []

        def said() -> bool:
            found.extend(filter(None, (reading.out.more(0.02), reading.err.more(0.02))))
            return is_well("\n".join(found))

        eventually(said)
        assert reading.kill(signal.SIGTERM) == 0
        return "\n".join(found)

    def look(self, *words: str) -> tuple[int, str]:
        """Run a command of the full program; return its exit code and all that it says."""
        self.lose()
        done = self.box.run(*words, cwd=self.workdir)
        return done.returncode, done.stdout + done.stderr


def is_well(said: str) -> bool:
    """Whether a message was delivered, or it was said in words why not."""
    return TEXT in said or TOLD.search(said) is not None


@pytest.mark.parametrize(("table", "column"), LOSSES)
def test_what_is_lost_costs_no_message_or_is_said(box: Box, table: str, column: str) -> None:
    lossy = Lossy(box, table, column)

    prompted = lossy.hook("UserPromptSubmit", prompt="which database?")
    stopped = lossy.hook("Stop", stop_hook_active=False, last_assistant_message="done")
    read = lossy.read()
    sent = lossy.send()

    if table in KEPT:
        assert TEXT in prompted
        assert TEXT in stopped
        assert TEXT in read
        assert sent.startswith("stored #")
    else:
        assert is_well(prompted)
        assert is_well(stopped)
        assert is_well(read)
        assert sent.startswith("stored #") or TOLD.search(sent)


@pytest.mark.parametrize(("table", "column"), LOSSES)
def test_what_is_lost_is_said_by_status_and_holds_up_no_clearing_up(
    box: Box, table: str, column: str
) -> None:
    lossy = Lossy(box, table, column)

    status, looked = lossy.look("status")
    would = lossy.look("cleanup", "--dry-run")[1]
    cleaned, said = lossy.look("cleanup")

    assert (status, cleaned) in ((0, 0), (5, 0))
    assert TOLD.search(looked)
    assert "Traceback" not in looked + would + said
    assert re.search(r"^removed 2 old rows", said, re.MULTILINE) or TOLD.search(said)
    if table in KEPT:
        assert f"has lost a table, {table}, or a part of it" in looked
        assert re.search(r"^removed 2 old rows", said, re.MULTILINE)
        assert f"{lossy.box.state}/attend.db has lost a table, {table}," in would
