"""What the store's tests begin with: rows put in by hand, and real processes at work on a file."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import msgspec

from attendd.hot import db as hot
from attendd.hot import ledger
from attendd.store import Batch, Checkpoint, Health

if TYPE_CHECKING:
    from attendd.hot.ledger import BatchRow

CHILD = Path(__file__).with_name("child.py")
BOOT = "boot-1"
WALL = 1_700_000_000.0
DEADLINE_S = 60.0


def enrol(db: hot.Connection, session: str = "s1", *, workdir: str = "/w") -> None:
    ledger.enrol(
        db,
        session=session,
        harness="claude-code",
        project=workdir,
        workdir=workdir,
        transcript="",
        name="",
        declared=False,
        wall=WALL,
    )


def attach(
    db: hot.Connection, attachment: str = "a1", session: str = "s1", *, pid: int = 100
) -> None:
    ledger.attach(
        db,
        attachment=attachment,
        session=session,
        conduit="monitor",
        reader_pid=pid,
        reader_start="1",
        client_pid=99,
        client_start="1",
        boot=BOOT,
        pidns="pid:[1]",
        bell="/run/bell",
        workdir="/w",
        version="0.1.0",
        wall=WALL,
    )


def put(
    db: hot.Connection,
    correlation: str,
    *,
    lane: str = "event",
    bt: float = 1000.0,
    attachment: str = "a1",
    session: str = "s1",
) -> int:
    return put_batch(
        db,
        attachment=attachment,
        session=session,
        lane=lane,
        text=f"[attend sensor=git priority=low] {correlation}\n",
        correlation=correlation,
        wall=WALL,
        boot=BOOT,
        bt=bt,
    )


def put_batch(db: hot.Connection, **row: Unpack["BatchRow"]) -> int:
    """Commit a batch; return the id of its delivery."""
    return hot.write(db, lambda db: ledger.add_batch(db, row))


def states(db: hot.Connection) -> list[tuple[str, str, int]]:
    """Return state, reason and repeats of every delivery, in order."""
    return hot.read(db, "SELECT state, reason, repeats FROM delivery ORDER BY id")


def command(task: str, path: Path, *args: str) -> list[str]:
    """Name the command line of a task in child.py, or ``mail.TASK`` in child_mail.py."""
    kind, _, name = task.rpartition(".")
    script = CHILD.with_name(f"child_{kind}.py") if kind else CHILD
    return [sys.executable, "-I", "-S", str(script), name, str(path), *args]


def run(task: str, path: Path, *args: str) -> str:
    """Run a task to its end and return what it printed."""
    done = subprocess.run(
        command(task, path, *args),
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def together(count: int, task: str, path: Path, *args: str) -> list[str]:
    """Run a task in several processes that begin at one moment; return what each printed."""
    start, gate = os.pipe()
    children = [
        subprocess.Popen(
            command(task, path, *args, str(number)),
            stdin=start,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(count)
    ]
    os.close(start)
    os.close(gate)  # end of file on their stdin: go
    said = [child.communicate(timeout=DEADLINE_S) for child in children]
    assert [error for _, error in said if error] == []
    return [out for out, _ in said]


@contextmanager
def opened(path: Path, **options: float) -> Iterator[hot.Connection]:
    db = hot.connect(str(path), **options)  # type: ignore[arg-type]
    try:
        yield db
    finally:
        db.close()


def batch(correlation: str, *, lane: str = "event") -> Batch:
    return Batch(
        attachment="a1",
        session="s1",
        lane=lane,
        text="x\n",
        correlation=correlation,
        wall=WALL,
        boot=BOOT,
        bt=1000.0,
    )


def checkpoint(state: bytes, attachment: str = "a1") -> Checkpoint:
    return Checkpoint(
        attachment=attachment,
        session="s1",
        boot=BOOT,
        saved_at=WALL,
        saved_bt=1000.0,
        state=state,
    )


def show(db: hot.Connection, delivery: int) -> None:
    ledger.claim(db, "a1", "s1", BOOT, 1000.0, limit=99)
    ledger.offered(db, [delivery], "monitor", WALL, 1000.5)


def health(sensor: str, polled_at: float, **over: str) -> Health:
    plain = Health(
        attachment="a1", sensor=sensor, state="ok", since_at=WALL, polled_at=polled_at
    )
    return msgspec.structs.replace(plain, **over)
