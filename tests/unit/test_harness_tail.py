"""Reading the end of a file that grows, whatever its size and whatever becomes of it."""

import itertools
import os
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attendd.harness.tail import FIRST_LOOK, LONGEST_LINE, MOST_AT_ONCE, Tail

MANY = 500 * 1024 * 1024
in_a_folder = settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


class Counted:
    """``os.pread``, with a count of the bytes it returned."""

    def __init__(self) -> None:
        self.bytes = 0

    def __call__(self, fd: int, size: int, offset: int) -> bytes:
        data = os.pread(fd, size, offset)
        self.bytes += len(data)
        return data


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def sparse(path: Path, size: int, end: bytes) -> None:
    """Make a file of any size that takes no room, and ends in some lines."""
    with path.open("wb") as file:
        file.truncate(size)
        file.seek(size - len(end))
        file.write(end)


@in_a_folder
@given(data=st.binary(max_size=400), cuts=st.lists(st.integers(0, 400), max_size=8))
def test_however_it_is_appended_each_line_comes_once(
    tmp_path: Path, data: bytes, cuts: list[int]
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"")
    tail = Tail(path)
    seen: list[bytes] = []
    edges = sorted({0, *(min(cut, len(data)) for cut in cuts), len(data)})

    for start, end in itertools.pairwise(edges):
        append(path, data[start:end])
        seen += tail.look().lines

    assert seen == data.split(b"\n")[:-1]
    path.unlink()


def test_a_huge_file_costs_its_last_quarter_megabyte(tmp_path: Path) -> None:
    sparse(tmp_path / "file", MANY, b"\nfirst\nsecond\n")
    read = Counted()
    tail = Tail(tmp_path / "file", read)

    look = tail.look()

    assert look.lines == [b"first", b"second"]
    assert read.bytes <= FIRST_LOOK
    assert not tail.whole


def test_what_follows_costs_only_what_was_added(tmp_path: Path) -> None:
    sparse(tmp_path / "file", MANY, b"\nfirst\n")
    read = Counted()
    tail = Tail(tmp_path / "file", read)
    tail.look()
    read.bytes = 0

    append(tmp_path / "file", b"x" * 100 + b"\n")
    lines = tail.look().lines

    assert lines == [b"x" * 100]
    assert read.bytes < 200


def test_an_unchanged_file_is_not_even_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"a\n")
    read = Counted()
    tail = Tail(tmp_path / "file", read)
    tail.look()
    read.bytes = 0

    assert tail.look().lines == []
    assert read.bytes == 0


def test_half_a_line_waits_for_its_other_half(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"whole\nha")
    tail = Tail(path)

    first = tail.look().lines
    append(path, b"lf\n")

    assert (first, tail.look().lines) == ([b"whole"], [b"half"])


def test_a_line_too_long_is_passed_over_and_what_follows_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a\n")
    tail = Tail(path)
    tail.look()

    append(path, b"x" * (LONGEST_LINE + 1000))
    during = tail.look().lines
    append(path, b"y" * 1000 + b"\nb\n")

    assert during == [b""]
    assert tail.look().lines == [b"b"]


def test_growth_beyond_all_measure_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a\n")
    read = Counted()
    tail = Tail(path, read)
    tail.look()
    read.bytes = 0

    append(path, b"filler\n" * (MOST_AT_ONCE // 6) + b"last\n")
    lines = tail.look().lines

    assert (lines[0], lines[-1]) == (b"", b"last")
    assert read.bytes < FIRST_LOOK + 100


def test_a_file_that_was_cut_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one\ntwo\nthree\n")
    tail = Tail(path)
    tail.look()

    with path.open("r+b") as file:
        file.truncate(4)

    look = tail.look()
    assert (look.anew, look.lines) == (True, [b"one"])


def test_a_file_that_was_rewritten_longer_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one\ntwo\n")
    tail = Tail(path)
    tail.look()

    with path.open("r+b") as file:
        file.write(b"uno\ndue\ntre\n")

    look = tail.look()
    assert (look.anew, look.lines) == (True, [b"uno", b"due", b"tre"])


def test_a_file_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one\n")
    tail = Tail(path)
    tail.look()

    (tmp_path / "other").write_bytes(b"one\nmore\n")
    (tmp_path / "other").rename(path)

    look = tail.look()
    assert (look.anew, look.lines) == (True, [b"one", b"more"])


def test_what_cannot_be_read_counts_as_unchanged(tmp_path: Path) -> None:
    """Not there yet, gone for a while, no file at all: nothing raises, nothing blocks."""
    gone, folder, pipe = (tmp_path / name for name in ("gone", "folder", "pipe"))
    folder.mkdir()
    os.mkfifo(pipe)

    assert [Tail(path).look().lines for path in (gone, folder, pipe)] == [[], [], []]
    assert Tail(gone).mtime is None


@in_a_folder
@given(width=st.integers(1, 5000), rows=st.integers(0, 300))
def test_looking_back_gives_every_earlier_line_once(
    tmp_path: Path, width: int, rows: int
) -> None:
    lines = [(b"%d " % n).ljust(width, b"x") for n in range(rows)]
    path = tmp_path / "file"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    tail = Tail(path)
    seen = tail.look().lines
    read = collect(tail.earlier)

    assert read + seen == lines
    assert tail.whole or not lines
    path.unlink()


def collect(earlier: Callable[[], list[bytes] | None]) -> list[bytes]:
    found: list[bytes] = []
    while (more := earlier()) is not None:
        found = more + found
    return found


def test_looking_back_joins_a_line_that_spans_several_steps(tmp_path: Path) -> None:
    long = b"L" * 700_000
    path = tmp_path / "file"
    path.write_bytes(b"first\n" + long + b"\n" + b"x\n" * (FIRST_LOOK // 4))
    tail = Tail(path)
    tail.look()
    found = collect(tail.earlier)

    assert found[:2] == [b"first", long]
