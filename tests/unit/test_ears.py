"""What a reader hears with is made anew when it is gone, and is gone when the reader is."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from attendd.hot import bell, ears, outside, post, vigil


@pytest.fixture
def path() -> Iterator[str]:
    """Name a bell; a socket's path must be short."""
    with tempfile.TemporaryDirectory() as folder:
        yield f"{folder}/run/a.bell"


@pytest.fixture
def heard(path: str) -> Iterator[tuple[ears.Ears, vigil.Vigil]]:
    watch = vigil.Vigil()
    own_bell = bell.bind(path)
    found = ears.Ears(watch, path, "/")
    found.listen(own_bell)
    yield found, watch
    found.close(unbind=True)


def knock(path: str) -> bool:
    return outside.put(post.knocker(path), b"!")


def test_both_wake_whoever_waits(heard: tuple[ears.Ears, vigil.Vigil], path: str) -> None:
    found, watch = heard
    assert watch.wait(0) == set()

    assert bell.ring(path)
    assert watch.wait(1) == {vigil.BELL}
    assert knock(path)
    assert watch.wait(1) == {vigil.BELL, vigil.POST}

    found.hear({vigil.BELL, vigil.POST})
    assert watch.wait(0) == set()


def test_what_a_log_out_removed_is_made_anew(
    heard: tuple[ears.Ears, vigil.Vigil], path: str
) -> None:
    found, watch = heard
    folder = Path(path).parent
    for file in folder.iterdir():
        file.unlink()
    assert not found.reached()
    folder.rmdir()
    assert not found.reached()
    assert not bell.ring(path)

    found.renew()

    assert found.reached()
    assert bell.ring(path)
    assert knock(path)
    assert watch.wait(1) == {vigil.BELL, vigil.POST}


def test_what_is_there_is_left_alone(heard: tuple[ears.Ears, vigil.Vigil], path: str) -> None:
    found, _ = heard
    before = [(file.name, file.stat().st_ino) for file in sorted(Path(path).parent.iterdir())]

    found.renew()

    after = [(file.name, file.stat().st_ino) for file in sorted(Path(path).parent.iterdir())]
    assert after == before


def test_a_reader_that_ends_leaves_neither(path: str) -> None:
    own_bell = bell.bind(path)
    found = ears.Ears(vigil.Vigil(), path, "/")
    found.listen(own_bell)

    found.close(unbind=True)

    assert list(Path(path).parent.iterdir()) == []


def test_nobody_is_there_where_a_reader_was_killed(path: str) -> None:
    """Its FIFO stays, and nobody has it open."""
    Path(path).parent.mkdir()
    os.mkfifo(post.knocker(path))

    assert not knock(path)


def test_a_fifo_full_of_knocks_is_as_good_as_one(
    heard: tuple[ears.Ears, vigil.Vigil], path: str
) -> None:
    found, watch = heard
    fifo = os.open(post.knocker(path), os.O_WRONLY | os.O_NONBLOCK)
    with suppress(BlockingIOError):
        while os.write(fifo, b"!" * 4096):
            pass
    os.close(fifo)

    assert knock(path)

    found.hear({vigil.POST})
    assert watch.wait(0) == set()
