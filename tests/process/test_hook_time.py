"""A hook ends in time, and what made it late is put in order by others."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.process.box import LAUNCHER, Box, eventually
from tests.process.hooking import Hooks, bodies, log, rows, send
from tests.process.test_hook_faults import HOLD

WITHIN_S = 3.0
GROW = """
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA wal_autocheckpoint = 0")
db.execute("CREATE TABLE filling (x)")
db.execute("INSERT INTO filling VALUES (zeroblob(20000000))")
os.kill(os.getpid(), 9)
"""
"""Leaves a log that nobody has put in order."""


@contextmanager
def held(store: Path) -> Iterator[None]:
    """Have SQLite itself wait, for 20 seconds, in whoever opens a store."""
    command = [sys.executable, "-c", HOLD, f"{store}-shm"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        yield


def test_a_hook_ends_in_time_also_where_its_input_is_late_and_its_store_is_stuck(
    box: Box,
) -> None:
    """Its time is counted from its start, whatever it spent it on."""
    hooks = Hooks(box)
    hooks.start()
    with held(box.state / "attend.db"):
        began = time.monotonic()
        with subprocess.Popen(
            [LAUNCHER, "hook", f"--within={WITHIN_S}"],
            env=box.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(WITHIN_S / 3)  # it waits for its input
            out, _ = process.communicate(hooks.event("Stop").encode())
        took_s = time.monotonic() - began

    assert (process.returncode, out) == (0, b"")
    assert took_s < WITHIN_S
    assert log(box).endswith(" no answer, and nothing heard of the deadline\n")


@pytest.mark.parametrize("who", ["reader", "host", "send"])
def test_a_long_log_that_nobody_put_in_order_is_put_in_order_by_who_has_the_time(
    box: Box, who: str
) -> None:
    """Else each hook would begin with reading it, and never come to an end."""
    hooks = Hooks(box)
    hooks.start()
    send(box, hooks.session, "hello")
    store = box.state / "attend.db"
    killed = subprocess.run([sys.executable, "-c", GROW, store], check=False)
    assert killed.returncode == -signal.SIGKILL
    long_log = Path(f"{store}-wal")
    assert long_log.stat().st_size > 20_000_000

    if who == "reader":
        box.reader(box.home, "--as=me", "--host-after=-1")
    elif who == "host":
        box.daemon()
    else:
        send(box, hooks.session, "more")

    eventually(lambda: long_log.stat().st_size < 1_000_000)
    assert bodies(hooks.prompt())[0] == "hello"
    assert rows(box, "PRAGMA integrity_check") == [("ok",)]


def test_a_hook_does_not_put_a_long_log_in_order_itself(box: Box) -> None:
    hooks = Hooks(box)
    hooks.start()
    hooks.words = ("hook", "--within=2")
    send(box, hooks.session, "hello")
    store = box.state / "attend.db"
    subprocess.run([sys.executable, "-c", GROW, store], check=False)
    before = store.stat().st_size

    assert bodies(hooks.prompt()) == ["hello"]

    assert store.stat().st_size == before
    assert Path(f"{store}-wal").stat().st_size > 20_000_000
