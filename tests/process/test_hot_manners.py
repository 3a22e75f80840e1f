"""The manners of the hot commands: what a closed pipe, a full disk and Ctrl-C do to them."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.process.box import DEADLINE_S, HOOK, HOT, Box, eventually

LINE = json.dumps({"session_id": "s-1", "model": {"id": "claude-opus-5-5"}, "version": "2"})
START = json.dumps({"hook_event_name": "SessionStart", "session_id": "s-1", "cwd": "/"})
COMMANDS: dict[str, tuple[list[str], str, int]] = {
    "peers": (["peers"], "", 141),
    "peers --json": (["peers", "--all", "--json"], "", 141),
    "send": (["send", "--as=bob", "--to=@user", "hello"], "", 141),
    "statusline": (["statusline"], LINE, 141),
    "statusline --": (["statusline", "--", "echo", "mine"], LINE, 141),
    "build": (["build", "--", "sh", "-c", "printf x"], "", -signal.SIGPIPE),
    "hook": ([*HOOK], START, 0),
    "run": (["run", "--as=bob", "--host-after=-1"], "", 0),
    "send --help": (["send", "--help"], "", 141),
}
"""Words, standard input, and the exit code where nobody reads the output; -13 a shell calls 141."""


@contextmanager
def nobody() -> Iterator[int]:
    """Lend a pipe that nobody reads from any more."""
    readable, writable = os.pipe()
    os.close(readable)
    yield writable
    os.close(writable)


def told(box: Box, words: list[str], stdin: str, out: int) -> tuple[int, str]:
    """Run a hot command; return its exit code, and what it complained about."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(HOT), *words],
        env=box.env,
        cwd=box.home,
        input=stdin,
        stdout=out,
        stderr=subprocess.PIPE,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_whose_reader_went_away_says_so_by_its_code_alone(
    box: Box, command: str
) -> None:
    words, stdin, code = COMMANDS[command]
    with nobody() as out:
        found, complaint = told(box, words, stdin, out)

    assert found == code
    assert complaint == "" or (command == "run" and complaint.startswith("attend: 0.1.0: list"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("command", ["peers", "peers --json", "send", "statusline", "hook"])
def test_an_output_that_takes_nothing_is_one_sentence(box: Box, command: str) -> None:
    words, stdin, _ = COMMANDS[command]
    with Path("/dev/full").open("wb") as full:
        code, complaint = told(box, words, stdin, full.fileno())

    said = "No space left on device: standard output"
    if command == "send":
        assert (code, complaint[:13]) == (0, "attend: store")
        assert complaint.endswith(f" ({said})\n"), "it was sent all the same"
    elif command.startswith("peers"):
        assert (code, complaint) == (1, f"attend: {said}\n")
    else:
        assert "Traceback" not in complaint


def test_what_was_sent_while_nobody_read_of_it_was_sent_once(box: Box) -> None:
    with nobody() as out:
        told(box, *COMMANDS["send"][:2], out)

    sent = json.loads(box.run("sent", "--as=bob", "--json").stdout)["messages"]
    assert len(sent) == 1


def test_an_answer_whose_reader_went_away_was_given(box: Box) -> None:
    said = box.hot("send", "--as=bob", "--to=@user", "hello").stdout
    answering = ["reply", "--as=bob", f"--re={said.partition('#')[2][:8]}", "and more"]
    with nobody() as out:
        found = told(box, answering, "", out)

    assert found == (141, "")
    assert len(json.loads(box.run("sent", "--as=bob", "--json").stdout)["messages"]) == 2


def test_ctrl_c_ends_a_command_that_waits_for_its_text_without_a_word(box: Box) -> None:
    taken, given = os.pipe()
    words = [sys.executable, "-I", "-S", str(HOT), "send", "--as=bob", "--to=@user", "-"]
    child = subprocess.Popen(words, env=box.env, stdin=taken, stderr=subprocess.PIPE)
    os.write(given, b"the beginning of a text")

    def waits() -> bool:
        return int.from_bytes(fcntl.ioctl(taken, termios.FIONREAD, bytes(4)), "little") == 0

    eventually(waits)
    child.send_signal(signal.SIGINT)
    _, complaint = child.communicate(timeout=DEADLINE_S)
    os.close(taken)
    os.close(given)

    assert (child.returncode, complaint) == (130, b"")
