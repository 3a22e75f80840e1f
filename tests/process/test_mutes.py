"""The end of a mute, as a session notices it that sits and waits."""

import time

import pytest

from tests.process.box import Box, Reading, eventually
from tests.process.hooking import change, hosting, rows
from tests.process.posting import Office, as_bob

SOON_S = 3.0
"""Long before anybody would look unasked."""
DAY_S = 24 * 3600


@pytest.fixture
def office(box: Box) -> Office:
    office = Office(box)
    office.enrol("as:mira")
    return office


@pytest.fixture
def bob(box: Box, office: Office) -> Reading:
    """Bob's reader, once it listens."""
    reading = box.reader(box.home, "--as=bob", "--host-after=0.1")
    eventually(lambda: bool(rows(box, "SELECT 1 FROM attachment WHERE bell <> ''")))
    return reading


@pytest.mark.parametrize("service", [False, True], ids=["embedded", "attendd"])
def test_what_a_mute_kept_back_is_shown_right_when_it_ends(
    box: Box, office: Office, *, service: bool
) -> None:
    if service:
        hosting(box)
    bob = box.reader(box.home, "--as=bob", "--host-after=0.1")
    eventually(lambda: bool(rows(box, "SELECT 1 FROM attachment WHERE bell <> ''")))
    eventually((box.state / "host.lock").exists)
    as_bob(box, "mute", "mira", "--for", "3s")
    (until,) = rows(box, "SELECT until_at FROM mute")[0]

    office.say("kept back", "--to", "bob")

    assert bob.out.until("kept back")
    assert until <= time.time() < until + SOON_S


def test_a_mute_that_is_cut_short_ends_then(box: Box, office: Office, bob: Reading) -> None:
    as_bob(box, "mute", "mira")
    office.say("kept back", "--to", "bob")
    as_bob(box, "mute", "mira", "--for", "2s")
    (until,) = rows(box, "SELECT until_at FROM mute")[0]

    assert bob.out.until("kept back")
    assert until <= time.time() < until + SOON_S


def test_what_a_group_was_told_meanwhile_is_shown_however_long_it_took(
    box: Box, office: Office, bob: Reading
) -> None:
    as_bob(box, "mute", "mira", "--for", "3d")
    office.say("kept back", "--broadcast")
    for table in ("delivery", "message"):
        change(
            box,
            f"UPDATE {table} SET created_at = created_at - ?1, created_bt = created_bt - ?1",  # noqa: S608
            2 * DAY_S,
        )
    office.say("kept back, too", "--broadcast")

    as_bob(box, "mute", "--off", "mira")

    lines = bob.out.until("kept back, too")
    assert [line for line in lines if "2 days ago" in line]
