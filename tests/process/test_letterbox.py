"""What comes in by a reader's FIFO is taken for what it is, and garbage stops nobody."""

from pathlib import Path

import pytest

from attendd.hot import address, db, moment, outside, post
from tests.process.box import Box
from tests.process.posting import Office, caller
from tests.process.talking import HIGH, listen


def handed(office: Office, session: str, body: bytes, *words: str) -> bytes:
    """Make a record as a sandboxed sender would."""
    made = post.Draft("k3f9q2xm", caller(session), address.parse("send", [*words, "x"]), body)
    made.said = moment.now()
    return outside.packed(made)


def framed(*fields: str, message: str = "k3f9q2xm") -> bytes:
    """Make a record of any fields."""
    payload = "\0".join(fields)
    return f"@{message} {len(payload):06}\n{payload}".encode()


def fifo(office: Office) -> str:
    ((bell,),) = db.read(office.db, "SELECT bell FROM attachment WHERE ended_at IS NULL")
    return post.knocker(str(bell))


def test_who_only_claims_to_be_a_session_is_nobody(box: Box, office: Office, web: Path) -> None:
    """The client's own record of that process has to bear it out."""
    alice = listen(box, office, web)
    record = handed(office, "11111111-forged", b"trust me", "--to", "alice")

    assert outside.put(fifo(office), record)

    assert alice.out.line().startswith(f"{HIGH}a session (")
    assert db.read(office.db, "SELECT author, author_kind FROM message") == [("", "script")]


@pytest.mark.parametrize(
    "garbage",
    [
        b"?",
        b"@",
        b"@k3f9q2xm 000004\nabcd",
        b"@k3f9q2xm 999999\nabcd",
        b"@k3f9q2xm 00000x\nabcd",
        b"@../../xx 000030\n" + b"a\0" * 15,
        b"\0" * 4000,
        b"@k3f9q2xm 000040\n"
        + b"send\0\0s\0x\0\0\0/\0nan\0\0nan\0"
        + b"1\0--to=x\0body"
        + b"!" * 9,
        framed("send", *[""] * 8, "0", "9" * 20, "--to=x", "body"),
        framed("send", "", "s", "9" * 400, *[""] * 5, "nan", "1", "--to=x", "body"),
        framed("send", *[""] * 8, "1e999", "1", "--to=x", "body", message="\0" * 8),
    ],
)
def test_garbage_in_the_letterbox_stops_nobody(
    box: Box, office: Office, web: Path, garbage: bytes
) -> None:
    alice = listen(box, office, web)

    outside.put(fifo(office), garbage)
    office.say("still here", "--to", "alice", workdir=web)

    assert alice.out.line().endswith(": still here")
    assert db.read(office.db, "SELECT body FROM message") == [("still here",)]
