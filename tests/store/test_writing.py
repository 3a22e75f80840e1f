"""One transaction, all or nothing, whoever else is at it."""

import subprocess
from pathlib import Path

import pytest

from attendd.hot import db as hot
from attendd.hot import upkeep
from tests.store import given


@pytest.mark.parametrize("task", ["put", "reopen"])
def test_sixteen_writers_lose_nothing(path: Path, task: str) -> None:
    said = given.together(16, task, path, "25")

    acknowledged = sorted(line for out in said for line in out.split())
    with given.opened(path) as db:
        assert len(acknowledged) == 16 * 25
        assert acknowledged == sorted(
            correlation for (correlation,) in hot.read(db, "SELECT correlation FROM outbox")
        )
        assert given.states(db) == [("stored", "", 0)] * len(acknowledged)
        assert upkeep.check(db) == ""


def test_work_that_raises_leaves_nothing(db: hot.Connection) -> None:
    def work(db: hot.Connection) -> None:
        db.execute("INSERT INTO meta VALUES ('k', 'v')")
        raise KeyError("no")

    with pytest.raises(KeyError):
        hot.write(db, work)

    assert hot.read(db, "SELECT * FROM meta") == []
    hot.write(db, lambda db: db.execute("INSERT INTO meta VALUES ('k', 'v')"))
    assert hot.read(db, "SELECT * FROM meta") == [("k", "v")]


def test_a_mistake_in_a_statement_is_not_taken_for_a_fault_of_the_store(
    db: hot.Connection,
) -> None:
    with pytest.raises(Exception, match="no such table") as caught:
        hot.write(db, lambda db: db.execute("INSERT INTO nowhere VALUES (1)"))

    assert not isinstance(caught.value, hot.StoreError)
    assert not db.in_transaction
    with pytest.raises(Exception, match="no such table"):
        hot.read(db, "SELECT * FROM nowhere")


def test_a_lock_held_too_long_is_said_and_waited_out_otherwise(path: Path) -> None:
    with given.opened(path, patience_s=0.0) as db:
        given.enrol(db)
        holder = subprocess.Popen(
            given.command("hold", path),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"

        with pytest.raises(hot.StoreError, match="has been locked for over 0 s") as caught:
            given.put(db, "c1")
        assert hot.read(db, "SELECT count(*) FROM delivery") == [(0,)]  # readers never wait
        db.patience_s = given.DEADLINE_S
        holder.stdin.close()
        given.put(db, "c1")

        assert (caught.value.kind, caught.value.reopen) == ("locked", False)
        assert holder.wait(given.DEADLINE_S) == 0
        holder.stdout.close()


def test_a_commit_can_be_made_to_survive_a_loss_of_power(path: Path) -> None:
    with given.opened(path) as fast, given.opened(path, full=True) as sure:
        assert hot.read(fast, "PRAGMA synchronous") == [(1,)]
        assert hot.read(sure, "PRAGMA synchronous") == [(2,)]
