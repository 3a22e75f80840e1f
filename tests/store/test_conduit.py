"""What becomes of what was claimed for an output that then takes nothing of it."""

import os
from collections.abc import Iterator

import pytest

from attendd.hot import conduit, moment
from attendd.hot import db as hot
from tests.store import given, mailing

LONG = "x " * 1_100


class Leaving(conduit.Conduit):
    """A way whose output nobody reads any more, from right after it was asked for room."""

    reading = -1

    def _keep_apart(self) -> None:
        if self.reading >= 0:
            os.close(self.reading)
            self.reading = -1


class Ended(conduit.Conduit):
    """A way whose process is told to end between two writes."""

    shown = 0

    def _keep_apart(self) -> None:
        self.shown += 1
        if self.shown > 1:
            raise conduit.StoppedError


@pytest.fixture
def streams() -> Iterator[tuple[int, int, int]]:
    """A pipe to write to, and a descriptor that says when to end."""
    reading, writing = os.pipe()
    stop, stopping = os.pipe()
    yield reading, writing, stop
    for fd in (writing, stop, stopping):
        os.close(fd)


def deliveries(db: hot.Connection) -> list[tuple[str, int]]:
    return db.execute("SELECT state, repeats FROM delivery ORDER BY id").fetchall()


def lay_ready(db: hot.Connection, text: str) -> None:
    now = moment.now()
    given.put_batch(
        db, correlation="c1", attachment="a1", session="s1", lane="event", text=text,
        wall=now.wall, boot=now.boot, bt=now.bt,
    )  # fmt: skip


def test_what_nobody_took_is_given_back_and_was_not_repeated(
    db: hot.Connection, streams: tuple[int, int, int]
) -> None:
    reading, writing, stop = streams
    mailing.send(db, "as:bob", "--to", "s1", now=moment.now(), body=b"hello")
    way = Leaving(db, "a1", "s1", name="monitor", out=writing, stop=stop)
    way.reading = reading

    with pytest.raises(conduit.OutputGoneError):
        way.drain()

    assert deliveries(db) == [("stored", 0)]


def test_what_was_to_come_in_a_second_write_is_given_back(
    db: hot.Connection, streams: tuple[int, int, int]
) -> None:
    reading, writing, stop = streams
    mailing.send(db, "as:bob", "--to", "s1", now=moment.now(), body=LONG.encode())
    lay_ready(db, f"[attend sensor=git priority=high] {LONG}\n")
    way = Ended(db, "a1", "s1", name="monitor", out=writing, stop=stop)

    with pytest.raises(conduit.StoppedError):
        way.drain()

    assert deliveries(db) == [("offered", 0), ("stored", 0)]
    os.close(reading)
