"""`attend filter` in a pipe: at once, also when one of the others dies, and kept as facts."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.process.box import DEADLINE_S, Box, eventually

N = "k7q2zd"
OPEN, CLOSE = f"<attend:percept:{N}>", f"</attend:percept:{N}>"
TAG = f"{OPEN}deploy on friday{CLOSE}"
COMMAND = [sys.executable, "-P", "-m", "attendd", "filter", "--nonce", N]


@pytest.fixture
def here(box: Box, web: Path) -> Path:
    """A project with a memory."""
    path = box.home / "attend" / "config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text("[memory]\nenabled = true\n")
    return web


@contextmanager
def piped(box: Box, here: Path, *more: str) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(
        [*COMMAND, *more],
        cwd=here,
        env=box.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def write(process: "subprocess.Popen[bytes]", text: str | bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(text.encode() if isinstance(text, str) else text)
    process.stdin.flush()


def read(process: "subprocess.Popen[bytes]", size: int) -> bytes:
    assert process.stdout is not None
    return process.stdout.read(size)


def filtered(box: Box, here: Path, text: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        COMMAND, input=text.encode(), capture_output=True, cwd=here, env=box.env, check=False
    )


def peak_kb(pid: int) -> int:
    """The most memory that a process ever had; 0 where that can't be told."""
    path = Path(f"/proc/{pid}/status")
    return int(path.read_text().split("VmHWM:")[1].split()[0]) if path.exists() else 0


def facts(box: Box, here: Path) -> list[dict[str, object]]:
    found = json.loads(box.run("memory", "list", "--json", cwd=here).stdout)["facts"]
    return list(found)


def test_text_goes_on_while_it_comes_and_facts_are_kept(box: Box, here: Path) -> None:
    with piped(box, here) as process:
        write(process, "first\n")
        first = read(process, 6)
        write(process, f"a {TAG} b")
        second = read(process, 4)
        rest, said = process.communicate(timeout=DEADLINE_S)

    assert (first, second, rest, said, process.returncode) == (b"first\n", b"a  b", b"", b"", 0)
    (kept,) = facts(box, here)
    assert (kept["text"], kept["turn"], kept["producer"]) == ("deploy on friday", 1, "agent")
    assert str(kept["source"]).startswith("pipe ")
    assert str(kept["session"]).startswith("pipe:")


def test_what_came_is_kept_when_nobody_reads_on(box: Box, here: Path) -> None:
    with piped(box, here) as process:
        write(process, f"a{TAG}")
        assert read(process, 1) == b"a"
        assert process.stdout is not None
        process.stdout.close()
        write(process, "b")
        process.wait(DEADLINE_S)

    assert process.returncode == 141
    assert [each["text"] for each in facts(box, here)] == ["deploy on friday"]


def test_a_writer_that_dies_in_a_tag_leaves_its_text(box: Box, here: Path) -> None:
    writer = f"import os; os.write(1, b'a {OPEN}dep'); os.kill(os.getpid(), {signal.SIGKILL:d})"
    first = subprocess.Popen([sys.executable, "-c", writer], stdout=subprocess.PIPE)
    done = subprocess.run(
        COMMAND, stdin=first.stdout, capture_output=True, cwd=here, env=box.env, check=False
    )
    first.communicate()

    assert (done.returncode, done.stdout) == (0, f"a {OPEN}dep".encode())
    assert done.stderr == b"attend: not kept: 1 fact: its tag was never closed\n"


def test_secrets_are_refused_and_facts_where_memory_is_off(box: Box, here: Path) -> None:
    secret = f"{OPEN}AWS key AKIAIOSFODNN7EXAMPLE{CLOSE}"
    refused = filtered(box, here, secret)
    (here / ".attend.toml").write_text("[memory]\nenabled = false\n")
    off = filtered(box, here, TAG)

    assert refused.stderr.endswith(
        b"1 fact: it holds what looks like a secret: AWS Access Key\n"
    )
    assert off.stderr == b"attend: not kept: 1 fact: memory is off here: `attend memory on`\n"
    assert refused.stdout == off.stdout == b""
    assert facts(box, here) == []


def test_a_store_that_can_not_be_used_costs_one_complaint_and_no_text(
    box: Box, here: Path
) -> None:
    (box.state / "attend.db").mkdir(parents=True)
    done = filtered(box, here, f"a {TAG}{OPEN}tests need a database{CLOSE} b")

    assert (done.returncode, done.stdout) == (0, b"a  b")
    assert done.stderr.startswith(b"attend: not kept: 2 facts: ")
    assert done.stderr.count(b"not kept") == 1


def test_a_store_that_fails_in_mid_stream_costs_what_came_then_and_no_text(
    box: Box, here: Path
) -> None:
    with piped(box, here) as process:
        write(process, f"a {TAG}")
        assert read(process, 2) == b"a "
        eventually(lambda: len(facts(box, here)) == 1)
        box.state.rename(box.state.with_name("away"))
        box.state.write_text("no folder")
        write(process, f"b {OPEN}tests need a database{CLOSE}c")
        rest, said = process.communicate(timeout=DEADLINE_S)

    assert (rest, process.returncode) == (b"b c", 0)
    assert said.startswith(b"attend: not kept: 1 fact: ")
    assert said.count(b"\n") == 1, said
    box.state.unlink()
    box.state.with_name("away").rename(box.state)
    assert [each["text"] for each in facts(box, here)] == ["deploy on friday"]


def test_a_huge_tag_takes_no_room_and_a_flood_no_time(box: Box, here: Path) -> None:
    """Fifty megabytes in one tag, then a hundred thousand tags."""
    with piped(box, here) as process:
        write(process, f"a{OPEN}")
        for _ in range(50):
            write(process, b"x" * 1_000_000)
        write(process, f"{CLOSE}b")
        shown = read(process, 2)
        peak = peak_kb(process.pid)
        write(process, TAG * 100_000)
        rest, said = process.communicate(timeout=DEADLINE_S)

    assert (shown, rest) == (b"ab", b"")
    assert peak < 80_000
    assert b"more than 1,000 came" in said
    assert len(facts(box, here)) == 1


def test_the_latest_instruction_made_here_is_meant_without_a_nonce(
    box: Box, here: Path
) -> None:
    made = json.loads(box.run("memory", "instruction", "--new", "--json", cwd=here).stdout)
    name = f"attend:percept:{made['nonce']}"
    assert f"<{name}>" in made["text"]

    done = box.run("filter", cwd=here, input=f"a <{name}>deploy on friday</{name}> b")
    nobody = box.run("filter", cwd=os.fspath(box.home), input=f"a {TAG}")
    wrong = box.run("filter", "--nonce", "a b", cwd=here, input="a")

    assert (done.stdout, done.stderr) == ("a  b", "")
    assert [each["text"] for each in facts(box, here)] == ["deploy on friday"]
    assert nobody.stdout == f"a {TAG}"
    assert "not known whose tags" in nobody.stderr
    assert (wrong.returncode, wrong.stdout) == (2, "")
