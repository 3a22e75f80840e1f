"""What is long past: sessions that have ended for good, and a hundred thousand old messages."""

import signal
from pathlib import Path

import pytest

from attendd.hot import letter
from tests.process.box import Box, eventually
from tests.process.plugging import Plugged
from tests.process.posting import Office
from tests.process.talking import id_in, listen, send, settled
from tests.store import mailing

SWEEPS_AT_ONCE = """
from attendd.api import hookimpl
from attendd.host import runner

runner.FIRST_SWEEP_S = 0.0

@hookimpl
def attend_sensors():
    return []
"""
"""A plugin whose host clears up right after its start."""


def test_mail_to_a_session_that_has_ended_for_good_comes_back_once(
    box: Box, office: Office, web: Path
) -> None:
    """It is in no hurry to: the session may have been resumed for a month."""
    office.enrol("s-gone", web)
    listen(box, office, web).kill(signal.SIGTERM)
    message = id_in(send(box, web, "--to", "s-gone", "are you there?", name="alice"))
    office.alter("UPDATE session SET seen_at = seen_at - 31 * 86400 WHERE id = 's-gone'")

    alice = Plugged(box, {"sweeping": SWEEPS_AT_ONCE}).reader(web, "--as=alice")

    line = alice.out.until("could not be delivered")[-1]
    assert f"message from attend (itself) #{letter.id_of(line)}: #{message} could not" in line
    eventually(lambda: office.states(message) == {"s-gone": "undeliverable"})
    assert f"#{message}" in box.run("sent", "--as=alice").stdout


@pytest.mark.parametrize("state", ["seen", "offered"])
def test_among_a_hundred_thousand_old_messages_a_new_one_is_sent_and_shown(
    box: Box, office: Office, web: Path, state: str
) -> None:
    office.enrol("as:alice", web)
    mailing.many(office.db, 100_000, "as:alice")
    office.alter("UPDATE delivery SET state = ?, offered_at = 0", state)

    alice = listen(box, office, web)
    said = send(box, web, "--to", "alice", "a fresh one")

    assert letter.id_of(alice.out.line()) == id_in(said)
    settled(office, "offered", 100_001 if state == "offered" else 1)
    alice.kill(signal.SIGTERM)
    assert alice.out.end() == [f"| {letter.HINT}"]
