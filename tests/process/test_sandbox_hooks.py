"""What is sent from the sandbox of a client that only hooks reach is sent all the same, once."""

import os
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from attendd.hot import outside, places, seal
from tests.process.box import Box, Reading, eventually
from tests.process.hooking import Hooks, bodies, hosting, log
from tests.process.posting import Office
from tests.process.sandboxing import Sandbox, messages
from tests.process.talking import id_in

Call = Callable[[Hooks], str]
LONG = "line\n" * 12_000


def serving(box: Box, temporary: str = "") -> Reading:
    """Start `attendd`, and wait until something can be handed over to it."""
    service = hosting(box, temporary)
    eventually(lambda: outside.put(f"{places.runtime_dir()}/{outside.HOST}", b"!"))
    return service


@pytest.fixture
def hooks(sandbox: Sandbox) -> Hooks:
    """The hooks of the session in the sandbox, which has begun."""
    found = Hooks(sandbox.box, client=sandbox.client)
    found.start()
    return found


@pytest.fixture
def other(box: Box, web: Path, sandbox: Sandbox) -> Hooks:
    """The hooks of another session that nothing else reaches."""
    found = Hooks(box, client=box.client(web))
    found.start()
    return found


@pytest.mark.parametrize("text", ["from inside", LONG], ids=["short", "long"])
@pytest.mark.parametrize("temporary", ["", "/"], ids=["one TMPDIR", "another TMPDIR"])
def test_a_service_takes_it_in_at_once(
    sandbox: Sandbox, hooks: Hooks, other: Hooks, text: str, temporary: str
) -> None:
    """Though it may know another folder for temporary files."""
    serving(sandbox.box, temporary)

    done = sandbox.send("--to", other.session, "-", body=text)

    assert done.returncode == 0, done
    assert done.stdout.startswith(f"stored #{id_in(done.stdout)} (")
    assert done.stdout.endswith(
        ": it is shown with the next prompt or when a turn ends there\n"
    )
    via = "spool" if text == LONG else "fifo"
    assert [each[2] for each in messages(sandbox.office)] == [via]
    assert len(bodies(other.prompt())) == 1
    assert (other.stop(), other.prompt()) == ("", "")
    eventually(lambda: sandbox.spool == [])


def test_a_service_that_begins_looks_where_something_was_left(
    box: Box, office: Office, web: Path, sandbox: Sandbox, hooks: Hooks
) -> None:
    done = sandbox.send("--to", "alice", "early", closed=(sandbox.temporary,))
    assert done.stdout == (
        f"left #{id_in(done.stdout)} in {web}/.attend-{os.geteuid()}.spool:"
        " the next reader, host or hook there sends it\n"
    )

    serving(box)

    eventually(lambda: messages(office) == [("early", "handed over", "spool")])


def test_a_service_that_stands_still_takes_it_once_when_it_goes_on(
    box: Box, office: Office, sandbox: Sandbox, hooks: Hooks
) -> None:
    service = serving(box)
    service.process.send_signal(signal.SIGSTOP)
    done = sandbox.send("--to", "alice", "patience")
    assert done.stdout.startswith("left #")

    service.process.send_signal(signal.SIGCONT)

    eventually(lambda: sandbox.spool == [])
    assert [each[0] for each in messages(office)] == ["patience"]


def test_a_service_takes_what_a_reader_that_stands_still_does_not(
    office: Office, box: Box, sandbox: Sandbox
) -> None:
    serving(box)
    sandbox.monitor()
    reader, fifo = office.reader_of(sandbox.client.session)
    eventually(lambda: outside.put(fifo, b"!"))
    os.kill(reader, signal.SIGSTOP)

    done = sandbox.send("--to", "alice", "patience")

    assert done.stdout.startswith("left #")
    eventually(lambda: [each[0] for each in messages(office)] == ["patience"])
    os.kill(reader, signal.SIGCONT)


def test_what_a_service_that_is_killed_had_is_sent_once(
    box: Box, office: Office, sandbox: Sandbox, hooks: Hooks
) -> None:
    for turn in range(4):
        service = serving(box)
        service.process.send_signal(signal.SIGSTOP)
        done = sandbox.send("--to", "alice", f"turn {turn}")
        assert done.stdout.startswith("left #")
        service.process.send_signal(signal.SIGCONT)
        assert service.kill(signal.SIGKILL) == -signal.SIGKILL

    serving(box)

    eventually(lambda: sandbox.spool == [])
    assert sorted(each[0] for each in messages(office)) == [f"turn {n}" for n in range(4)]


@pytest.mark.parametrize(
    "call", [Hooks.prompt, Hooks.stop, lambda hooks: hooks.start("resume")]
)
@pytest.mark.parametrize("text", ["hello", LONG], ids=["short", "long"])
def test_without_reader_and_host_the_next_hook_takes_it_in(
    office: Office, sandbox: Sandbox, hooks: Hooks, other: Hooks, call: Call, text: str
) -> None:
    """It shows what waits first, so that what was left can't keep it from doing that."""
    done = sandbox.send("--to", other.session, "-", body=text)
    assert done.stdout.startswith(f"left #{id_in(done.stdout)} in {sandbox.temporary}")

    call(hooks)

    assert messages(office) == [(text, "handed over", "spool")]
    assert sandbox.spool == []
    assert len(bodies(other.prompt())) == 1
    assert other.stop() == ""


def test_a_sessions_start_makes_the_key_that_this_takes(
    office: Office, sandbox: Sandbox
) -> None:
    Path(seal.key_path()).unlink()
    hooks = Hooks(sandbox.box, client=sandbox.client)
    hooks.start()

    done = sandbox.send("--to", "alice", "hello")

    assert done.stdout.startswith("left #")
    hooks.stop()
    assert [each[0] for each in messages(office)] == ["hello"]


def test_an_answer_that_a_hook_takes_in_goes_to_what_was_shown(
    office: Office, sandbox: Sandbox, hooks: Hooks, other: Hooks
) -> None:
    office.say("question", "--to", hooks.session, author=other.session)
    sandbox.client.prompt()
    shown = {"type": "hook_additional_context", "content": [hooks.prompt()]}
    sandbox.client.row("attachment", attachment=shown | {"hookEvent": "UserPromptSubmit"})
    sandbox.client.tool_call(command="attend reply answer")
    assert sandbox.send("answer", command="reply").stdout.startswith("left #")

    hooks.stop()

    assert bodies(other.prompt()) == ["answer"]


def test_what_a_hook_cannot_finish_stays_for_the_next(
    box: Box, office: Office, sandbox: Sandbox, hooks: Hooks
) -> None:
    sandbox.send("--to", "alice", "hello")
    with closing(sqlite3.connect(office.path, isolation_level=None)) as store:
        store.execute("BEGIN IMMEDIATE")
        assert hooks.prompt() == ""
        store.execute("ROLLBACK")
    assert "locked" in log(box)
    assert len(sandbox.spool) == 1
    assert messages(office) == []

    hooks.stop()

    assert [each[0] for each in messages(office)] == ["hello"]
    assert sandbox.spool == []


def test_files_of_a_repository_delay_it_and_are_not_sent(
    office: Office, web: Path, sandbox: Sandbox, hooks: Hooks
) -> None:
    """A hook remembers nothing of those that it has looked at before."""
    sandbox.send("--to", "alice", "hello", closed=(sandbox.temporary,))
    spool = Path(places.spools(str(web))[2])
    for number in range(40):
        (spool / f"{number}-k3f9q2xm.left").write_bytes(b"none of ours")

    eventually(lambda: hooks.prompt() == "" and len(messages(office)) == 1)

    assert [each[0] for each in messages(office)] == ["hello"]
    assert len(list(spool.glob("*.left"))) == 40


def test_a_session_that_nobody_has_attended_takes_nothing_in(
    box: Box, office: Office, web: Path, sandbox: Sandbox
) -> None:
    sandbox.send("--to", "alice", "hello")
    stranger = Hooks(box, client=box.client(web))

    stranger.prompt()
    stranger.stop()

    assert messages(office) == []
    assert len(sandbox.spool) == 1
