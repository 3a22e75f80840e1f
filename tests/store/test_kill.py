"""Whatever system call a process dies at, nothing accepted is lost and nothing shown thrice."""

import shutil
from pathlib import Path

import pytest

from attendd.hot import db as hot
from attendd.store import Store
from tests.store import child, given, killing

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a store in which two batches wait."""
    folder = tmp_path_factory.mktemp("ready")
    with given.opened(folder / "attend.db") as db:
        given.enrol(db)
        given.attach(db)
        given.put(db, "first")
        given.put(db, "second")
    return folder


def integrity(db: hot.Connection) -> list[tuple[str]]:
    return hot.read(db, "PRAGMA integrity_check")


def shown(folder: Path) -> dict[str, list[str]]:
    """Return, for each batch, whether each showing of it was marked."""
    found: dict[str, list[str]] = {"first": [], "second": []}
    for line in (folder / "shown").read_text().splitlines():
        found[line.split()[-1]].append("again" if line.startswith("(again)") else "plain")
    return found


def test_a_reader_killed_at_any_call_repeats_at_most_once_and_marked(
    ready: Path, tmp_path: Path
) -> None:
    def task(folder: Path) -> list[str]:
        return given.command("show", folder / "attend.db", str(folder / "shown"), "1000")

    seen = set()
    for folder, call in killing.each_call(task, lambda at: _copy(ready, at), tmp_path):
        path = folder / "attend.db"
        for later in ("1016", "1040"):
            child.show(str(path), str(folder / "shown"), later)

        with given.opened(path) as db:
            assert integrity(db) == [("ok",)], call
            assert {state for state, _, _ in given.states(db)} == {"offered"}, call
        for marks in shown(folder).values():
            assert marks in (["plain"], ["again"], ["plain", "again"]), call
            seen.add(tuple(marks))

    assert ("plain",) in seen


@pytest.mark.parametrize("begun", [True, False], ids=["in a store", "in a store to be made"])
def test_a_host_killed_at_any_call_has_put_a_batch_or_not(
    ready: Path, tmp_path: Path, *, begun: bool
) -> None:
    def prepare(folder: Path) -> None:
        if begun:
            _copy(ready, folder)
        else:
            folder.mkdir()

    def task(folder: Path) -> list[str]:
        return given.command("accept", folder / "attend.db", str(folder / "accepted"), "third")

    for folder, call in killing.each_call(task, prepare, tmp_path):
        accepted = folder / "accepted"
        said = accepted.read_text() if accepted.exists() else ""
        with given.opened(folder / "attend.db") as db:
            there = hot.read(db, "SELECT count(*) FROM outbox WHERE correlation = 'third'")
            given.put(db, "third")
            assert integrity(db) == [("ok",)], call
            assert len(given.states(db)) == (3 if begun else 1), call

        assert said in ("", "third\n"), call
        assert there == [(1,)] or not said, call


def test_who_sets_a_damaged_store_aside_may_be_killed_at_any_call(
    ready: Path, tmp_path: Path
) -> None:
    broken = b"no longer a database" * 500

    def prepare(folder: Path) -> None:
        folder.mkdir()
        (folder / "attend.db").write_bytes(broken)
        (folder / "attend.db-wal").write_bytes(b"its wal")

    def task(folder: Path) -> list[str]:
        return given.command("find", folder / "attend.db")

    for folder, call in killing.each_call(task, prepare, tmp_path):
        store = Store(str(folder / "attend.db"))
        said = store.set_aside()
        problem = store.check()
        store.close()

        (kept,) = [at for at in folder.glob("*.damaged-*") if at.name.endswith("Z")]
        assert kept.read_bytes() == broken, call
        assert Path(f"{kept}-wal").read_bytes() == b"its wal", call
        assert (problem, said and said[0]) == ("", str(kept)), call


def _copy(ready: Path, folder: Path) -> None:
    shutil.copytree(ready, folder)
