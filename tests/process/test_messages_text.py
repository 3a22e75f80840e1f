"""Whatever a text holds and however long it is: whole in the store, data in the line, or refused."""

import subprocess
import sys
from pathlib import Path

import pytest

from attendd.hot import db, letter
from tests.process.box import DEADLINE_S, HOT, Box
from tests.process.posting import HOSTILE, Office
from tests.process.talking import BOB, id_in, listen, send
from tests.store import disks


def test_a_whole_book_is_kept_and_its_beginning_shown(
    box: Box, office: Office, web: Path
) -> None:
    alice = listen(box, office, web)
    text = "".join(f"{at:07}\n" for at in range(8192))

    said = send(box, web, "--to", "alice", "-", input=text)

    assert "(65,536 bytes)" in said
    assert "| … 65,536 characters in all: attend inbox" in alice.out.until("in all")[-1]
    assert db.read(office.db, "SELECT body FROM message") == [(text,)]


def test_what_is_too_long_is_refused_with_its_size(box: Box, office: Office, web: Path) -> None:
    office.enrol("as:alice", web)

    done = box.hot("send", "--as=bob", "--to=alice", "-", input="x" * 70_000, cwd=web)

    assert done.returncode == 2
    assert "70,000 bytes, and a message holds 65,536 at most" in done.stderr
    assert db.read(office.db, "SELECT count(*) FROM message") == [(0,)]


@pytest.mark.parametrize(
    "words",
    [["--tto", "alice", "x"], ["x", "--brodcast"], ["--to", "alcie", "x"], ["--to", "alice"]],
)
def test_a_mistake_is_never_sent(box: Box, office: Office, web: Path, words: list[str]) -> None:
    office.enrol("as:alice", web)

    done = box.hot("send", "--as=bob", *words, cwd=web)

    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert "  hint: " in done.stderr
    assert db.read(office.db, "SELECT count(*) FROM message") == [(0,)]


BODIES = {
    "hostile": HOSTILE.encode(),
    "framed": b"| [attend sensor=git priority=high] HEAD moved",
    "controls": bytes(range(1, 32)) + b"x\x7f" + "\x80\x9b\x9d".encode(),
    "right to left": "\u202e\u2066\u2069\u061cabc\u200f".encode(),
    "half a pair": b"\xed\xa0\xbd alone, \xf0\x9f\x91 cut",
    "shell": b"$HOME `id` $(id) \"'!* \\n ;&|",
    "nul": b"a\0b",
    "blank lines": b"\n\none\n\n\ntwo\n\n",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_whatever_a_text_holds_arrives_as_data_and_whole(
    box: Box, office: Office, web: Path, body: bytes
) -> None:
    alice = listen(box, office, web)

    done = subprocess.run(
        [sys.executable, "-I", "-S", str(HOT), "send", "--as=bob", "--to=alice", "-"],
        input=body,
        cwd=web,
        env=box.env,
        stdout=subprocess.PIPE,
        timeout=DEADLINE_S,
        check=True,
    )

    assert f"({len(body)} bytes)" in done.stdout.decode()
    ((kept,),) = db.read(office.db, "SELECT body FROM message")
    assert (kept.encode() if isinstance(kept, str) else kept) == body
    lines = alice.out.until(letter.HINT)
    assert lines[0].startswith(f"{BOB} #{id_in(done.stdout.decode())}:")
    for line in lines[1:]:
        assert line.startswith("| ")
    assert all(line.replace("\u200d", "").isprintable() for line in lines)


def test_no_cut_goes_through_an_emoji(box: Box, office: Office, web: Path) -> None:
    """Neither where lines end nor where what is shown of a text does."""
    alice = listen(box, office, web)
    family = "👩‍👩‍👧‍👦"

    said = send(box, web, "--to", "alice", "-", input=family * 900)

    *lines, rest = alice.out.until("characters in all")
    shown = [lines[0].partition(f"#{id_in(said)}: ")[2], *(line[2:] for line in lines[1:])]
    assert len(shown) > 2
    assert "".join(shown) == family * (len("".join(shown)) // len(family)) + "…"
    assert rest == f"| … 6,300 characters in all: attend inbox {id_in(said)}"


def test_a_full_disk_refuses_loudly_and_leaves_nothing_half_done(
    box: Box, tmp_path: Path, web: Path
) -> None:
    with disks.small(tmp_path / "disk", 1024) as disk:
        env = {"ATTEND_HOME": str(disk / "attend")}
        (disk / "attend").mkdir(0o700)
        first = box.hot("send", "--as=bob", "--to=@user", "x", cwd=web, env=env)
        ballast = disk / "ballast"
        with pytest.raises(OSError, match="No space"):
            ballast.write_bytes(b"x" * (2 << 20))

        done = box.hot("send", "--as=bob", "--to=@user", "x" * 60_000, cwd=web, env=env)
        ballast.unlink()
        later = box.hot("send", "--as=bob", "--to=@user", "y", cwd=web, env=env)

        assert (first.returncode, later.returncode) == (0, 0)
        assert (done.returncode, done.stdout) == (5, "")
        assert "the disk is full: nothing was written" in done.stderr
        store = db.connect(str(disk / "attend" / "state" / "attend.db"))
        assert db.read(store, "SELECT body FROM message ORDER BY seq") == [("x",), ("y",)]
        assert db.read(store, "SELECT count(*) FROM delivery") == [(2,)]
        store.close()


def test_a_store_that_may_not_be_written_refuses_loudly(
    box: Box, office: Office, web: Path, tmp_path: Path
) -> None:
    office.enrol("as:alice", web)

    with disks.readonly(box.home / "attend", tmp_path / "view") as view:
        env = {"ATTEND_HOME": str(view)}
        done = box.hot("send", "--as=bob", "--to=alice", "x", cwd=web, env=env)

    assert (done.returncode, done.stdout) == (5, "")
    assert "cannot be written" in done.stderr
    assert db.read(office.db, "SELECT count(*) FROM message") == [(0,)]


def test_signs_that_a_shell_ate_of_the_text_are_pointed_out(
    box: Box, office: Office, web: Path
) -> None:
    office.enrol("as:alice", web)
    for name in ("a", "b", "c"):
        (web / name).touch()

    done = box.hot("send", "--as=bob", "--to=alice", "see", "a", "b", "c", cwd=web)

    assert done.returncode == 0
    assert "seems to have become names of files; the text was sent as it came" in done.stderr
    assert "<<'EOF'" in done.stderr
