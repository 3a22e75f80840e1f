"""What standard output, standard error and standard input can be: every line comes out once."""

import fcntl
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from attendd.hot import db
from tests.process.box import DEADLINE_S, HOT, Box, Lines, eventually
from tests.process.test_reader import HEADER, Sender
from tests.store.disks import small

RUN = [sys.executable, "-I", "-S", str(HOT), "run", "--as=me", "--host-after=-1"]


@pytest.fixture
def sender(box: Box, monkeypatch: pytest.MonkeyPatch) -> Sender:
    return Sender(box, monkeypatch)


@contextmanager
def running(
    box: Box, out: int | IO[bytes], redirect: str = "", words: tuple[str, ...] = ()
) -> Iterator[subprocess.Popen[bytes]]:
    """Run `attend run` with an output of its own kind; end it in the end."""
    process = subprocess.Popen(
        ["sh", "-c", f'exec "$@" {redirect}', "sh", *RUN, *words],
        cwd=box.home,
        env=box.env,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=DEADLINE_S)


def ends(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    assert process.wait(DEADLINE_S) == 0


def test_a_file_takes_every_line(box: Box, sender: Sender, tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as out, running(box, out) as process:
        delivery = sender.put("built")
        eventually(lambda: sender.state(delivery) == ("offered", 0))
        ends(process)

    assert (tmp_path / "out").read_text() == f"{HEADER} built\n"


def test_an_output_that_goes_nowhere_takes_every_line(box: Box, sender: Sender) -> None:
    with running(box, subprocess.DEVNULL) as process:
        delivery = sender.put("built")
        eventually(lambda: sender.state(delivery) == ("offered", 0))
        ends(process)


def test_a_terminal_shows_every_line_and_its_hang_up_is_a_clean_end(
    box: Box, sender: Sender
) -> None:
    controller, terminal = pty.openpty()
    with running(box, terminal) as process:
        os.close(terminal)
        sender.put("built")
        with os.fdopen(controller, "rb", 0) as shown:
            assert Lines(shown).line() == f"{HEADER} built\r"
        assert process.wait(DEADLINE_S) == 0
    assert db.read(sender.store, "SELECT end_reason FROM attachment") == [("output closed",)]


@pytest.mark.parametrize("redirect", ["<&-", "2>&-", "2>/dev/full", "<&- 2>&-"])
def test_no_other_stream_is_needed(box: Box, sender: Sender, redirect: str) -> None:
    with running(box, subprocess.PIPE, redirect) as process:
        assert process.stdout is not None
        sender.put("built")
        assert Lines(process.stdout).line() == f"{HEADER} built"
        ends(process)


def test_without_standard_output_it_says_so_and_ends(box: Box) -> None:
    with running(box, subprocess.DEVNULL, ">&-") as process:
        _, said = process.communicate(timeout=DEADLINE_S)

    assert process.returncode == 2
    assert said.decode() == (
        "attend: standard output is closed, so nobody could be told anything\n"
        "  hint: attend run >FILE\n"
    )


def test_a_host_without_standard_error_keeps_its_output_for_the_session(box: Box) -> None:
    with running(box, subprocess.PIPE, "<&- 2>&-", ("--host-after=0",)) as process:
        assert process.stdout is not None
        lines = Lines(process.stdout)
        lines.until("`attend run` belongs")
        box.looked()
        out = Path(f"/proc/{process.pid}/fd/1").readlink()
        ends(process)
        assert lines.end() == []

    assert out == Path("/dev/null")


def test_an_output_that_must_not_block_gets_every_line_whole(box: Box, sender: Sender) -> None:
    """Who made the pipe may have set it so for its own end, and a socket has but one setting."""
    readable, writable = os.pipe()
    fcntl.fcntl(writable, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(writable, False)
    with running(box, writable), os.fdopen(readable, "rb", 0) as pipe:
        os.close(writable)
        texts = [f"{number:02} " + "ü" * 1300 for number in range(5)]
        deliveries = [sender.put(text) for text in texts]
        blocked = "SELECT 1 FROM attachment WHERE blocked_at IS NOT NULL"
        eventually(lambda: bool(db.read(sender.store, blocked)))
        lines = Lines(pipe)
        got = [lines.line() for _ in texts]
        eventually(lambda: sender.state(deliveries[-1]) == ("offered", 0))

    assert got == [f"{HEADER} {text}" for text in texts]


def test_an_output_that_nobody_takes_does_not_keep_a_process_from_ending(
    box: Box, sender: Sender
) -> None:
    """It is told apart from one whose reader is gone, and nothing of what waits is lost."""
    readable, writable = os.pipe()
    fcntl.fcntl(writable, fcntl.F_SETPIPE_SZ, 4096)
    with running(box, writable) as process:
        os.close(writable)
        deliveries = [sender.put("ü" * 1300) for _ in range(4)]
        blocked = "SELECT 1 FROM attachment WHERE blocked_at IS NOT NULL"
        eventually(lambda: bool(db.read(sender.store, blocked)))

        ends(process)
    os.close(readable)

    assert sender.state(deliveries[-1]) == ("stored", 0)


def test_a_disk_without_room_for_a_line_gets_it_once_there_is(
    box: Box, sender: Sender, tmp_path: Path
) -> None:
    with small(tmp_path / "disk", 64) as disk:
        out = (disk / "out").open("ab", 0)
        (disk / "fill").write_bytes(b"x" * (disk_room(disk) - 4096))
        out.write(b"-" * 4095 + b"\n")
        with out, running(box, out) as process:
            assert process.stderr is not None
            delivery = sender.put("built")
            said = Lines(process.stderr).until("No space left")[-1]
            eventually(lambda: sender.state(delivery) == ("stored", 0))

            (disk / "fill").unlink()

            eventually(lambda: sender.state(delivery) == ("offered", 0))
            ends(process)
        assert said == "attend: standard output takes nothing: No space left on device"
        assert (disk / "out").read_text().splitlines()[-1] == f"{HEADER} built"


def disk_room(disk: Path) -> int:
    found = os.statvfs(disk)
    return found.f_bavail * found.f_frsize
