"""When a reader leaves it to a service manager that there is a host."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from attendd.hot import attach, locks
from attendd.hot.summons import SERVICE_S, Summons, knock

NOTE = f"{os.getpid()} {attach.own_start()} daemon 0"


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    """A service manager that listens."""
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(tmp_path / "door"))
        door.listen(0)
        door.settimeout(0)
        yield door


def summons(tmp_path: Path) -> Summons:
    return Summons(str(tmp_path / "door"), str(tmp_path / "lock"))


def was_asked(manager: socket.socket) -> int:
    """Return how often somebody came since."""
    count = 0
    while True:
        try:
            manager.accept()[0].close()
        except BlockingIOError:
            return count
        count += 1


def test_a_manager_is_asked_once_and_waited_for_a_moment(
    tmp_path: Path, manager: socket.socket
) -> None:
    reader = summons(tmp_path)

    assert [reader.expected(100.0 + second) for second in (0, 1, SERVICE_S - 1)] == [True] * 3
    assert was_asked(manager) == 1
    assert not reader.expected(100.0 + SERVICE_S)
    assert not reader.expected(1000.0)
    assert was_asked(manager) == 0


def test_where_nobody_listens_nobody_is_waited_for(tmp_path: Path) -> None:
    assert not summons(tmp_path).expected(100.0)

    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "door"))

    assert not summons(tmp_path).expected(100.0)


def test_a_host_that_ended_is_waited_for_and_nobody_is_asked(
    tmp_path: Path, manager: socket.socket
) -> None:
    """It may have been stopped by a person, who would not like to see it start again."""
    reader = summons(tmp_path)
    lock = locks.take(str(tmp_path / "lock"), NOTE)
    assert lock is not None
    assert not reader.expected(100.0)
    locks.give_back(str(tmp_path / "lock"), lock)

    assert reader.expected(200.0)
    assert not reader.expected(200.0 + SERVICE_S)
    assert was_asked(manager) == 0


def test_each_host_that_ends_is_waited_for(tmp_path: Path, manager: socket.socket) -> None:
    reader = summons(tmp_path)
    for begin in (100.0, 200.0):
        lock = locks.take(str(tmp_path / "lock"), NOTE)
        assert lock is not None
        assert not reader.expected(begin)
        locks.give_back(str(tmp_path / "lock"), lock)
        assert reader.expected(begin + 1)
        assert not reader.expected(begin + 1 + SERVICE_S)


def test_a_manager_with_more_visitors_than_it_takes_in_is_one_all_the_same(
    manager: socket.socket,
) -> None:
    path = manager.getsockname()

    assert [knock(path) for _ in range(5)] == [True] * 5
