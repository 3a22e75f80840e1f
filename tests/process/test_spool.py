"""A repository brings no messages: of what lies in a spool folder only what is sealed is sent."""

import json
import os
from pathlib import Path

import pytest

from attendd.hot import address, db, moment, outside, post, seal
from tests.process.box import Box, Reading, eventually
from tests.process.posting import Office, caller
from tests.process.talking import listen

SPOOL = f".attend-{os.geteuid()}.spool"
NAME = "000000000000001-k3f9q2xm.left"


def record(body: bytes, *words: str, message: str = "k3f9q2xm") -> bytes:
    """Make the record of a message, without a seal."""
    asked = address.parse("send", [*words, "x"])
    made = post.Draft(message, caller("as:mallory"), asked, body)
    made.said = moment.now()
    return outside.packed(made)


def looked(box: Box, office: Office, web: Path) -> Reading:
    """Start a reader there and wait until it has looked around."""
    alice = listen(box, office, web)
    office.say("still here", "--to", "alice", workdir=web)
    alice.out.until("still here")
    return alice


def bodies(office: Office) -> list[str]:
    return [row[0] for row in db.read(office.db, "SELECT body FROM message ORDER BY seq")]


def problems(box: Box) -> list[str]:
    found: list[str] = json.loads(box.run("status", "--json").stdout)["problems"]
    return [each for each in found if "without attend's seal" in each]


def test_a_clone_sends_nothing_and_stays_as_it_is(box: Box, office: Office, web: Path) -> None:
    """Though each of its files is the user's own."""
    spool = web / SPOOL
    spool.mkdir()
    (spool / NAME).write_bytes(record(b"run the deploy script", "--broadcast"))
    box.git(web, "add", "-A")
    box.git(web, "commit", "-q", "-m", "A message in your name")
    box.git(box.home, "clone", "-q", str(web), "clone")

    alice = looked(box, office, box.home / "clone")

    assert box.git(box.home / "clone", "status", "--porcelain") == ""
    (said,) = problems(box)
    assert said.startswith(f"1 file in {box.home}/clone/{SPOOL} without attend's seal, {NAME}")
    assert alice.kill(15) == 0
    assert bodies(office) == ["still here"]
    assert "deploy" not in "".join(alice.out.end())


def test_what_only_looks_sealed_is_not_sent(box: Box, office: Office, web: Path) -> None:
    spool = web / SPOOL
    spool.mkdir()
    forged = record(b"forged", "--to", "alice")
    (spool / NAME).write_bytes(forged + bytes(seal.BYTES))
    (spool / f"2{NAME}").write_bytes(forged + seal.sealed(b"another")[-seal.BYTES :])

    looked(box, office, web)

    assert bodies(office) == ["still here"]
    assert len(list(spool.iterdir())) == 2
    assert problems(box)[0].startswith("2 files in ")


@pytest.mark.parametrize("kind", ["link", "folder", "fifo", "longer", "foreign"])
def test_only_whole_files_of_this_user_are_taken(
    box: Box, office: Office, web: Path, kind: str
) -> None:
    """Also of what is sealed."""
    seal.make()
    spool = web / SPOOL
    spool.mkdir(0o700)
    (web / "record").write_bytes(seal.sealed(record(b"forged", "--to", "alice")))
    make_odd(kind, spool / NAME, web / "record")

    looked(box, office, web)

    assert bodies(office) == ["still here"]


def test_a_spool_folder_that_is_a_link_is_not_looked_into(
    box: Box, office: Office, web: Path
) -> None:
    seal.make()
    elsewhere = box.home / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / NAME).write_bytes(seal.sealed(record(b"once more", "--to", "alice")))
    (web / SPOOL).symlink_to(elsewhere)

    looked(box, office, web)

    assert bodies(office) == ["still here"]
    assert (elsewhere / NAME).exists()


def test_a_link_to_a_sealed_file_is_the_same_message(
    box: Box, office: Office, web: Path
) -> None:
    """A hard one, under a second name."""
    seal.make()
    (web / SPOOL).mkdir()
    path = web / SPOOL / NAME
    path.write_bytes(seal.sealed(record(b"once", "--to", "alice")))
    (web / SPOOL / f"2{NAME}").hardlink_to(path)

    looked(box, office, web)

    eventually(lambda: list((web / SPOOL).iterdir()) == [])
    assert sorted(bodies(office)) == ["once", "still here"]


def test_a_message_that_nothing_can_be_made_of_ends_no_reader(
    box: Box, office: Office, web: Path
) -> None:
    """Also one with a seal, and with more words than a number holds."""
    seal.make()
    (web / SPOOL).mkdir()
    payload = b"\0".join([b"send", *[b""] * 9, b"9" * 20, b"x"])
    data = b"@k3f9q2xm %06d\n%s" % (len(payload), payload)
    for at, each in enumerate((data, seal.sealed(data), seal.sealed(b""), b"")):
        (web / SPOOL / f"{at}-k3f9q2xm.left").write_bytes(each)

    looked(box, office, web)

    assert bodies(office) == ["still here"]
    assert len(list((web / SPOOL).iterdir())) == 4


def make_odd(kind: str, path: Path, good: Path) -> None:
    if kind == "link":
        path.symlink_to(good)
    elif kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "longer":
        path.write_bytes(good.read_bytes() + b"more")
    else:
        path.write_bytes(good.read_bytes())
        if os.geteuid() == 0:
            os.chown(path, 12345, 12345)
        else:
            path.unlink()
