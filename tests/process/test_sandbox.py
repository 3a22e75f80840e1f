"""From inside a client's sandbox a message is handed to whoever can commit it, once."""

import os
import signal
import sys
from pathlib import Path

import pytest

from attendd.hot import db, letter, places, seal
from tests.process.box import Box, eventually
from tests.process.posting import Office
from tests.process.sandboxing import Sandbox, messages
from tests.process.talking import HIGH, id_in, listen


def test_a_message_goes_out_by_the_sessions_own_reader(
    box: Box, office: Office, web: Path, sandbox: Sandbox
) -> None:
    alice = listen(box, office, web)
    sandbox.monitor()

    done = sandbox.send("--to", "alice", "from inside")

    assert done.returncode == 0, done
    assert done.stdout == f"sent #{id_in(done.stdout)} to 1 session, alice (web)\n"
    line = alice.out.until(id_in(done.stdout))[-1]
    assert line.startswith(HIGH)
    assert line.endswith(f"(web, by its own account) #{id_in(done.stdout)}: from inside")
    assert messages(office) == [("from inside", "handed over", "fifo")]
    assert db.read(office.db, "SELECT author FROM message") == [(sandbox.client.session,)]


def test_what_is_wrong_with_it_is_said_as_outside(office: Office, sandbox: Sandbox) -> None:
    sandbox.monitor()

    done = sandbox.send("--to", "alcie", "hello")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "attend: no session is known as 'alcie'\n  hint: did you mean alice (web)? --to alice\n"
    )
    assert messages(office) == []


@pytest.mark.parametrize("command", ["retract", "read", "mute", "join"])
def test_what_can_only_be_done_outside_is_not_sent_to_another_store(
    office: Office, sandbox: Sandbox, command: str
) -> None:
    session = office.enrol(sandbox.client.session, sandbox.web)
    words = {
        "retract": office.say("taken back", "--to", "alice", author=session),
        "read": office.say("read", "--to", session, author="as:alice"),
        "mute": "alice",
    }
    full = (sys.executable, "-P", "-m", "attendd")

    done = sandbox.send(words.get(command, "deploy"), command=command, program=full)

    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr.endswith(f"cannot be written\n  hint: {places.OUTSIDE}\n")


def test_of_what_was_not_sent_it_is_not_said_that_it_was(sandbox: Sandbox) -> None:
    sandbox.monitor()

    done = sandbox.send("--to", "alcie", "it costs  dollars")

    assert done.returncode == 1
    assert "no session is known as 'alcie'" in done.stderr
    assert "was sent as it came" not in done.stderr


def test_a_long_text_goes_by_a_file_and_is_as_sure(office: Office, sandbox: Sandbox) -> None:
    sandbox.monitor()
    text = "line\n" * 12_000

    done = sandbox.send("--to", "alice", "-", body=text)

    assert done.returncode == 0
    assert "(60,000 bytes) for 1 session, alice (web): nobody is listening" in done.stdout
    assert messages(office) == [(text, "handed over", "spool")]
    eventually(lambda: sandbox.spool == [])  # it goes only after the answer is there


def test_any_other_reader_will_do(
    box: Box, office: Office, web: Path, sandbox: Sandbox
) -> None:
    """A client without monitors has no reader of its own."""
    alice = listen(box, office, web)

    done = sandbox.send("--to", "alice", "hello")

    assert done.returncode == 0
    assert letter.id_of(alice.out.line()) == id_in(done.stdout)


def test_where_nobody_is_there_it_is_left_for_who_comes(
    box: Box, office: Office, web: Path, sandbox: Sandbox
) -> None:
    first = sandbox.send("--to", "alice", "first")
    second = sandbox.send("--to", "alice", "second")
    assert (first.returncode, second.returncode) == (0, 0)
    assert f"left #{id_in(first.stdout)} in {sandbox.temporary}" in first.stdout
    assert messages(office) == []

    alice = listen(box, office, web)

    assert letter.id_of(alice.out.line()) == id_in(first.stdout)
    alice.out.until("second")
    assert messages(office) == [
        ("first", "handed over", "spool"),
        ("second", "handed over", "spool"),
    ]
    eventually(lambda: sandbox.spool == [])


def test_what_is_left_in_a_work_tree_is_no_part_of_the_repository(
    box: Box, office: Office, web: Path, sandbox: Sandbox
) -> None:
    left = sandbox.send("--to", "alice", "private", closed=(sandbox.temporary,))
    spool = web / f".attend-{os.geteuid()}.spool"
    assert left.stdout.startswith(f"left #{id_in(left.stdout)} in {spool}"), left
    box.git(web, "add", "-A")

    assert box.git(web, "status", "--porcelain", "--untracked-files=all") == ""
    alice = listen(box, office, web)
    assert letter.id_of(alice.out.line()) == id_in(left.stdout)
    eventually(lambda: [path.name for path in spool.iterdir()] == [".gitignore"])


def test_nothing_is_left_where_it_would_become_part_of_the_repository(
    office: Office, web: Path, sandbox: Sandbox
) -> None:
    spool = web / f".attend-{os.geteuid()}.spool"
    spool.mkdir()
    (spool / ".gitignore").write_text("!*\n")

    done = sandbox.send("--to", "alice", "private", closed=(sandbox.temporary,))

    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr.startswith("attend: the store at ")
    assert [path.name for path in spool.iterdir()] == [".gitignore"]


@pytest.mark.parametrize("body", ["hello", "line\n" * 12_000], ids=["short", "long"])
def test_without_a_key_nothing_is_left_and_that_is_said(
    office: Office, sandbox: Sandbox, body: str
) -> None:
    key = Path(seal.key_path())
    key.unlink()

    done = sandbox.send("--to", "alice", "-", body=body)

    assert (done.returncode, done.stdout) == (5, "")
    assert f"nor can it be left for a reader: {key} can't be read\n" in done.stderr
    assert "hint: a session's start makes that key, or `attend run` outside" in done.stderr
    assert sandbox.spool == []


def test_one_that_is_refused_when_nobody_waits_is_told_to_its_author(
    office: Office, sandbox: Sandbox
) -> None:
    """Its recipient went while it lay there."""
    left = sandbox.send("--to", "alice", "hello")
    assert left.stdout.startswith("left #")
    office.alter("DELETE FROM session")

    sandbox.monitor()

    line = sandbox.client.out.until("message from attend")[-1]
    assert f"your message #{id_in(left.stdout)} was not sent: no session is known as" in line
    assert sandbox.spool == []


def test_a_reader_that_stands_still_takes_it_once_when_it_goes_on(
    box: Box, office: Office, web: Path, sandbox: Sandbox
) -> None:
    """It is in the FIFO and in the spool by then."""
    alice = listen(box, office, web)
    alice.process.send_signal(signal.SIGSTOP)
    done = sandbox.send("--to", "alice", "patience")
    assert done.stdout.startswith("left #")

    alice.process.send_signal(signal.SIGCONT)

    assert letter.id_of(alice.out.line()) == id_in(done.stdout)
    eventually(lambda: sandbox.spool == [])
    assert len(messages(office)) == 1
    assert alice.kill(signal.SIGTERM) == 0
    assert alice.out.end() == [f"| {letter.HINT}"]


def test_an_answer_can_be_given_from_inside(
    box: Box, office: Office, web: Path, sandbox: Sandbox
) -> None:
    alice = listen(box, office, web)
    sandbox.monitor()
    office.say("question", "--to", sandbox.client.session, author="as:alice", workdir=web)
    sandbox.client.out.until("question")
    eventually(lambda: bool(db.read(office.db, "SELECT 1 FROM heard")))

    done = sandbox.send("answer", command="reply")

    assert done.returncode == 0, done
    assert alice.out.until(id_in(done.stdout))[-1].endswith(": answer")
