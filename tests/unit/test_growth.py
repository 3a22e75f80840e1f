"""What has come into a context, by its transcript."""

import json
from pathlib import Path

import pytest

from attendd.hot import folders, growth


def row(kind: str, words: int) -> str:
    return json.dumps({"type": kind, "uuid": "u" * 560, "message": "x" * words}).replace(
        " ", ""
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "s.jsonl"
    made.write_text("")
    return made


def test_words_count_and_what_a_client_keeps_for_itself_does_not(path: Path) -> None:
    kinds = ("user", "assistant", "prompt_snapshot", "api-request-shape")
    path.write_text("\n".join(row(kind, 10_000) for kind in kinds) + "\n")

    assert 20_000 <= growth.since(str(path), 0, 30_000) <= 20_200


def test_only_what_came_since_counts(path: Path) -> None:
    path.write_text(row("user", 50_000) + "\n")
    start = folders.size(str(path))
    with path.open("a") as file:
        file.write(row("assistant", 10_000) + "\n")

    assert growth.since(str(path), start, 5_000) >= 10_000
    assert growth.since(str(path), start, 50_000) < 50_000


def test_another_transcript_is_counted_from_its_beginning(path: Path) -> None:
    path.write_text(row("user", 10_000) + "\n")

    assert growth.since(str(path), 1_000_000, 5_000) >= 5_000


def test_no_transcript_has_nothing_in_it(path: Path) -> None:
    assert folders.size(str(path.with_name("none"))) == 0
    assert growth.since(str(path.with_name("none")), 0, 10) == 0
    assert growth.since(str(path.parent), 0, 10) == 0
    assert growth.since("a\0b", 0, 10) == 0
