"""A file is read on from a place, by whole rows, whatever their length."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attendd.harness.reading import LONGEST, PIECE, between, read
from attendd.store.speakers import Place

WANTED = b"k7q2zd"
SIZES = (0, 1, 70, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, LONGEST - 1, LONGEST)


def rest(path: Path, place: Place) -> tuple[list[bytes], Place]:
    """Read all that there is."""
    rows: list[bytes] = []
    while piece := read(path, place, WANTED):
        rows += piece.rows
        place = piece.place
    return rows, place


@settings(max_examples=15)
@given(
    sizes=st.lists(st.sampled_from(SIZES), max_size=4),
    cuts=st.lists(st.integers(0, 3 * LONGEST), max_size=2),
)
def test_all_rows_come_once_however_they_were_written(
    sizes: list[int], cuts: list[int]
) -> None:
    written = [bytes([65 + at % 26]) * size for at, size in enumerate(sizes)]
    data = b"".join(row + b"\n" for row in written)
    found: list[bytes] = []
    place = Place()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows"
        for begin, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(data)], strict=True):
            with path.open("ab") as file:
                file.write(data[begin:end])
            rows, place = rest(path, place)
            found += rows

    assert found == [row for row in written if len(row) < LONGEST]


@pytest.mark.parametrize("at", [0, PIECE - 3, 2 * PIECE - 1, LONGEST])
def test_in_a_row_that_is_too_long_it_is_seen_what_is_looked_for(
    tmp_path: Path, at: int
) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b"x" * at + WANTED + b"x" * LONGEST + b"\nnext\n")

    piece = read(path, Place(), WANTED)

    assert piece is not None
    assert (piece.rows, piece.found) == ([], True)
    assert rest(path, piece.place)[0] == [b"next"]
    other = read(path, Place(), b"other0")
    assert other is not None
    assert not other.found


def test_a_part_of_a_file_has_the_rows_that_begin_in_it(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b"first\nsecond\nthird\n")

    assert between(path, 0, 13) == [b"first", b"second", b""]
    assert between(path, 2, 13) == [b"second", b""]
    assert between(tmp_path / "none", 0, 9) == []


@pytest.mark.parametrize("name", ["none", "folder", "a\0b", "a\ud83d"])
def test_what_can_not_be_read_has_no_rows(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()

    assert read(tmp_path / name, Place(), WANTED) is None
