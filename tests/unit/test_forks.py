"""Which session another was forked off is told by its client's command line."""

import os
from pathlib import Path

import pytest

from attendd.hot import forks


@pytest.fixture
def transcripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two transcripts of a directory, the one of s-new written last."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    folder = tmp_path / "projects" / "-w"
    folder.mkdir(parents=True)
    for at, name in enumerate(("s-new.jsonl", "s-old.jsonl", "notes.txt")):
        (folder / name).write_text("{}\n")
        os.utime(folder / name, (1000 - at, 1000 - at))
    return folder


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("--resume s-1 --fork-session", ["s-1"]),
        ("--fork-session --resume=s-1 -p hello", ["s-1"]),
        ("-r s-1 --fork-session", ["s-1"]),
        ("-c --fork-session", ["s-new", "s-old"]),
        ("--continue --model x --fork-session", ["s-new", "s-old"]),
        ("--fork-session --resume", []),
        ("--resume --fork-session", []),
        ("--resume s-1", []),
        ("-c", []),
        ("", []),
    ],
)
def test_it_is_the_one_named_or_the_latest_in_the_directory(
    transcripts: Path, words: str, found: list[str]
) -> None:
    assert transcripts.is_dir()

    assert [*forks.origins(words.split(), "/w")] == found
