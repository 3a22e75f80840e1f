"""Processes are told apart by more than their pid, and what can't be known is not guessed."""

import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.hot import process
from tests.process.box import DEADLINE_S, ROOT

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    """A process that waits for its input to end."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as found:
        yield found
        found.kill()


def unreaped(child: subprocess.Popen[bytes]) -> None:
    """Kill a child and wait for its end without taking its remains away."""
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)


@linux
def test_a_process_lives_until_it_is_killed_even_if_nobody_reaped_it(
    child: subprocess.Popen[bytes],
) -> None:
    start = process.start_time(child.pid)

    assert start
    assert process.alive(child.pid, start) is True
    unreaped(child)
    assert Path(f"/proc/{child.pid}/stat").exists()
    assert process.alive(child.pid, start) is False
    assert process.start_time(child.pid) is None


@linux
def test_another_process_with_the_same_pid_is_not_the_same(
    child: subprocess.Popen[bytes],
) -> None:
    assert process.alive(child.pid, "1") is False


@linux
def test_a_pid_that_nobody_has_is_dead(child: subprocess.Popen[bytes]) -> None:
    child.kill()
    child.wait()

    assert process.start_time(child.pid) is None
    assert process.alive(child.pid, "1") is False


@linux
def test_a_process_of_another_namespace_is_unknown_and_of_another_boot_dead() -> None:
    pid, start = os.getpid(), process.start_time(os.getpid()) or ""

    assert process.alive(pid, start, process.pid_namespace(), process.boot_id()) is True
    assert process.alive(pid, start, "pid:[1]") is None
    assert process.alive(pid, start, "") is None
    assert process.alive(pid, start, boot="an earlier one") is False
    assert process.alive(pid, start, boot="") is None


def test_without_proc_everything_is_unknown_and_nothing_dead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, child: subprocess.Popen[bytes]
) -> None:
    monkeypatch.setattr(process, "PROC", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "other")

    assert process.boot_id() == ""
    assert process.pid_namespace() == ""
    assert process.start_time(child.pid) == ""
    assert process.alive(child.pid, "") is None
    assert process.alive(child.pid, "12") is None
    assert process.open_pidfd(child.pid, "") is None
    assert [*process.ancestors()] == [(os.getppid(), "", "")]
    child.kill()
    child.wait()
    assert process.alive(child.pid, "12") is None


@linux
def test_ancestors_are_found_through_shells_whatever_their_names(tmp_path: Path) -> None:
    odd = tmp_path / "a) S 1\n(b"
    shutil.copy(shutil.which("sh") or "", odd)
    code = (
        f"import sys; sys.path.append({str(ROOT)!r}); from attendd.hot import process; "
        "print([a for a in process.ancestors()])"
    )
    inner = f"'{sys.executable}' -I -S -c \"$1\"; true"
    outer = f'\'{odd}\' -c "$2" inner "$1"; true'

    with subprocess.Popen(
        ["sh", "-c", outer, "outer", code, inner], stdout=subprocess.PIPE, text=True
    ) as started:
        out, _ = started.communicate(timeout=DEADLINE_S)
    found = eval(out)  # noqa: S307 - printed by the line above

    assert found[0][2] == "a) S 1\n(b"
    assert found[1][0] == started.pid
    assert found[2][0] == os.getpid()
    assert found[2][1] == process.start_time(os.getpid())
    assert found[-1][0] == 1


@linux
def test_a_pidfd_becomes_readable_when_the_process_ends(child: subprocess.Popen[bytes]) -> None:
    fd = process.open_pidfd(child.pid, process.start_time(child.pid) or "")
    if fd is None:
        pytest.skip("this kernel has none")

    try:
        assert select.select([fd], [], [], 0)[0] == []
        child.kill()
        assert select.select([fd], [], [], DEADLINE_S)[0] == [fd]
    finally:
        os.close(fd)


@linux
def test_no_pidfd_for_a_process_that_is_another_or_gone(child: subprocess.Popen[bytes]) -> None:
    start = process.start_time(child.pid) or ""

    assert process.open_pidfd(child.pid, "1") is None
    child.kill()
    child.wait()
    assert process.open_pidfd(child.pid, start) is None


@given(
    name=st.binary(max_size=15).filter(lambda name: b"\0" not in name),
    parent=st.integers(1, 2**22),
    start=st.integers(0, 2**63),
)
def test_any_name_leaves_the_fields_behind_it_where_they_are(
    tmp_path_factory: pytest.TempPathFactory, name: bytes, parent: int, start: int
) -> None:
    folder = tmp_path_factory.mktemp("proc", numbered=True)
    (folder / "7").mkdir()
    middle = b" ".join([b"0"] * 17)
    line = b"7 (%s) S %d %s %d 0 0\n" % (name, parent, middle, start)
    (folder / "7" / "stat").write_bytes(line)
    before, process.PROC = process.PROC, str(folder)
    try:
        assert process.start_time(7) == str(start)
    finally:
        process.PROC = before


@linux
def test_the_namespace_and_the_boot_have_names() -> None:
    assert process.pid_namespace().startswith("pid:[")
    assert process.boot_id().count("-") == 4
