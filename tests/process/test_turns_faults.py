"""Hooks under faults: nothing is lost, nothing is said twice without a mark, no turn is held up."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.process.box import DEADLINE_S, HOOK, HOT, HURRIED, Box, eventually
from tests.process.hooking import Hooks, bodies, change, log, rows, said, send
from tests.store.disks import readonly, small

WAITING = "SELECT state, repeats FROM delivery WHERE message IS NOT NULL"


@pytest.fixture
def hooks(box: Box) -> Hooks:
    """The hooks of a session that has started."""
    found = Hooks(box)
    found.start()
    return found


def write_to(box: Box, event: str, out: int) -> int:
    """Call a hook whose output goes to a descriptor; return its exit code."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(HOT), *HOOK],
        input=event.encode(),
        env=box.env,
        stdout=out,
        stderr=subprocess.PIPE,
        timeout=DEADLINE_S,
        check=False,
    )
    assert done.stderr == b""
    return done.returncode


def fill(pipe: int) -> None:
    """Leave no room in a pipe."""
    os.set_blocking(pipe, False)
    for size in (65_536, 4_096, 256, 1):
        with suppress(BlockingIOError):
            while True:
                os.write(pipe, b"x" * size)
    os.set_blocking(pipe, True)


@pytest.mark.parametrize("event", ["UserPromptSubmit", "Stop"])
def test_an_answer_that_could_not_be_written_was_not_given(
    box: Box, hooks: Hooks, event: str
) -> None:
    send(box, hooks.session, "hello")
    reading, writing = os.pipe()
    os.close(reading)

    assert write_to(box, hooks.event(event, prompt="hi"), writing) == 0

    os.close(writing)
    assert rows(box, WAITING) == [("stored", 0)]
    assert "Broken pipe" in log(box)
    assert bodies(hooks.prompt("once more")) == ["hello"]
    assert rows(box, WAITING) == [("offered", 0)]


def test_what_found_no_room_is_said_by_the_next_hook(box: Box, hooks: Hooks) -> None:
    send(box, hooks.session, "hello")
    reading, writing = os.pipe()
    fill(writing)
    hooks.words = HURRIED

    assert write_to(box, hooks.event("UserPromptSubmit", prompt="hi"), writing) == 0

    os.close(reading)
    os.close(writing)
    assert "no room in the output" in log(box)
    assert rows(box, WAITING) == [("stored", 0)]
    assert bodies(hooks.prompt("once more")) == ["hello"]


def test_what_its_author_wants_back_meanwhile_is_taken_back_then(
    box: Box, hooks: Hooks
) -> None:
    message = send(box, hooks.session, "hello")
    reading, writing = os.pipe()
    fill(writing)
    with subprocess.Popen(
        [sys.executable, "-I", "-S", str(HOT), "hook", "--within=9"],
        env=box.env,
        stdin=subprocess.PIPE,
        stdout=writing,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(hooks.event("UserPromptSubmit", prompt="hi").encode())
        process.stdin.close()
        eventually(lambda: rows(box, WAITING) == [("claimed", 0)])
        back = box.run("retract", message, "--as", "bob")
    os.close(reading)
    os.close(writing)

    assert back.returncode == 1
    assert "is being shown it at this moment; it is taken back if nothing" in back.stderr
    assert rows(box, WAITING) == [("retracted", 0)]
    assert "taken back" in box.run("sent", "--as", "bob").stdout
    assert hooks.prompt("once more") == ""


def test_half_an_answer_may_have_been_seen(box: Box, hooks: Hooks, tmp_path: Path) -> None:
    """A disk takes its beginning and no more, so it is repeated, and marked."""
    send(box, hooks.session, "x" * 1_000)
    event = hooks.event("UserPromptSubmit", prompt="hi")
    with small(tmp_path / "disk", kib=4) as disk:
        (disk / "full").write_bytes(b"x" * 3_500)
        with (disk / "full").open("ab") as out:
            assert write_to(box, event, out.fileno()) == 0

    assert rows(box, WAITING) == [("claimed", 0)]
    change(box, "UPDATE delivery SET lease_bt = lease_bt - 16")
    assert "(again) message from" in hooks.prompt("once more")
    assert rows(box, WAITING) == [("offered", 1)]


def test_a_hook_that_dies_with_a_claim_is_made_good_by_the_next(box: Box, hooks: Hooks) -> None:
    """It is killed while its output takes nothing, so after the claim and before the record."""
    send(box, hooks.session, "hello")
    reading, writing = os.pipe()
    fill(writing)
    with subprocess.Popen(
        [sys.executable, "-I", "-S", str(HOT), *HOOK],
        env=box.env,
        stdin=subprocess.PIPE,
        stdout=writing,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(hooks.event("Stop").encode())
        process.stdin.close()
        eventually(lambda: rows(box, WAITING) == [("claimed", 0)])
        process.send_signal(signal.SIGKILL)
    os.close(reading)
    os.close(writing)

    assert hooks.prompt() == "", "its lease holds yet"
    change(box, "UPDATE delivery SET lease_bt = lease_bt - 16")

    assert "(again) message from" in hooks.prompt()
    assert hooks.prompt() == ""


def test_a_store_that_somebody_holds_is_not_waited_for(box: Box, hooks: Hooks) -> None:
    send(box, hooks.session, "hello")
    hooks.words = HURRIED
    with sqlite3.connect(box.state / "attend.db", isolation_level=None) as held:
        held.execute("BEGIN IMMEDIATE")

        assert hooks.prompt() == ""
        assert hooks.stop() == ""

    held.close()
    assert "StoreError" in log(box) or "no answer" in log(box)
    hooks.words = HOOK
    assert bodies(hooks.prompt()) == ["hello"]


def test_where_nothing_can_be_written_a_turn_ends_at_once(
    box: Box, hooks: Hooks, tmp_path: Path
) -> None:
    send(box, hooks.session, "hello")
    home = Path(box.env["ATTEND_HOME"])

    with readonly(home, tmp_path / "view") as view:
        box.env["ATTEND_HOME"] = str(view)

        assert hooks.stop() == ""
        assert hooks.prompt() == ""
        said = "x <attend:percept:k7q2zd>y</attend:percept:k7q2zd>"
        told = json.loads(hooks.alone(hooks.event("Stop", last_assistant_message=said)))
        assert set(told) == {"systemMessage"}
        assert "facts of this session can't be kept for now" in told["systemMessage"]

    box.env["ATTEND_HOME"] = str(home)
    assert bodies(hooks.stop()) == ["hello"]


def test_without_a_place_for_the_state_nothing_is_said(box: Box, hooks: Hooks) -> None:
    send(box, hooks.session, "hello")
    box.env["ATTEND_HOME"] = "/proc/none"

    assert hooks.stop() == ""
    assert hooks.prompt() == ""


def test_a_damaged_store_costs_an_answer_and_no_turn(box: Box, hooks: Hooks) -> None:
    for name in ("attend.db-wal", "attend.db-shm"):
        (box.state / name).unlink(missing_ok=True)
    (box.state / "attend.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 8_176)

    assert hooks.stop() == ""
    assert hooks.prompt() == ""


@contextmanager
def asked_again_and_again(hooks: Hooks) -> Iterator[list[str]]:
    """Call a session's prompt and stop hooks, several at a time, and gather what they show."""
    shown: list[str] = []
    done = threading.Event()

    def ask(name: str) -> None:
        while not done.is_set():
            shown.append(said(hooks.alone(hooks.event(name, prompt="hi"))))

    names = ("UserPromptSubmit", "Stop", "Stop")
    threads = [threading.Thread(target=ask, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    try:
        yield shown
    finally:
        done.set()
        for thread in threads:
            thread.join()


@pytest.mark.timeout(180)
def test_loop_prompt_and_stop_show_200_messages_once_each(box: Box) -> None:
    """A reader, prompts and turn ends at the same moment, while others go on sending."""
    client = box.client(box.home)
    Hooks(box, client=client).start()
    hooks = Hooks(box, client.session)

    def say(sender: int) -> None:
        for number in range(100):
            send(box, client.session, f"text {sender} {number}", f"bob{sender}")

    with asked_again_and_again(hooks) as shown:
        saying = [threading.Thread(target=say, args=(sender,)) for sender in range(2)]
        for thread in saying:
            thread.start()
        eventually(lambda: rows(box, "SELECT count(*) > 60 FROM message") == [(1,)])
        client.monitor()
        for thread in saying:
            thread.join()
        # A reader keeps its pace, so the last few would take a minute.
        eventually(lambda: rows(box, "SELECT conduit FROM attachment") == [("monitor",)])
        os.kill(rows(box, "SELECT reader_pid FROM attachment")[0][0], signal.SIGTERM)
        eventually(lambda: not rows(box, f"{WAITING} AND state IN ('stored', 'claimed')"))
    while (line := client.out.more(0.1)) is not None:
        shown.append(line)

    counts = Counter(body for text in shown for body in bodies(text))
    fates = Counter(rows(box, "SELECT state, repeats FROM delivery WHERE message IS NOT NULL"))
    assert set(counts.values()) == {1}
    assert fates[("offered", 0)] == len(counts)
    assert fates[("offered", 0)] + fates[("announced", 0)] == 200
    assert rows(box, "PRAGMA integrity_check") == [("ok",)]
