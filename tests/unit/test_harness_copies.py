"""A fork's transcript begins with the rows of its origin."""

import json
from pathlib import Path

import pytest

from attendd.harness.copies import origin


@pytest.fixture
def written(tmp_path: Path) -> dict[str, Path]:
    """Some transcripts: each row a uuid, or one without."""
    rows = {
        "first": "a b",
        "fork": "a b c - d",
        "sibling": "a b e",
        "other": "x y -",
        "silent": "- -",
        "torn": "a",
    }
    paths = {name: tmp_path / f"{name}.jsonl" for name in rows}
    for name, path in paths.items():
        lines = [{"type": "mode"} if u == "-" else {"uuid": u} for u in rows[name].split()]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with paths["torn"].open("a") as file:
        file.write('{"uuid": "b')
    return paths


@pytest.mark.parametrize(
    ("rows", "among", "found"),
    [
        ("a b c d new", "first fork sibling other silent", "fork"),
        ("a b new", "first fork sibling other silent", "first"),
        ("x y new", "first fork sibling other silent", "other"),
        ("a new", "first torn", "torn"),
        ("new", "first fork silent", ""),
        ("a b new", "", ""),
        ("a b", "first", None),
        ("", "first", None),
    ],
)
def test_it_is_the_one_whose_last_row_was_copied_last(
    tmp_path: Path, written: dict[str, Path], rows: str, among: str, found: str | None
) -> None:
    """A row from after its beginning says that all were copied."""
    copy = tmp_path / "copy.jsonl"
    times = {"new": "1970-01-01T00:01:40.100Z"}
    lines = [
        {"uuid": each, "timestamp": times.get(each, "1970-01-01T00:01:39.900Z")}
        for each in rows.split()
    ]
    copy.write_text("".join(json.dumps(line) + "\n" for line in lines))

    assert origin(copy, 100.0, {name: written[name] for name in among.split()}) == found


def test_of_a_transcript_that_is_not_there_nothing_can_be_told(tmp_path: Path) -> None:
    assert origin(tmp_path / "none.jsonl", 100.0, {}) is None
    assert origin(tmp_path / "none.jsonl", 100.0, {"gone": tmp_path / "gone.jsonl"}) is None
