"""The parts of the processes sensor: what a build is called, what the system shows of it."""

import asyncio
import os
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensors.processes import naming
from sensors.processes.ending import Ending, Hearing, Outcome
from sensors.processes.source import ProcSource


@pytest.mark.parametrize(
    ("words", "called"),
    [
        (["/usr/bin/make", "-C", "x"], "make -C x"),
        (["python3.12", "-m", "pytest", "-q"], "pytest -q"),
        (["/v/bin/python", "/v/bin/pytest", "tests"], "pytest tests"),
        (["node", "/x/node_modules/.bin/jest"], "jest"),
        (["npm test"], "npm test"),
        (["pytest", "-k", "a and not b", "it's"], """pytest -k 'a and not b' 'it'"'"'s'"""),
        (["make 'as titled'"], "make 'as titled'"),
        (["make", "x" * 60], f"make {'x' * 54}…"),
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


def held(process: subprocess.Popen[bytes]) -> Ending:
    source = ProcSource()
    stat = source.stat(process.pid)
    assert stat is not None
    return source.hold(stat)


def waiting(code: str = "exit 7") -> subprocess.Popen[bytes]:
    """Start what waits for a line and ends then."""
    return subprocess.Popen(["sh", "-c", f"read x; {code}"], stdin=subprocess.PIPE)


@pytest.mark.parametrize(("script", "code"), [("exit 7", 7), ("kill -9 $$", -9), ("true", 0)])
def test_the_exit_code_of_a_process_that_is_no_child_is_found_out(
    script: str, code: int
) -> None:
    """At once before its parent has asked for it, and then where the kernel still tells it."""
    with waiting(script) as process:
        ending = held(process)
        assert ending.outcome() == (None, False)
        assert process.stdin is not None
        process.stdin.close()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        unasked = ending.outcome()
    asked = ending.outcome()
    ending.let_go()

    release = tuple(int(part) for part in os.uname().release.split(".")[:2])
    assert unasked == (code, True)
    assert asked == (code if release >= (6, 15) else None, True)


def test_no_other_process_is_taken_hold_of_that_has_its_number_now() -> None:
    with waiting() as process:
        ending = Ending(process.pid, "1")
        assert (ending.fd, ending.outcome()) == (-1, (None, True))


def test_an_end_is_heard_at_once_and_of_whom_nobody_follows_any_more_nothing() -> None:
    async def follow() -> list[tuple[str, int | None]]:
        heard: list[tuple[str, int | None]] = []
        first = asyncio.Event()

        def ended(key: str, _when: float, outcome: Outcome) -> None:
            heard.append((key, outcome.code))
            first.set()

        hearing = Hearing[str](ended)
        with waiting() as one, waiting() as two:
            endings = {"one": held(one), "two": held(two)}
            hearing.follow(endings)
            hearing.follow({"one": endings["one"]})
            for each in (two, one):
                assert each.stdin is not None
                each.stdin.close()
            await asyncio.to_thread(two.wait)
            await first.wait()
            hearing.follow({})
            assert [each.fd for each in endings.values()] == [-1, -1]
        return heard

    assert asyncio.run(follow()) == [("one", 7)]


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
