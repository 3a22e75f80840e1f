"""What a person said is told from what came in a person's place."""

import json
from pathlib import Path
from typing import Any

import pytest

from attendd.harness import person
from attendd.memory.capture import stands_in

BASE = {"parentUuid": None, "timestamp": "2026-11-30T10:00:00Z", "uuid": "u1"}
HUMAN, NOTICE = {"kind": "human"}, {"kind": "task-notification"}


def user(content: Any, **more: Any) -> dict[str, Any]:
    return {**BASE, "type": "user", "message": {"role": "user", "content": content}, **more}


def queued(origin: dict[str, str]) -> dict[str, Any]:
    added = {"type": "queued_command", "prompt": "we deploy on friday", "origin": origin}
    return {**BASE, "type": "attachment", "attachment": added}


@pytest.mark.parametrize(
    ("row", "texts"),
    [
        (user("we deploy on friday", origin=HUMAN), ["we deploy on friday"]),
        (user("we deploy on friday"), ["we deploy on friday"]),
        (user("we deploy on friday", promptSource="typed"), ["we deploy on friday"]),
        (
            user([{"type": "text", "text": "see this"}, {"type": "image"}], origin=HUMAN),
            ["see this", ""],
        ),
        (queued(HUMAN), ["we deploy on friday"]),
        (queued(NOTICE), []),
        (user("we deploy on friday", origin=NOTICE), []),
        (user("we deploy on friday", isMeta=True), []),
        (user("we deploy on friday", isCompactSummary=True), []),
        (user("we deploy on friday", isSidechain=True, origin=HUMAN), []),
        (user([{"type": "tool_result", "content": "we deploy on friday"}]), []),
        ({**BASE, "type": "assistant", "message": {"content": [], "model": "m"}}, []),
        ("no row", []),
    ],
    ids=str,
)
def test_only_what_a_person_typed_is_a_persons(
    row: object, texts: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "s1.jsonl"
    path.write_text(json.dumps(row) + "\n")

    assert person.said(path) == texts


def test_a_transcript_that_is_gone_has_no_words(tmp_path: Path) -> None:
    assert person.said(tmp_path / "none") == []


@pytest.mark.parametrize(
    ("quotation", "stands"),
    [
        ("we deploy on Friday", True),
        ("we  deploy\non friday", True),
        ("we deploy on monday", False),
        ("we deploy", False),
        ("", False),
    ],
)
def test_a_quotation_has_three_words_and_stands_verbatim(
    quotation: str, *, stands: bool
) -> None:
    assert stands_in(quotation, ["hello", "no, We deploy on Friday."]) is stands
