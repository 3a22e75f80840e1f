"""A state folder that can't hold the state, from the start or from some moment on."""

import itertools
import os
import shutil
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.process.box import Box, Reading, eventually
from tests.process.test_host import host, is_full, taught
from tests.store.disks import readonly, small

TROUBLE = "[attend sensor=attend priority=medium] attend: "
SILENT = "nothing can be written down, so nobody is told anything: "

HARDLY = "hardly anything can be written down any more, and what can't be is not told: "


def said(box: Box) -> str:
    """Return what `attend status` says is to be looked at."""
    done = box.run("status")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.partition("to be looked at\n")[2]


def refused(box: Box, why: str) -> Reading:
    """See a reader say why it can do nothing, in a line and to people, with a hint."""
    reading = box.reader(box.home, "--as=me")
    line = reading.out.line()
    assert line.startswith(f"{TROUBLE}{why}; ")
    assert reading.err.until(why)[-1] == f"attend: {why}"
    assert reading.err.line() == f"  hint: {line.rpartition('; ')[2]}"
    return reading


def fill(disk: Path) -> Path:
    """Leave no room on a disk."""
    with (disk / "fill").open("wb", 0) as file:
        for size in (65_536, 512, 1):
            try:
                while file.write(b"x" * size):
                    pass
            except OSError:
                continue
    return disk / "fill"


def told_again(box: Box, project: Path, *readings: Reading) -> None:
    """See a change told to all; the first ones may come before there is a new baseline."""
    waiting, numbers = list(readings), itertools.count()

    def told() -> bool:
        box.git(project, "switch", "-q", "-c", f"again/{next(numbers)}")
        for reading in list(waiting):
            while line := reading.out.more(1.0):
                if "→ again/" in line:
                    waiting.remove(reading)
                    break
        return not waiting

    eventually(told)


def test_a_folder_of_somebody_else_is_left_alone(box: Box) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    box.state.mkdir(parents=True)
    os.chown(box.state, 12345, 12345)

    reading = refused(box, f"{box.state} belongs to somebody else (user 12345)")

    assert said(box).startswith(f"{SILENT}{box.state} belongs to somebody else")
    assert reading.kill(signal.SIGTERM) == 0
    assert reading.out.end() == []
    assert list(box.state.iterdir()) == []


def test_a_file_in_the_place_of_the_folder_is_left_alone(box: Box) -> None:
    box.state.parent.mkdir()
    box.state.write_text("mine")

    reading = refused(box, f"{box.state} is not a folder")

    assert said(box).startswith(f"{SILENT}{box.state} is not a folder")
    assert reading.kill(signal.SIGTERM) == 0
    assert box.state.read_text() == "mine"


@pytest.mark.parametrize("link", ["state", "."])
def test_a_link_that_leads_nowhere_is_said(box: Box, link: str) -> None:
    at = box.state.parent / link
    at.parent.mkdir(exist_ok=True)
    at.symlink_to(box.home / "unplugged")

    reading = refused(box, f"{at} is a link to {box.home}/unplugged, where nothing is")

    assert said(box).startswith(f"{SILENT}{at} is a link to {box.home}/unplugged")
    assert reading.kill(signal.SIGTERM) == 0
    (box.home / "unplugged").mkdir()
    taught(again := box.reader(box.home, "--as=me"))
    assert again.kill(signal.SIGTERM) == 0


def test_a_folder_that_only_reads_is_said_and_looked_at(box: Box, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    with readonly(closed, tmp_path / "view") as view:
        box.env["ATTEND_HOME"] = str(view)
        reading = refused(box, f"{view}/run cannot be made: Read-only file system")

        assert said(box).startswith(f"{SILENT}{view} cannot be written")
        for words in (["why"], ["why", "--silence"], ["log"], ["sensors"], ["whoami"]):
            assert box.run(*words).returncode == 0
        assert reading.kill(signal.SIGTERM) == 0


def test_a_disk_without_room_at_the_start_is_used_once_it_has_some(
    box: Box, tmp_path: Path
) -> None:
    with small(tmp_path / "disk", 4000) as disk:
        box.env["ATTEND_HOME"] = str(disk)
        filling = fill(disk)
        reading = refused(box, f"{disk}/state has no room left on its disk")
        assert said(box).startswith(f"{SILENT}{disk}/state has no room left on its disk")

        filling.unlink()

        taught(reading)
        assert said(box) == ""
        assert reading.kill(signal.SIGTERM) == 0


def test_a_disk_that_fills_up_holds_lines_back_and_loses_none(box: Box, tmp_path: Path) -> None:
    with small(tmp_path / "disk", 4000) as disk:
        box.env["ATTEND_HOME"] = str(disk)
        (disk / "config.toml").write_text("[governor]\ngap_s = 0.0\nmax_batches = 1000\n")
        project = box.repository()
        box.state = disk / "state"
        reading = box.reader(project, "--as=me")
        taught(reading)
        box.looked()
        filling = fill(disk)

        box.git(project, "switch", "-q", "-c", "feat/x")
        reading.err.until("nothing can be told: the store can't be used")
        assert said(box).startswith(f"{HARDLY}{disk}/state has no room left on its disk")
        assert HARDLY in box.run("why", "--silence").stdout
        filling.unlink()

        assert "branch changed: main → feat/x" in reading.out.until("sensor=git")[-1]
        assert said(box) == ""
        assert reading.kill(signal.SIGTERM) == 0


def test_a_state_folder_that_is_removed_is_begun_anew_by_one_host(box: Box) -> None:
    box.open_gates()
    project = box.repository()
    readings = [box.reader(project, f"--as={name}") for name in ("one", "two")]
    for reading in readings:
        taught(reading)
    box.looked(2)

    shutil.rmtree(box.state)
    box.git(project, "switch", "-q", "-c", "feat/x")
    third = box.reader(project, "--as=three")

    taught(third)
    eventually(lambda: [is_full(each) for each in (*readings, third)].count(True) == 1)
    (full,) = (each for each in (*readings, third) if is_full(each))
    eventually(lambda: host(box)[:1] == [str(full.process.pid)])
    eventually(lambda: "attended  3 sessions" in box.run("status").stdout)
    told_again(box, project, *readings, third)


def test_a_store_that_is_damaged_is_set_aside_and_said(box: Box) -> None:
    box.open_gates()
    project = box.repository()
    reading = box.reader(project, "--as=me")
    taught(reading)
    box.looked()
    for path in (box.state / "attend.db", box.state / "attend.db-wal"):
        with path.open("r+b") as file:
            file.write(b"no database at all" * (path.stat().st_size // 18))
    box.git(project, "switch", "-q", "-c", "feat/x")

    eventually(lambda: bool(list(box.state.glob("*.damaged-*"))))
    (aside,) = (each for each in box.state.glob("*.damaged-*") if each.suffix[-1] == "Z")
    assert aside.read_bytes().startswith(b"no database at all")
    eventually(lambda: "attended  1 session" in box.run("status").stdout)
    assert f"a damaged file was set aside: {aside}" in said(box)
    told_again(box, project, reading)
    assert reading.kill(signal.SIGTERM) == 0


@pytest.mark.parametrize("table", ["health", "outbox", "session", "checkpoint"])
def test_a_store_that_lost_a_table_is_set_aside_and_all_goes_on(box: Box, table: str) -> None:
    box.open_gates()
    project = box.repository()
    reading = box.reader(project, "--as=me")
    taught(reading)
    box.looked()

    change(box.state / "attend.db", f"DROP TABLE {table}")
    for words in COMMANDS:
        done = box.run(*words)
        assert "Traceback" not in done.stderr
    box.git(project, "switch", "-q", "-c", "feat/x")

    eventually(lambda: bool(list(box.state.glob("*.damaged-*Z"))))
    eventually(lambda: "attended  1 session" in box.run("status").stdout)
    told_again(box, project, reading)
    assert reading.kill(signal.SIGTERM) == 0


def test_who_reads_is_in_the_store_that_is_begun_at_once(box: Box) -> None:
    """It would come to see by itself, yet for most of a minute nobody could tell that it reads."""
    reading = box.reader(box.home, "--as=me", "--host-after=-1")
    eventually(lambda: bool(readers(box)))

    change(box.state / "attend.db", "DROP TABLE message")
    box.hot("send", "--as", "bob", "--to", "me", "hi")

    assert list(box.state.glob("*.damaged-*Z")) != []
    eventually(lambda: readers(box) == [(reading.process.pid,)])


def readers(box: Box) -> list[tuple[int]]:
    """Return the process of each reader that the store has; none while it is only being made."""
    try:
        with closing(sqlite3.connect(f"file:{box.state}/attend.db?mode=ro", uri=True)) as db:
            return db.execute(
                "SELECT reader_pid FROM attachment WHERE ended_at IS NULL"
            ).fetchall()
    except sqlite3.OperationalError:
        return []


COMMANDS = (["status"], ["sensors"], ["whoami"], ["why"], ["inbox"], ["sent"], ["send", "hi"])


@pytest.mark.parametrize("kind", ["foreign", "newer", "folder", "stub"])
def test_what_can_not_be_used_as_the_store_is_one_sentence_for_every_command(
    box: Box, kind: str
) -> None:
    box.state.mkdir(parents=True)
    store = box.state / "attend.db"
    if kind == "folder":
        store.mkdir()
    elif kind == "stub":
        store.write_bytes(b"x")
    else:
        version = 7 if kind == "foreign" else 99
        change(store, "CREATE TABLE bookmark (url TEXT)", f"PRAGMA user_version = {version}")

    for words in COMMANDS[:-1]:
        done = box.run(*words)
        said = done.stderr.splitlines()
        assert (done.returncode, done.stdout, len(said)) == (5, "", 2), (words, done)
        assert str(store) in said[0]
        assert said[1].startswith("  hint: ")
        assert "disk I/O" not in said[0]


def change(store: Path, *statements: str) -> None:
    with closing(sqlite3.connect(store, isolation_level=None, timeout=10)) as db:
        for statement in statements:
            db.execute(statement)
