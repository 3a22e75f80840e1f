"""From inside a client's sandbox a message is handed to whoever can commit it, once."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from attendd.hot import address, db, letter, moment, outside, places, post
from tests.process.box import HOT, Box, eventually
from tests.process.posting import Office, caller
from tests.process.talking import HIGH, id_in, listen


class Sandbox:
    """A client whose shell commands see no process of outside and may not write to our folders.

    Attributes:
        client: the client; its own monitor is not in the sandbox.
        temporary: the folder for temporary files, as the client's children see it.
    """

    def __init__(self, box: Box, office: Office, web: Path) -> None:
        self.box = box
        self.temporary = box.home / "tmp" / f"claude-{os.geteuid()}"
        self.temporary.mkdir(parents=True)
        box.env["TMPDIR"] = str(box.home / "tmp")
        self.client = box.client(web)
        self.office = office
        self.web = web

    def monitor(self) -> None:
        """Arm the client's monitor, outside of the sandbox."""
        self.client.monitor()
        sql = "SELECT 1 FROM attachment WHERE session = ? AND ended_at IS NULL"
        eventually(lambda: bool(db.read(self.office.db, sql, (self.client.session,))))

    def send(
        self, *words: str, body: str = "", command: str = "send"
    ) -> subprocess.CompletedProcess[str]:
        """Send something from inside."""
        runtime = places.runtime_dir()
        closed = " && ".join(
            f"mount --bind '{at}' '{at}' && mount -o remount,bind,ro '{at}'"
            for at in (self.box.home / "attend", runtime)
        )
        walls = ["unshare", "--mount", "--pid", "--fork", "--mount-proc"]
        inside = ["sh", "-c", f'{closed} && exec "$@"', "sh"]
        return subprocess.run(
            [*walls, *inside, sys.executable, "-I", "-S", str(HOT), command, *words],
            cwd=self.web,
            env=self.box.env
            | {
                "CLAUDECODE": "1",
                "CLAUDE_PID": str(self.client.pid),
                "TMPDIR": str(self.temporary),
            },
            input=body,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )

    @property
    def spool(self) -> list[Path]:
        """What was left for whoever comes."""
        return sorted(self.temporary.glob("attend-*.spool/*"))


@pytest.fixture
def sandbox(box: Box, office: Office, web: Path) -> Sandbox:
    if os.geteuid() != 0:
        pytest.skip("only root can wall a process off here")
    office.enrol("as:alice", web)
    return Sandbox(box, office, web)


def messages(office: Office) -> list[tuple[str, str, str]]:
    return db.read(office.db, "SELECT body, author_how, via FROM message ORDER BY seq")


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
    assert len(messages(office)) == 1


@pytest.mark.parametrize("kind", ["link", "folder", "fifo", "garbage", "foreign"])
def test_only_whole_files_of_this_user_are_taken_from_a_spool(
    box: Box, office: Office, web: Path, kind: str
) -> None:
    spool = web / f".attend-{os.geteuid()}.spool"
    spool.mkdir(0o700)
    record = handed(office, "", b"forged", "--to", "alice")
    (web / "record").write_bytes(record)
    path = spool / "000-k3f9q2xm.left"
    make_odd(kind, path, web / "record")

    alice = listen(box, office, web)
    office.say("still here", "--to", "alice", workdir=web)

    assert alice.out.line().endswith(": still here")
    assert messages(office)[0][0] == "still here"


def make_odd(kind: str, path: Path, record: Path) -> None:
    if kind == "link":
        path.symlink_to(record)
    elif kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "garbage":
        path.write_bytes(record.read_bytes() + b"more")
    else:
        path.write_bytes(record.read_bytes())
        if os.geteuid() == 0:
            os.chown(path, 12345, 12345)
        else:
            path.unlink()
