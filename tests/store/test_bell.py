"""A bell wakes whoever waits, never holds up whoever rings, and is made good when it is lost."""

import os
import resource
import select
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from attendd.hot import bell


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "run" / "a1.bell"


@pytest.fixture
def fd(place: Path) -> Iterator[int]:
    fd = bell.bind(str(place))
    yield fd
    os.close(fd)


def test_a_ring_is_heard_by_whoever_waits(fd: int, place: Path) -> None:
    assert not bell.drain(fd)
    assert bell.ring(str(place))

    assert select.select([fd], [], [], 20)[0] == [fd]
    assert bell.drain(fd)
    assert not bell.drain(fd)


def test_a_bell_is_private_not_inherited_and_never_blocks(fd: int, place: Path) -> None:
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
    assert not os.get_inheritable(fd)
    assert not os.get_blocking(fd)


def test_rung_more_often_than_anybody_listens_is_rung(fd: int, place: Path) -> None:
    """The kernel queues ten; whoever rings must neither wait nor think that nobody is there."""
    assert all(bell.ring(str(place)) for _ in range(50))
    assert bell.drain(fd)


def test_nobody_there_is_said_at_once(place: Path) -> None:
    assert not bell.ring(str(place))
    os.close(bell.bind(str(place)))

    assert not bell.ring(str(place))
    assert not bell.ring(str(place.parent))
    assert not bell.ring("/" + "x" * 200)


def test_what_a_killed_process_left_is_replaced(place: Path) -> None:
    os.close(bell.bind(str(place)))

    fd = bell.bind(str(place))

    assert bell.answers(fd, str(place))
    bell.unbind(fd, str(place))
    assert not place.exists()


def test_a_bell_whose_folder_a_log_out_removed_is_bound_anew(fd: int, place: Path) -> None:
    place.unlink()
    place.parent.rmdir()

    fresh = bell.rebind(os.dup(fd), str(place))

    assert bell.answers(fresh, str(place))
    assert bell.rebind(fresh, str(place)) == fresh
    os.close(fresh)


def test_the_bell_of_a_successor_is_left_alone(place: Path) -> None:
    first = bell.bind(str(place))
    second = bell.bind(str(place))

    assert not bell.answers(first, str(place))
    bell.unbind(first, str(place))

    assert bell.answers(second, str(place))
    bell.unbind(second, str(place))


def test_where_no_bell_can_be_that_is_an_error(tmp_path: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))

    with pytest.raises(OSError, match="AF_UNIX path too long"):
        bell.bind(str(tmp_path / ("x" * 200)))
    with pytest.raises(FileNotFoundError):
        bell.bind(str(tmp_path / "no" / "such" / "bell"))

    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_who_can_make_no_socket_rings_for_nobody(fd: int, place: Path) -> None:
    """As in a client's sandbox, where the system call is refused; here there are no more of them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        rung = bell.ring(str(place))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert not rung
    assert not bell.drain(fd)
