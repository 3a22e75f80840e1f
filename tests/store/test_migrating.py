"""A later release brings the store of an earlier one up to date, in place or only to read it."""

import os
import shutil
from pathlib import Path

import pytest

from attendd.hot import db as hot
from tests.store import given

MIGRATIONS = Path(hot.__file__).parents[1] / "store" / "migrations"


def release(folder: Path, *steps: str) -> hot.Schema:
    """Make the schema of a release that has these steps after ours."""
    shutil.copytree(MIGRATIONS, folder)
    for number, step in enumerate(steps, hot.STORE.version + 1):
        (folder / f"{number:04}_later.sql").write_text(step)
    return hot.Schema(os.path.relpath(folder, MIGRATIONS), hot.STORE.version + len(steps))


@pytest.fixture
def earlier(path: Path) -> Path:
    with given.opened(path) as db:
        given.enrol(db)
        given.put(db, "c1")
    return path


def columns(db: hot.Connection) -> list[str]:
    return [row[1] for row in hot.read(db, "PRAGMA table_info(delivery)")]


def test_each_step_is_applied_once_and_in_order(earlier: Path, tmp_path: Path) -> None:
    later = release(
        tmp_path / "later",
        "ALTER TABLE delivery ADD COLUMN later INTEGER;\n",
        "-- what is said; all of it\nCREATE TABLE later (id INTEGER);\n"
        "CREATE TRIGGER t AFTER INSERT ON later BEGIN\n  DELETE FROM later;\nEND;\n",
    )

    for _ in range(2):
        db = hot.connect(str(earlier), schema=later)
        assert hot.read(db, "PRAGMA user_version") == [(later.version,)]
        assert columns(db)[-1] == "later"
        assert len(given.states(db)) == 1
        db.close()


def test_a_step_that_fails_leaves_the_store_as_it_was(earlier: Path, tmp_path: Path) -> None:
    """It is a mistake in the step, not damage: the earlier release goes on."""
    later = release(
        tmp_path / "later",
        "ALTER TABLE delivery ADD COLUMN later INTEGER;\nCREATE TABLE delivery (id);\n",
    )

    with pytest.raises(hot.StoreError, match="cannot be brought up to date") as caught:
        hot.connect(str(earlier), schema=later)

    assert caught.value.kind == "outdated"
    with given.opened(earlier) as db:
        assert "later" not in columns(db)
        assert len(given.states(db)) == 1
    assert list(tmp_path.glob("*.damaged-*")) == []


def test_a_reading_command_sees_it_up_to_date_and_changes_nothing(
    earlier: Path, tmp_path: Path
) -> None:
    later = release(tmp_path / "later", "ALTER TABLE delivery ADD COLUMN later INTEGER;\n")
    before = earlier.read_bytes()

    db = hot.connect(str(earlier), readonly=True, schema=later)

    assert columns(db)[-1] == "later"
    assert len(given.states(db)) == 1
    db.close()
    assert earlier.read_bytes() == before
