"""`attend build`: the command runs as it would without it, and what became of it is reported."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.hot import builds, shell
from tests.process.box import DEADLINE_S, HOT, ROOT, Box, eventually

BUILD = [sys.executable, "-I", "-S", "-X", "utf8", str(HOT), "build"]


def reports(box: Box) -> list[dict[str, Any]]:
    """Read all reports, the oldest first."""
    found = [json.loads(path.read_text()) for path in (box.state / "builds").glob("*.json")]
    return sorted(found, key=lambda each: float(each["began_at"]))


def started(box: Box, *words: str, **options: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*BUILD, "--", *words], env=box.env, stdout=subprocess.PIPE, **options
    )


@pytest.mark.parametrize("code", [0, 1, 7, 255])
def test_its_exit_code_is_the_commands(box: Box, code: int) -> None:
    done = box.hot("build", "--", "sh", "-c", f"exit {code}")

    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")
    (report,) = reports(box)
    assert (report["code"], report["command"]) == (code, f"sh -c 'exit {code}'")
    assert report["ended_at"] >= report["began_at"]


ODD = ["sh", "-c", "sleep 1; false", "it's", "", "$HOME", "a*", "é", "-x=1", "~/b", "a\\b"]


def test_a_command_is_shown_as_one_would_type_it(box: Box) -> None:
    box.hot("build", "--", "true", *ODD)
    (report,) = reports(box)

    assert shlex.split(report["command"]) == ["true", *ODD]
    assert report["command"].startswith("true sh -c 'sleep 1; false' ")


@given(st.lists(st.text()))
def test_words_are_quoted_as_the_standard_library_does(words: list[str]) -> None:
    assert shell.typed(words) == shlex.join(words)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL", "SIGABRT"])
def test_it_ends_by_the_signal_that_ended_the_command(box: Box, name: str) -> None:
    number = getattr(signal, name)
    done = box.hot("build", "sh", "-c", f"kill -{int(number)} $$")

    assert done.returncode == -number
    assert reports(box)[0]["code"] == -number


@pytest.mark.parametrize(
    "number", sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD})
)
def test_a_signal_sent_to_it_reaches_the_command(box: Box, number: int) -> None:
    script = (
        "import os, signal, sys\n"
        f"signal.pthread_sigmask(signal.SIG_BLOCK, [{int(number)}])\n"
        "os.write(1, b'ready\\n')\n"
        f"signal.sigwait([{int(number)}])\n"
        "os.write(1, b'got\\n')\n"
        "sys.exit(3)"
    )
    run = started(box, sys.executable, "-I", "-S", "-c", script)
    assert run.stdout is not None
    assert run.stdout.readline() == b"ready\n"

    run.send_signal(number)

    assert run.communicate(timeout=DEADLINE_S)[0] == b"got\n"
    assert run.returncode == 3


def test_it_stops_and_goes_on_with_the_command(box: Box) -> None:
    run = started(box, "sh", "-c", "echo $$; kill -STOP $$; echo on")
    assert run.stdout is not None
    child = int(run.stdout.readline())

    eventually(lambda: os.waitid(os.P_PID, run.pid, os.WSTOPPED | os.WNOHANG) is not None)
    run.send_signal(signal.SIGCONT)

    assert run.communicate(timeout=DEADLINE_S)[0] == b"on\n"
    assert run.returncode == 0
    assert not Path(f"/proc/{child}").exists()


def test_streams_arguments_environment_and_mask_are_the_commands_own(box: Box) -> None:
    script = (
        "import os, signal, sys; sys.stdout.write(repr((sys.stdin.read(), sys.argv[1:],"
        " sorted(k for k in os.environ), signal.pthread_sigmask(signal.SIG_BLOCK, ()),"
        " os.getpgrp())))"
    )
    words = [sys.executable, "-I", "-c", script, "a b", "*", "", "--json", "\udce9"]
    env = {"ATTEND_HOME": box.env["ATTEND_HOME"], "HOME": box.env["HOME"]}

    plain, built = (
        subprocess.run(
            [*prefix, *words], input=b"in\xc3\xa9", env=env, capture_output=True, check=True
        )
        for prefix in ([], [*BUILD, "--"])
    )

    assert built.stdout == plain.stdout
    assert built.stderr == b""


@pytest.mark.parametrize("given", [{}, {"LC_CTYPE": "C"}, {"LC_ALL": "", "LANG": "C"}])
def test_the_environment_is_as_it_was(box: Box, given: dict[str, str]) -> None:
    """Python adds a locale to its own where there is none."""
    env = {"ATTEND_HOME": box.env["ATTEND_HOME"], "HOME": box.env["HOME"]} | given

    done = subprocess.run(
        [*BUILD, "--", "/usr/bin/env"], env=env, capture_output=True, check=True
    )

    assert dict(line.split("=", 1) for line in done.stdout.decode().splitlines()) == env


IGNORING = """
import os, signal, sys
for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
    signal.signal(number, signal.SIG_DFL)
for number in map(int, sys.argv[1].split()):
    signal.signal(number, signal.SIG_IGN)
os.execv(sys.argv[2], sys.argv[2:])
"""
LIBC_OWN = 1 << 31 | 1 << 32
"""Two signals that glibc keeps to itself, and has ignored in what is spawned."""


@pytest.mark.parametrize("ignored", [(), (signal.SIGPIPE,), (signal.SIGXFSZ, signal.SIGQUIT)])
def test_signals_are_ignored_as_they_were(box: Box, ignored: tuple[int, ...]) -> None:
    """By way of the launcher, which still knows what was ignored before Python was there."""
    numbers = " ".join(str(int(number)) for number in ignored)
    words = [str(ROOT / "bin" / "attend"), "build", "--", "grep", "SigIgn", "/proc/self/status"]
    done = subprocess.run(
        [sys.executable, "-c", IGNORING, numbers, *words],
        env=box.env, capture_output=True, check=True,
    )  # fmt: skip

    found = int(done.stdout.split()[1], 16) & ~LIBC_OWN
    assert found == sum(1 << number - 1 for number in ignored)


def test_what_is_closed_stays_closed(box: Box) -> None:
    shell = '"$@" <&- 2>&-'
    done = subprocess.run(
        ["sh", "-c", shell, "-", *BUILD, "--", "ls", "/proc/self/fd"],
        env=box.env,
        stdout=subprocess.PIPE,
        check=True,
    )

    assert done.stdout.split() == [b"0", b"1"]  # 0 is the folder that is listed


def test_a_program_that_dies_with_its_reader_does_so(box: Box) -> None:
    run = started(box, "yes")
    assert run.stdout is not None
    assert run.stdout.readline() == b"y\n"
    run.stdout.close()

    assert run.wait(DEADLINE_S) == -signal.SIGPIPE


def test_what_it_runs_and_what_ran_it_is_reported(box: Box) -> None:
    run = started(box, "sh", "-c", "echo $$", start_new_session=True)
    assert run.stdout is not None
    child = int(run.communicate(timeout=DEADLINE_S)[0])
    (report,) = reports(box)

    assert (report["child"], report["pid"]) == (child, run.pid)
    assert report["above"][0] == os.getpid()
    assert report["terminal"] is False


def test_what_a_sessions_shell_left_in_the_background_is_that_sessions(box: Box) -> None:
    """The client is no ancestor of it any more."""
    client = box.client(box.home)
    build = " ".join(f"'{word}'" for word in (*BUILD, "true"))
    client.do(f"CLAUDECODE=1 CLAUDE_PID={client.pid} setsid -f {build}")

    eventually(lambda: bool(reports(box)))
    assert reports(box)[0]["session"] == client.session


def test_a_command_that_is_not_there_is_said_as_a_shell_would(box: Box) -> None:
    none = box.hot("build", "--", "no-such-command-here")
    folder = box.hot("build", "--", str(box.home))

    assert (none.returncode, folder.returncode) == (127, 126)
    said = "attend: build: no-such-command-here: No such file or directory\n  hint: behind -- "
    assert none.stderr.startswith(said)


def test_without_a_place_to_report_it_runs_all_the_same(box: Box) -> None:
    (box.home / "attend").write_text("in the way")
    done = box.hot("build", "--", "echo", "built")

    assert (done.returncode, done.stdout) == (0, "built\n")
    assert "this run can't be reported" in done.stderr


def test_parallel_runs_do_not_mix(box: Box) -> None:
    runs = [started(box, "sh", "-c", f"exit {at}", cwd=box.home) for at in range(5)]
    assert [run.wait(DEADLINE_S) for run in runs] == list(range(5))
    assert [run.communicate()[0] for run in runs] == [b""] * 5

    assert sorted(each["code"] for each in reports(box)) == list(range(5))


def test_few_of_each_are_kept_and_what_ended_lately(box: Box) -> None:
    """Whoever reads them may be on the way."""
    for _ in range(8):
        box.hot("build", "true", cwd=box.home)
    box.hot("build", "false", cwd=box.home)
    lately = len(reports(box))
    for path in (box.state / "builds").glob("*.json"):
        report = json.loads(path.read_text())
        report["ended_bt"] -= builds.KEPT_S
        path.write_text(json.dumps(report))
    box.hot("build", "true", cwd=box.home)

    assert lately == 9
    assert [each["command"] for each in reports(box)] == [*["true"] * 4, "false", "true"]


def test_not_many_are_kept_however_lately_they_ended(box: Box) -> None:
    box.hot("build", "true", cwd=box.home)
    (first,) = (box.state / "builds").glob("*.json")
    began, pid = int(first.stem.split("-")[2], 16), first.stem.rpartition("-")[2]
    for at in range(300):
        name = builds.name("/elsewhere", f"make {at}", began + at, int(pid))
        first.with_name(name).write_text(first.read_text())
    box.hot("build", "true", cwd=box.home)

    assert len(reports(box)) == 257
    assert not first.exists()


def test_a_command_line_without_a_command_is_refused(box: Box) -> None:
    assert box.hot("build").returncode == 2
    assert box.hot("build", "--verbose", "x").returncode == 2
