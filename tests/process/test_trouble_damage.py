"""A store that was damaged while nobody used it: whoever finds it says so, and once."""

import json
import signal
import sqlite3
from contextlib import closing

from tests.process.box import Box, eventually
from tests.process.hooking import Hooks, log
from tests.process.test_host import taught


def damage(box: Box) -> None:
    """Write over the beginning of a store that nobody uses."""
    for name in ("attend.db-wal", "attend.db-shm"):
        (box.state / name).unlink(missing_ok=True)
    with (box.state / "attend.db").open("r+b") as file:
        file.write(b"no database at all")


def set_aside(box: Box) -> list[str]:
    """Return what `attend log` says of stores that were set aside."""
    told = json.loads(box.run("log", "--json").stdout)["entries"]
    return [row["text"] for row in told if "has been set aside" in row["text"]]


def test_a_store_that_a_starting_reader_finds_damaged_is_said_and_journalled_once(
    box: Box,
) -> None:
    box.open_gates()
    project = box.repository()
    for _ in range(2):
        reading = box.reader(project, "--as=me")
        taught(reading)
        assert reading.kill(signal.SIGTERM) == 0
    damage(box)

    reading = box.reader(project, "--as=me")
    said = reading.err.until("  hint: nothing needs doing: a new store is begun")[-2:]
    (aside,) = box.state.glob("attend.db.damaged-*Z")
    sentence = (
        f"the store at {box.state / 'attend.db'} was damaged and has been set aside as {aside}"
    )
    assert said[0] == f"attend: {sentence}"
    taught(reading)
    eventually(lambda: set_aside(box) == [sentence])
    assert reading.kill(signal.SIGTERM) == 0

    reading = box.reader(project, "--as=me")
    taught(reading)
    assert reading.kill(signal.SIGTERM) == 0
    assert set_aside(box) == [sentence]


def test_what_a_hook_finds_damaged_is_in_its_log_and_in_the_journal_of_the_next_host(
    box: Box,
) -> None:
    project = box.repository()
    hooks = Hooks(box)
    assert hooks.start()
    damage(box)

    assert hooks.start("clear")

    (aside,) = box.state.glob("attend.db.damaged-*Z")
    assert f"was damaged and has been set aside as {aside}" in log(box)
    reading = box.reader(project, "--as=me")
    taught(reading)
    eventually(lambda: len(set_aside(box)) == 1)
    assert reading.kill(signal.SIGTERM) == 0


def test_a_command_that_finds_the_store_damaged_says_so_and_does_its_work(box: Box) -> None:
    assert box.run("join", "#first").returncode == 0
    (box.state / "attend.db-wal").unlink(missing_ok=True)
    with closing(sqlite3.connect(box.state / "attend.db")) as db:
        ((page,),) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'channel'")
    with (box.state / "attend.db").open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xa5" * 64)

    done = box.run("join", "#second")

    assert done.returncode == 0
    assert done.stdout.startswith("joined #second")
    assert "was damaged and has been set aside as" in done.stderr
