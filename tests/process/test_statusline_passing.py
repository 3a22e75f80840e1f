"""`attend statusline -- COMMAND`: the user's own line, whatever that command does."""

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from attendd.store import Store
from tests.process.box import DEADLINE_S, HOT, Box, eventually
from tests.process.seeding import SESSION
from tests.process.test_statusline import stated


def test_the_users_own_line_is_shown_in_place_of_ours(box: Box) -> None:
    text = stated()
    done = box.hot("statusline", "--", "sh", "-c", "cat; echo; echo two; exit 3", input=text)

    assert (done.returncode, done.stdout) == (3, f"{text}\ntwo\n")
    assert Store(str(box.state / "attend.db"), readonly=True).figures.of(SESSION)


def test_its_environment_is_ours(box: Box) -> None:
    """Python adds a locale to its own where there is none."""
    env = {"ATTEND_HOME": box.env["ATTEND_HOME"], "HOME": box.env["HOME"]}
    words = [sys.executable, "-I", "-S", "-X", "utf8", str(HOT), "statusline", "--", "env"]
    done = subprocess.run(
        words, env=env, input=stated(), capture_output=True, text=True, check=True
    )

    assert dict(line.split("=", 1) for line in done.stdout.splitlines()) == env


def test_its_complaints_and_colours_go_through_too(box: Box) -> None:
    done = box.hot("statusline", "--", "printf", "\\033[31mred\\033[0m\\n", input=stated())
    failed = box.hot("statusline", "--", "sh", "-c", "echo no >&2; kill -9 $$", input=stated())

    assert done.stdout == "\x1b[31mred\x1b[0m\n"
    assert (failed.returncode, failed.stderr) == (128 + signal.SIGKILL, "no\n")


@pytest.mark.parametrize("text", ["", "half {", "x" * 300_000], ids=["none", "half", "long"])
def test_its_input_is_what_the_client_wrote_whatever_that_is(box: Box, text: str) -> None:
    done = box.hot("statusline", "--", "wc", "-c", input=text)
    ignored = box.hot("statusline", "--", "echo", "ours", input=text)

    assert (done.returncode, done.stdout.strip()) == (0, str(len(text)))
    assert (ignored.returncode, ignored.stdout) == (0, "ours\n")


def test_what_it_leaves_in_the_background_is_not_waited_for(box: Box) -> None:
    done = box.hot(
        "statusline", "--", "sh", "-c", "sleep 1000 2>/dev/null & echo $!", input=stated()
    )
    left = int(done.stdout)
    os.kill(left, signal.SIGKILL)  # it was there, and holds our output open

    assert done.returncode == 0


def test_a_command_that_there_is_none_leaves_our_line_and_a_sentence(box: Box) -> None:
    done = box.hot("statusline", "--", "no-such-command", input=stated())

    assert (done.returncode, done.stdout[:8]) == (0, "context ")
    assert (
        done.stderr == "attend: 'no-such-command' can't be started: No such file or directory\n"
    )
    assert " · yours can't start · " in done.stdout


def test_a_command_that_hangs_is_ended_with_all_its_own_and_ours_is_shown(
    box: Box, tmp_path: Path
) -> None:
    mark = tmp_path / "pid"
    script = f"trap '' TERM; sleep 1000 & echo $! > {mark}; echo half; wait; sleep 1000"
    done = box.hot("statusline", "--", "sh", "-c", script, input=stated())

    assert (done.returncode, done.stdout[:8]) == (0, "context ")
    assert " · yours was ended after 5 s · " in done.stdout
    assert "half" not in done.stdout
    eventually(lambda: _gone(int(mark.read_text())))


def test_why_it_is_missing_is_said_where_the_client_says_nothing_too(box: Box) -> None:
    done = box.hot("statusline", "--", "no-such-command", input="half {", env={"COLUMNS": "20"})

    assert (done.returncode, done.stdout) == (0, "yours can't start\n")


def test_a_signal_goes_on_to_the_command_and_ends_both(box: Box, tmp_path: Path) -> None:
    """A client that draws anew ends the run under way."""
    fifo = tmp_path / "ready"
    os.mkfifo(fifo)
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", str(HOT), "statusline", "--", "sh", "-c",
         f"trap 'echo told; exit 7' TERM; echo $$ > {fifo}; while :; do sleep 0.01; done"],
        env=box.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.close()
    pid = int(fifo.read_text())
    process.terminate()
    code = process.wait(DEADLINE_S)
    assert process.stdout is not None
    said = process.stdout.read()
    process.stdout.close()

    assert (code, said) in [(7, b"told\n"), (128 + signal.SIGTERM, b"")]
    eventually(lambda: _gone(pid))


def test_at_a_terminal_it_says_how_it_is_set_up(box: Box) -> None:
    ours, theirs = pty.openpty()
    done = box.hot("statusline", stdin=theirs)
    os.close(ours)
    os.close(theirs)

    assert (done.returncode, done.stdout) == (2, "")
    setting = done.stderr.partition(f"put this into {box.home}/.claude/settings.json: ")[2]
    assert json.loads(f"{{{setting}}}")["statusLine"]["command"] == "attend statusline"


def _gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True
