"""Mail is given up a month after the last sign of life, never before, and never somebody else's."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from attendd.host.mailroom import GONE_S
from attendd.hot import attach, db, ledger
from tests.process.box import Box, boxed
from tests.process.posting import Office, caller
from tests.store import sweeping
from tests.store.sweeping import DAY_S, Later


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with boxed(tmp_path / "h") as found:
        yield found


@pytest.fixture
def office(box: Box) -> Office:
    found = Office(box)
    for session in ("s-gone", "s-other", "as:mira"):
        found.enrol(session)
    return found


def sweep(office: Office, days: float, times: int = 1) -> list[tuple[str, str]]:
    """Let a host clear up so many days later; return what it journalled."""
    noted: list[tuple[str, str]] = []
    for _ in range(times):
        sweeping.sweep(
            office.path, days, lambda code, session, _: noted.append((code, session))
        )
    return noted


def notices(office: Office, session: str) -> list[str]:
    sql = """SELECT body FROM message JOIN delivery ON delivery.message = message.id
        WHERE session = ? AND author_name = 'attend'"""
    return [row[0] for row in db.read(office.db, sql, (session,))]


def alive(office: Office, session: str, days: float) -> None:
    """Have a session give a sign of life so many days from now."""
    office.alter("UPDATE session SET seen_at = ? WHERE id = ?", Later(days).wall(), session)


def test_after_a_month_of_silence_the_sender_is_told_once(office: Office) -> None:
    alive(office, "as:mira", 31)
    message = office.say("hello", "--to", "s-gone")

    assert sweep(office, 29) == []
    assert office.states(message) == {"s-gone": "stored"}

    assert sweep(office, 31, times=2) == [("undeliverable", "s-gone")]
    assert office.states(message) == {"s-gone": "undeliverable"}
    (said,) = notices(office, "as:mira")
    assert f"#{message} could not be delivered" in said


def test_what_others_wait_for_is_left_alone(office: Office) -> None:
    alive(office, "s-other", 31)
    alive(office, "as:mira", 31)
    lost = office.say("hello", "--to", "s-gone", "--to", "s-other")

    sweep(office, 31)

    assert office.states(lost) == {"s-gone": "undeliverable", "s-other": "stored"}


def test_a_successor_that_lives_keeps_the_mail(office: Office) -> None:
    message = office.say("hello", "--to", "s-gone")
    office.alter("UPDATE session SET successor = 's-other' WHERE id = 's-gone'")
    alive(office, "s-other", 31)

    assert sweep(office, 31) == []
    assert office.states(message) == {"s-gone": "stored"}


def test_a_session_that_is_read_for_is_alive_however_silent(office: Office) -> None:
    message = office.say("hello", "--to", "s-gone")
    who = caller("s-gone")
    who.client_pid, who.client_start = 1, "1"
    ledger.attach(
        office.db,
        attachment="a",
        session="s-gone",
        conduit="hook",
        reader_pid=1,
        reader_start="1",
        client_pid=1,
        client_start="1",
        boot="b",
        pidns="p",
        bell="",
        workdir="/",
        version=attach.VERSION,
        wall=0.0,
    )

    assert sweep(office, 31) == []
    assert office.states(message) == {"s-gone": "stored"}


def test_the_persons_mail_is_never_given_up(office: Office) -> None:
    message = office.say("hello", "--to", "@human")

    assert sweep(office, 400) == []
    assert office.states(message) == {"@user": "stored"}


def test_what_was_shown_is_not_given_up(office: Office) -> None:
    message = office.say("hello", "--to", "s-gone")
    office.show("s-gone")

    assert sweep(office, 31) == []
    assert office.states(message) == {"s-gone": "offered"}
    assert GONE_S == 30 * DAY_S
