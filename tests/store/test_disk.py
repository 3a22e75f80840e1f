"""A disk that is full or may not be written: said in a sentence, and nothing is half done."""

import resource
import subprocess
from pathlib import Path

import pytest

from attendd.hot import db as hot
from attendd.hot import upkeep
from tests.store import disks, given


def put_many(db: hot.Connection) -> None:
    for number in range(200):
        given.put(db, str(number))


def test_a_full_disk_refuses_loudly_and_keeps_all_it_accepted(tmp_path: Path) -> None:
    with disks.small(tmp_path / "disk", 1024) as disk:
        path = disk / "attend.db"
        with given.opened(path):  # a process that stays, as the host does
            *accepted, last = given.run("tries", path).splitlines()

            assert len(accepted) > 10
            assert last.startswith(f"full: the disk is full: nothing was written to {path}")
            assert f"free some space below {disk}" in last
            with given.opened(path) as db:
                assert len(given.states(db)) == len(accepted)
                assert upkeep.check(db) == ""


def test_a_disk_that_has_room_again_is_used_again(tmp_path: Path) -> None:
    with disks.small(tmp_path / "disk", 1024) as disk:
        path = disk / "attend.db"
        with given.opened(path) as db:
            given.enrol(db)
            ballast = disk / "ballast"
            with pytest.raises(OSError, match="No space"):
                ballast.write_bytes(b"x" * 2048 * 1024)

            with pytest.raises(hot.StoreError) as caught:
                put_many(db)
            before = len(given.states(db))
            ballast.unlink()
            given.put(db, "after")

            assert caught.value.kind == "full"
            assert len(given.states(db)) == before + 1


def test_a_store_cannot_be_begun_on_a_full_disk(tmp_path: Path) -> None:
    with disks.small(tmp_path / "disk", 64) as disk:
        (disk / "ballast").write_bytes(b"x" * 48 * 1024)
        path = disk / "attend.db"

        said = given.run("tries", path)
        (disk / "ballast").write_bytes(b"")
        (disk / "ballast").unlink()

        assert said.startswith("full: the disk is full")


def test_a_file_that_may_not_grow_is_said_and_keeps_all_it_accepted(path: Path) -> None:
    """The same without a disk of one's own: a limit on the size of files."""
    limit = 600 * 1024

    done = subprocess.run(
        given.command("tries", path),
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )

    *accepted, last = done.stdout.splitlines()
    assert last.startswith(f"io: the store at {path} cannot be read or written")
    with given.opened(path) as db:
        assert len(given.states(db)) == len(accepted)
        assert upkeep.check(db) == ""


def test_a_read_only_folder_is_read_without_leaving_a_trace(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir()
    with given.opened(folder / "attend.db") as db:
        given.put(db, "c1")
    before = sorted(file.name for file in folder.iterdir())

    with disks.readonly(folder, tmp_path / "view") as view:
        said = given.run("reads", view / "attend.db")
        failed = given.run("tries", view / "attend.db")

    assert said.startswith("1 ")
    assert "read as its last user left it" in said
    assert failed.startswith(f"readonly: the store at {view / 'attend.db'} cannot be written")
    assert f"make {view} writable, or set ATTEND_HOME" in failed
    assert sorted(file.name for file in folder.iterdir()) == before


def test_a_read_only_view_shows_what_others_write_meanwhile(tmp_path: Path) -> None:
    """As from a client's sandbox, while the host is at work outside of it."""
    folder = tmp_path / "state"
    folder.mkdir()
    with given.opened(folder / "attend.db") as db:
        given.put(db, "c1")
        with disks.readonly(folder, tmp_path / "view") as view:
            given.put(db, "c2")

            assert given.run("reads", view / "attend.db") == "2\n"


def test_what_a_killed_process_left_in_the_wal_is_read_from_a_read_only_folder(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "state"
    folder.mkdir()
    holder = subprocess.Popen(
        given.command("hold", folder / "attend.db"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        holder.kill()
    assert (folder / "attend.db-wal").stat().st_size > 0

    with disks.readonly(folder, tmp_path / "view") as view:
        assert given.run("reads", view / "attend.db") == "0\n"


def test_reading_a_store_that_does_not_exist_makes_none(tmp_path: Path) -> None:
    assert given.run("reads", tmp_path / "attend.db") == "0\n"
    assert given.run("reads", tmp_path / "nowhere" / "attend.db") == "0\n"
    assert list(tmp_path.iterdir()) == []


def test_a_store_of_an_earlier_release_is_read_without_changing_it(path: Path) -> None:
    path.touch()

    assert given.run("reads", path) == "0\n"
    assert path.stat().st_size == 0


def test_a_reading_command_cannot_write(path: Path, db: hot.Connection) -> None:
    reader = hot.connect(str(path), readonly=True)

    with pytest.raises(hot.StoreError) as caught:
        given.put(reader, "c1")
    reader.close()

    assert caught.value.kind == "readonly"
    assert given.states(db) == []
