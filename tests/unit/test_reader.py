"""What a reader looks at while it sleeps, and what it makes anew."""

import os
import shutil
from pathlib import Path

import pytest

from attendd.hot import attach, bell, ears, identity, locks, places, reader, run, vigil


@pytest.fixture
def reading(user: Path, monkeypatch: pytest.MonkeyPatch) -> reader.Reader:
    """A reader under a name of its own, that looks around every few milliseconds."""
    assert user.parent.is_dir()
    monkeypatch.setattr(reader, "SAFETY_LOOK_S", 0.01)
    made = reader.Reader(identity.resolve("me"), os.open(os.devnull, os.O_RDONLY))
    held = locks.take(attach.lock_path(made.caller, made.attachment), "note")
    assert held is not None
    made.lock = held
    return made


def test_a_sleeping_reader_wakes_when_a_log_out_has_removed_its_bell(
    reading: reader.Reader,
) -> None:
    path = attach.bell_path(reading.attachment)
    watch, own_bell = vigil.Vigil(), bell.bind(path)
    heard = ears.Ears(watch, path, "/")
    heard.listen(own_bell)

    shutil.rmtree(places.runtime_dir())

    assert reading._wait(watch, heard, 3600.0) == set()  # noqa: SLF001 - an hour of a reader
    heard.renew()
    assert bell.ring(path)
    assert reading._wait(watch, heard, 3600.0) == {vigil.BELL}  # noqa: SLF001 - as above
    heard.close(unbind=True)


def test_a_lock_that_a_log_out_removed_is_taken_again_under_its_number(
    reading: reader.Reader,
) -> None:
    path, number = attach.lock_path(reading.caller, reading.attachment), reading.lock
    Path(path).unlink()
    assert not locks.guards(path, reading.lock)

    reading._renew_lock()  # noqa: SLF001 - what a log-out leads to

    assert reading.lock == number
    assert locks.guards(path, number)
    assert not os.get_inheritable(number)
    assert locks.take(path, "another") is None


def test_a_lock_that_somebody_else_has_taken_since_is_left_to_them(
    reading: reader.Reader,
) -> None:
    path = attach.lock_path(reading.caller, reading.attachment)
    Path(path).unlink()
    theirs = locks.take(path, "another")

    reading._renew_lock()  # noqa: SLF001 - as above

    assert theirs is not None
    assert locks.guards(path, theirs)
    assert not locks.guards(path, reading.lock)


@pytest.mark.usefixtures("user")
def test_how_soon_trouble_is_tried_again_is_said_as_it_is() -> None:
    said = run.meaning(ValueError("odd"), client=False)

    assert said == (
        "the reader failed (ValueError: odd)",
        f"it is tried again every {run.TROUBLE_RETRY_S:g} seconds",
    )
