"""A damaged store is set aside once, by whoever finds it, and said; nothing of it is deleted."""

import random
from pathlib import Path

import pytest

from attendd.errors import StoreError
from attendd.hot import db as hot
from attendd.hot import upkeep
from attendd.store import Store
from tests.store import disks, given

MAGIC, USER_VERSION, PAGE = 0, 60, 4096


@pytest.fixture
def filled(path: Path) -> Path:
    """Make a store of some hundred pages, all of them in the main file."""
    with given.opened(path) as db:
        given.enrol(db)
        given.attach(db)
        for number in range(300):
            given.put(db, f"{number} {'x' * 500}")
    return path


def overwrite(path: Path, at: int, data: bytes) -> bytes:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)
    return path.read_bytes()


def break_outbox(path: Path) -> bytes:
    """Overwrite the first page of the batches, which opening does not look at."""
    with given.opened(path) as db:
        ((page,),) = hot.read(db, "SELECT rootpage FROM sqlite_master WHERE name = 'outbox'")
    return overwrite(path, (page - 1) * PAGE, b"\xa5" * 64)


def aside(path: Path) -> list[Path]:
    return sorted(path.parent.glob("*.damaged-*Z")) + sorted(path.parent.glob("*.damaged-*Z-?"))


@pytest.mark.parametrize(
    ("at", "data"),
    [
        (MAGIC, b"no longer a database"),
        (USER_VERSION, b"\0\0\0\0"),
        (USER_VERSION, b"\xff\xff\xff\xff"),
        (100, b"\xff" * 200),
    ],
)
def test_a_damaged_header_is_found_at_the_next_opening(
    filled: Path, at: int, data: bytes
) -> None:
    before = overwrite(filled, at, data)

    with given.opened(filled) as db:
        assert "was damaged and has been set aside as" in db.notice
        assert given.states(db) == []
        given.put(db, "c1")

    assert [file.read_bytes() for file in aside(filled)] == [before]
    store = Store(str(filled))
    found = store.set_aside()
    store.close()
    assert found is not None
    assert (found[0], found[1] > given.WALL) == (str(aside(filled)[0]), True)


def test_damage_in_the_middle_is_found_by_whoever_steps_on_it(filled: Path) -> None:
    before = break_outbox(filled)

    with given.opened(filled) as db:
        with pytest.raises(
            hot.StoreError, match="was damaged and has been set aside"
        ) as caught:
            given.put(db, "c1")
        with pytest.raises(hot.StoreError, match="moved or replaced"):
            given.put(db, "c1")

    assert caught.value.reopen
    assert "sqlite3" in caught.value.hint
    assert [file.read_bytes() for file in aside(filled)] == [before]
    with given.opened(filled) as db:
        given.put(db, "c1")


def test_the_host_finds_damage_by_looking_through_the_file(filled: Path) -> None:
    overwrite(filled, 40 * PAGE, b"\xa5" * PAGE)
    store = Store(str(filled))

    problem = store.check()

    assert problem
    assert len(store.notices()) == 1
    assert store.notices() == []
    assert store.sessions.all() == []
    assert store.check() == ""
    store.close()
    assert len(aside(filled)) == 1


def test_the_host_goes_on_where_it_steps_on_damage(filled: Path) -> None:
    break_outbox(filled)
    store = Store(str(filled))

    store.call(lambda db: given.put(db, "c1"))

    assert [at.correlation for at in store.outbox.recent(None, 9)] == ["c1"]
    assert [note.partition(" has been ")[2][:9] for note in store.notices()] == ["set aside"]
    store.close()


def test_the_host_goes_on_in_a_new_store_when_somebody_else_set_it_aside(filled: Path) -> None:
    store = Store(str(filled))
    found = filled.stat()
    upkeep.set_aside(str(filled), (found.st_dev, found.st_ino))

    assert store.sessions.all() == []
    store.sessions.seen(["s1"], given.WALL)
    store.close()


def test_processes_that_find_damage_at_once_set_it_aside_once(filled: Path) -> None:
    before = overwrite(filled, MAGIC, b"no longer a database")

    said = given.together(8, "find", filled)

    assert [file.read_bytes() for file in aside(filled)] == [before]
    assert sum("set aside" in out for out in said) == 1
    with given.opened(filled) as db:
        assert upkeep.check(db) == ""


def test_a_second_damage_keeps_the_first_one_too(filled: Path) -> None:
    for _ in range(3):
        overwrite(filled, MAGIC, b"no longer a database")
        given.opened(filled).__enter__().close()

    assert len(aside(filled)) == 3


def test_the_wal_of_a_damaged_store_goes_with_it(filled: Path) -> None:
    with given.opened(filled) as db:
        given.put(db, "late")
        wal = Path(f"{filled}-wal").read_bytes()
        overwrite(filled, MAGIC, b"no longer a database")
        upkeep.set_aside(str(filled), db.inode)

        assert Path(f"{aside(filled)[0]}-wal").read_bytes() == wal
        with given.opened(filled) as fresh:
            assert given.states(fresh) == []


def test_a_store_set_aside_by_half_gets_what_was_left_of_it(filled: Path) -> None:
    """Whoever was at it died after the first of the three files."""
    with given.opened(filled) as db:
        given.put(db, "late")
        target = Path(upkeep.set_aside(str(filled), db.inode))
        Path(f"{target}-wal").rename(f"{filled}-wal")
        Path(f"{target}-shm").unlink()
        wal = Path(f"{filled}-wal").read_bytes()

        given.opened(filled).__enter__().close()

    assert Path(f"{target}-wal").read_bytes() == wal
    assert not Path(f"{filled}-wal").exists()


def test_the_wal_of_a_removed_store_is_not_the_next_ones(filled: Path) -> None:
    wal = Path(f"{filled}-wal")
    filled.unlink()
    wal.write_bytes(b"of another store")

    given.opened(filled).__enter__().close()

    assert Path(f"{filled}.left-wal").read_bytes() == b"of another store"


def test_a_damaged_store_that_cannot_be_set_aside_is_said(filled: Path, tmp_path: Path) -> None:
    before = overwrite(filled, MAGIC, b"no longer a database")

    with disks.readonly(filled.parent, tmp_path.parent / f"{tmp_path.name}-view") as view:
        with pytest.raises(
            hot.StoreError, match="is damaged and cannot be set aside"
        ) as caught:
            hot.connect(str(view / filled.name))
        assert (caught.value.kind, caught.value.reopen) == ("damaged", False)
    assert filled.read_bytes() == before


def test_a_look_through_the_file_that_may_not_change_it_only_says(filled: Path) -> None:
    overwrite(filled, 40 * PAGE, b"\xa5" * PAGE)
    store = Store(str(filled), readonly=True)

    with pytest.raises(StoreError, match="is damaged"):
        store.check()
    store.close()

    assert aside(filled) == []


def test_a_reading_command_says_so_and_touches_nothing(filled: Path) -> None:
    before = overwrite(filled, MAGIC, b"no longer a database")

    with pytest.raises(StoreError, match="is damaged") as caught:
        Store(str(filled), readonly=True)

    assert "attend run" in caught.value.hint
    assert [file.name for file in filled.parent.iterdir() if "damaged" in file.name] == []
    assert filled.read_bytes() == before


@pytest.mark.parametrize("seed", range(25))
def test_wherever_it_is_hit_a_store_can_be_used_afterwards(filled: Path, seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311 - where to hit
    for _ in range(dice.randint(1, 30)):
        at = dice.randrange(filled.stat().st_size)
        overwrite(filled, at, dice.randbytes(dice.choice([1, 4, 100])))

    store = Store(str(filled))
    store.check()
    store.call(given.enrol)
    store.call(given.attach)
    store.call(lambda db: given.put(db, "fresh", bt=5000.0))
    store.sweep(given.WALL, given.BOOT, 5000.0)
    assert store.check() == ""
    store.close()
