"""The parts of the processes sensor: what a build is called, what the system shows of it."""

import os
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensors.processes import naming
from sensors.processes.ending import Ending
from sensors.processes.source import ProcSource


@pytest.mark.parametrize(
    ("words", "called"),
    [
        (["/usr/bin/make", "-C", "x"], "make -C x"),
        (["python3.12", "-m", "pytest", "-q"], "pytest -q"),
        (["/v/bin/python", "/v/bin/pytest", "tests"], "pytest tests"),
        (["node", "/x/node_modules/.bin/jest"], "jest"),
        (["npm test"], "npm test"),
        (["sh", "./gradlew", "build"], "gradlew build"),
        (["java", "-Xmx1g", "org.gradle.wrapper.GradleWrapperMain", "test"], "gradle test"),
        (["cargo", "test", "--release"], "cargo test --release"),
        (["cargo", "run"], ""),
        (["go", "run", "server.go"], ""),
        (["npm", "start"], ""),
        (["python3", "-c", "import pytest"], ""),
        (["java", "-cp", "x", "org.gradle.launcher.daemon.bootstrap.GradleDaemon"], ""),
        (["vim", "Makefile"], ""),
        ([], ""),
        ([""], ""),
    ],
)
def test_builds_are_told_from_what_merely_runs(words: list[str], called: str) -> None:
    assert naming.called(words, naming.WATCHED) == called


@given(st.lists(st.text(max_size=20), max_size=6))
def test_no_command_line_is_too_odd(words: list[str]) -> None:
    assert len(naming.called(words, naming.WATCHED)) <= 60


def test_the_exit_code_of_a_process_that_is_no_child_is_found_out() -> None:
    """Where the kernel tells it; elsewhere it is not known."""
    with subprocess.Popen(["sh", "-c", "read x; exit 7"], stdin=subprocess.PIPE) as process:
        ending = Ending(process.pid)
        assert ending.code() is None
        process.communicate(b"\n")
    code = ending.code()
    ending.let_go()

    release = tuple(int(part) for part in os.uname().release.split(".")[:2])
    assert code == (7 if release >= (6, 15) else None)


def test_a_real_process_reads_as_it_is() -> None:
    source = ProcSource()
    pipe = subprocess.PIPE
    with subprocess.Popen(["cat"], stdin=pipe, stdout=pipe, cwd="/", env={"A": "b"}) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
        process.stdout.readline()  # now it surely is what it is to be
        stat = source.stat(process.pid)
        assert stat is not None
        assert (stat.parent, stat.name) == (os.getpid(), "cat")
        assert source.words(process.pid) == ["cat"]
        assert (source.folder(process.pid), source.variable(process.pid, "A")) == ("/", "b")
        assert process.pid in source.pids()
        process.communicate()

    assert source.stat(process.pid) is None
    assert source.words(process.pid) == []
