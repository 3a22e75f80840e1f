"""The changelog is read by people: what merging leaves behind in it is found here."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"
LONGEST = 112


def faults(text: str) -> Iterator[str]:
    """Find heads that stand twice, lines that continue nothing, and what has no end."""
    items = [item.split("\n") for item in re.split(r"^- ", text, flags=re.MULTILINE)[1:]]
    heads = [re.findall(r"\*\*(.+?)\*\*", item[0]) for item in items]
    known = [head[0] for head in heads if head]
    yield from (f"{head!r} stands twice" for head in {*known} if known.count(head) > 1)
    for item in items:
        lines = [line for line in item if line.startswith("  ") or line is item[0]]
        for line, following in pairwise(lines):
            if line.endswith(".") and following.strip()[0].islower():
                yield f"{following.strip()!r} dangles"
        if not lines[-1].endswith("."):
            yield f"{lines[-1].strip()!r} has no end"


def test_the_changelog_says_each_thing_once_and_whole() -> None:
    text = CHANGELOG.read_text()

    assert list(faults(text)) == []
    assert [line for line in text.splitlines() if len(line) > LONGEST] == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("- **One.** It is\n  long.\n- **Two.** It is `not`.\n  `attend` is a word.\n", 0),
        ("- **One.** It is.\n- **Two.** It is.\n- **One.** It is so.\n", 1),
        ("- **One.** It is.\n  and it was once.\n", 1),
        ("- **One.** It\n- **Two.** It is.\n", 1),
    ],
)
def test_what_is_wrong_with_a_changelog_is_found(text: str, count: int) -> None:
    assert len(list(faults(text))) == count
