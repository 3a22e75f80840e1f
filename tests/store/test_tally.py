"""The judge of torture and soak: it finds what is lost or doubled, and nothing else."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from attendd.hot import process
from benchmarks.tally import Tally
from tests.process.box import Box, boxed
from tests.process.posting import Office
from tests.store import given

LINE = "[attend sensor=git priority=high] 1 new commit"


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with boxed(tmp_path / "h") as found:
        yield found


@pytest.fixture
def office(box: Box) -> Office:
    found = Office(box)
    found.enrol("as:ada")
    return found


def told(office: Office, correlation: str, state: str = "offered") -> None:
    """Put a batch into the store that came to a state."""
    delivery = given.put_batch(
        office.db,
        attachment="a",
        session="as:ada",
        lane="event",
        text=f"{LINE}\n| and more\n",
        correlation=correlation,
        wall=time.time(),
        boot=process.boot_id(),
        bt=1.0,
    )
    office.alter("UPDATE delivery SET state = ? WHERE id = ?", state, delivery)


def test_what_was_shown_once_is_neither_lost_nor_doubled(office: Office) -> None:
    tally = Tally()
    tally.accepted = {1, 2}
    for number in tally.accepted:
        office.say(f"canary {number}.", "--to", "as:ada")
        assert (
            tally.show("ada", b"[attend sensor=peers] message: canary %d." % number) == number
        )
    told(office, "c1")
    told(office, "c2", "expired")
    assert tally.show("ada", LINE.encode()) is None
    assert tally.show("ada", b"| and more") is None

    assert (tally.lost(office.path), tally.doubled(office.path)) == ([], [])
    assert (tally.repeated(), tally.told()) == (0, 1)


def test_what_nobody_was_shown_or_kept_is_lost(office: Office) -> None:
    tally = Tally()
    tally.accepted = {1, 2}
    office.say("canary 1.", "--to", "as:ada")
    told(office, "c1")

    assert tally.lost(office.path) == [
        "1 to ada: stored",
        "2: not kept",
        f"{LINE} to ada",
    ]


def test_what_was_shown_twice_is_doubled_unless_one_of_them_says_so(office: Office) -> None:
    tally = Tally()
    told(office, "c1")
    told(office, "c2")
    plain, marked = LINE.encode(), LINE.replace("] ", "] (again) ").encode()
    for line in (
        plain,
        plain,
        marked,
        b"[attend s] (again) m: canary 1.",
        b"[attend s] m: canary 1.",
    ):
        tally.show("ada", line)
    assert tally.doubled(office.path) == []
    assert tally.repeated() == 2

    tally.show("ada", plain)
    tally.show("ada", b"[attend s] (again) m: canary 1.")

    assert tally.doubled(office.path) == ["1 to ada", f"{LINE} to ada"]


def test_each_process_is_taught_once_however_many_batches_say_it(office: Office) -> None:
    tally, line = Tally(), b"[attend sensor=disclosure priority=high] how to"
    for pid in (1, 2, 2):
        tally.show("ada", line, pid)

    assert tally.doubled(office.path) == [f"{line.decode()} to ada, process 2"]
