"""A lock has one holder, and none once that is dead."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from attendd.hot import locks
from tests.process.box import ROOT

HOLD = f"""
import os, sys
sys.path.append({str(ROOT)!r})
from attendd.hot import locks
fd = locks.take(sys.argv[1], f"{{os.getpid()}} 5 host 1.0")
print("got" if fd is not None else "held by another", flush=True)
sys.stdin.read()
"""


def start(path: Path, code: str = HOLD) -> tuple[subprocess.Popen[str], str]:
    """Start a process that takes the lock; return it and what it said."""
    held = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert held.stdout is not None
    return held, held.stdout.readline().strip()


def end(held: subprocess.Popen[str]) -> None:
    held.kill()
    held.communicate()


def test_the_second_does_not_get_it_and_reads_who_has_it(tmp_path: Path) -> None:
    path = str(tmp_path / "host.lock")

    first = locks.take(path, "12 345 host 0.1.0\n")

    assert first is not None
    assert locks.take(path, "13 346 host 0.1.0\n") is None
    assert locks.holder(path) == ["12", "345", "host", "0.1.0"]
    os.close(first)
    again = locks.take(path, "14 9 reader 2\n")
    assert again is not None
    assert locks.holder(path) == ["14", "9", "reader", "2"]
    os.close(again)


def test_what_is_held_is_not_cleared_away(tmp_path: Path) -> None:
    path = str(tmp_path / "reader.lock")
    assert locks.seize(path) is None
    held = locks.take(path, "12 345 reader")
    assert held is not None

    assert locks.seize(path) is None
    os.close(held)
    cleared = locks.seize(path)
    assert cleared is not None
    assert locks.holder(path) == ["12", "345", "reader"]
    locks.give_back(path, cleared)
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - all there is


def test_who_takes_a_lock_while_it_is_cleared_away_has_it_or_not_and_knows(
    tmp_path: Path,
) -> None:
    """It never holds one that nobody else would find."""
    path = str(tmp_path / "reader.lock")

    def clear() -> None:
        held = locks.seize(path)
        if held is not None:
            locks.give_back(path, held)

    with ThreadPoolExecutor(2) as pool:
        for _ in range(300):
            os.close(locks.take(path, "12 345 reader") or -1)
            clearing = pool.submit(clear)
            taken = pool.submit(locks.take, path, "13 346 reader").result()
            clearing.result()
            assert taken is None or locks.guards(path, taken)
            if taken is not None:
                os.close(taken)


def test_a_holder_that_was_killed_leaves_the_lock_free(tmp_path: Path) -> None:
    path = tmp_path / "host.lock"
    held, said = start(path)
    assert said == "got"
    assert locks.take(str(path), "x") is None

    end(held)

    assert locks.holder(str(path))[0] == str(held.pid)
    fd = locks.take(str(path), "x")
    assert fd is not None
    os.close(fd)


def test_a_lock_survives_turning_into_another_program(tmp_path: Path) -> None:
    path = tmp_path / "host.lock"
    turned = HOLD.replace(
        "sys.stdin.read()",
        "locks.pass_on([fd]); os.execv(sys.executable, [sys.executable, '-c', 'import sys; sys.stdin.read()'])",
    )
    held, _ = start(path, turned)

    try:
        assert locks.take(str(path), "x") is None
        assert held.stdin is not None
        held.stdin.close()
        held.wait()
        fd = locks.take(str(path), "x")
        assert fd is not None
        os.close(fd)
    finally:
        held.stdin = None
        end(held)


def test_children_of_the_holder_do_not_keep_it(tmp_path: Path) -> None:
    path = str(tmp_path / "host.lock")
    fd = locks.take(path, "x")
    assert fd is not None
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        os.close(fd)

        again = locks.take(path, "x")

        assert again is not None
        os.close(again)
        child.kill()


def test_a_lock_on_a_file_that_was_removed_guards_nothing_and_is_not_kept(
    tmp_path: Path,
) -> None:
    path = str(tmp_path / "host.lock")
    old = locks.take(path, "old")
    Path(path).unlink()

    fd = locks.take(path, "new")

    assert fd is not None
    assert old is not None
    assert locks.holder(path) == ["new"]
    os.close(fd)
    os.close(old)


def test_no_note_is_no_holder(tmp_path: Path) -> None:
    path = tmp_path / "x"

    assert locks.holder(str(path)) == []
    path.write_text("half a no")
    assert locks.holder(str(path)) == []


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "victim")

    with pytest.raises(OSError, match="symbolic links"):
        locks.take(str(tmp_path / "link"), "x")

    assert not (tmp_path / "victim").exists()


def test_a_lock_is_for_the_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "host.lock"
    fd = locks.take(str(path), "x")

    assert fd is not None
    assert path.stat().st_mode & 0o777 == 0o600
    os.close(fd)
