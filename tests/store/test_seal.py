"""What was left for a reader is known by its seal: by nothing else, and for a month."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as for_all
from hypothesis import strategies as st

from attendd.hot import db as hot
from attendd.hot import handed, letterbox, moment, outside, places, post, seal
from attendd.store import housekeeping
from tests.store import given, mailing

FIXTURES_STAY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def office(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have a store in which ``s1`` is known, a key, and temporary folders of one's own."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with given.opened(Path(f"{places.state_dir()}/attend.db")) as db:
        given.enrol(db)
    seal.make()
    return home


def draft(body: bytes = b"hello", message: str = "", ago_s: float = 0.0) -> post.Draft:
    made = mailing.draft("s2", "--to", "s1", message=message, body=body)
    now = moment.now()
    made.said = moment.Moment(now.wall - ago_s, now.boot, now.bt - ago_s)
    return made


@pytest.fixture
def left(tmp_path: Path) -> Callable[..., Path]:
    """Leave a message, or any bytes, in the spool folder of a work tree; return where."""
    folder = tmp_path / "web" / f".attend-{os.geteuid()}.spool"

    def leave(data: bytes, name: str = "1-k3f9q2xm.left") -> Path:
        folder.mkdir(0o700, parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
        return folder / name

    return leave


def look(tmp_path: Path) -> letterbox.Letterbox:
    """Open a letterbox for a session in that work tree, and look once."""
    box = letterbox.Letterbox(f"{places.runtime_dir()}/a.bell", str(tmp_path / "web"))
    box.take(left=True)
    return box


def bodies() -> list[str]:
    with given.opened(Path(f"{places.state_dir()}/attend.db")) as db:
        return [row[0] for row in hot.read(db, "SELECT body FROM message ORDER BY seq")]


def test_readers_that_begin_together_come_to_one_key(home: Path) -> None:
    folder = Path(places.state_dir())
    said = given.together(8, "mail.make_key", home)

    assert len(set(said)) == 1
    assert said[0] == seal.key().hex()
    assert [path.name for path in folder.glob("spool*")] == ["spool.key"]
    assert stat.S_IMODE((folder / "spool.key").stat().st_mode) == 0o600


def test_a_key_stays_and_a_damaged_one_is_made_anew(office: Path) -> None:
    first = seal.key()
    seal.make()
    kept = seal.key()
    Path(seal.key_path()).write_bytes(first[:7])
    seal.make()

    assert kept == first
    assert len(seal.key()) == seal.BYTES
    assert seal.key() != first


@pytest.mark.parametrize("kind", ["missing", "link", "empty"])
def test_without_a_key_of_ones_own_nothing_is_sealed(office: Path, kind: str) -> None:
    path = Path(seal.key_path())
    path.rename(office / "elsewhere")
    if kind == "link":
        path.symlink_to(office / "elsewhere")
    elif kind == "empty":
        path.touch()

    assert seal.sealed(b"record") == b""


@FIXTURES_STAY
@for_all(st.binary(), st.data())
def test_whatever_is_changed_of_what_was_sealed_breaks_the_seal(
    office: Path, record: bytes, data: st.DataObject
) -> None:
    key = seal.key()
    good = seal.sealed(record)
    at = data.draw(st.integers(0, len(good) - 1))
    bad = good[:at] + bytes([good[at] ^ data.draw(st.integers(1, 255))]) + good[at + 1 :]

    assert seal.opened(good, key) == record
    assert seal.opened(bad, key) is None
    assert seal.opened(good[1:], key) is None
    assert seal.opened(good, bytes(seal.BYTES)) is None


@FIXTURES_STAY
@for_all(st.binary(max_size=200))
def test_anything_without_a_seal_stays_as_it_is(
    office: Path, tmp_path: Path, left: Callable[..., Path], data: bytes
) -> None:
    path = left(data)
    look(tmp_path)

    assert path.read_bytes() == data
    assert bodies() == []


def test_what_is_sealed_is_sent_and_goes(
    office: Path, tmp_path: Path, left: Callable[..., Path]
) -> None:
    path = left(seal.sealed(outside.packed(draft())))
    look(tmp_path)

    assert bodies() == ["hello"]
    assert not path.exists()


def test_a_copy_of_a_message_is_never_sent_a_second_time(
    office: Path, tmp_path: Path, left: Callable[..., Path]
) -> None:
    """Not while it is known, and not once it was removed from the store."""
    young, old = (
        draft(message=each, ago_s=s) for each, s in (("22222222", 0), ("33333333", 3e6))
    )
    for each, name in ((young, "1-22222222.left"), (young, "2-22222222.left")):
        left(seal.sealed(outside.packed(each)), name)
    look(tmp_path)
    sent = bodies()
    left(seal.sealed(outside.packed(old)), "1-33333333.left")
    look(tmp_path)

    assert sent == bodies() == ["hello"]
    assert "too long ago" in Path(outside.said_path("33333333")).read_text()
    assert handed.TAKEN_WITHIN_S < housekeeping.KEPT_S


def test_many_files_that_are_none_of_ours_cost_little_and_hide_no_message(
    office: Path, tmp_path: Path, left: Callable[..., Path]
) -> None:
    forged = [left(b"x", f"{at}-22222222.left") for at in range(100, 300)]
    left(seal.sealed(outside.packed(draft())), "999-33333333.left")
    box, looks = look(tmp_path), 1
    while not bodies():
        assert looks < 5
        box.take(left=True)
        looks += 1
    for path in forged:
        os.utime(path, (1, 1))
    box.take(left=True)

    assert looks == 4
    assert {path.stat().st_atime for path in forged} == {1}, "none is read again"
    assert len(handed.unsealed(str(forged[0].parent))) == 64
