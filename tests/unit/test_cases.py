"""Cases that are kept as data all come to what is right, and one that nobody can play fails."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cases import runner

FILES = sorted((Path(__file__).parents[1] / "cases").glob("*.json"))
GOOD = {"area": "weight", "input": {"producer": "user", "core": False, "consolidations": 0}}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_case_comes_to_what_is_right(path: Path) -> None:
    played = list(runner.run(path))

    assert played
    assert [(name, problem) for name, problem in played if problem] == []


@pytest.mark.parametrize(
    "case",
    [
        {**GOOD, "name": "other outcome", "expected": {"weight": 0.1}},
        {**GOOD, "name": "unknown area", "area": "tea", "expected": {}},
        {"name": "no area", "expected": {}},
        {**GOOD, "name": "nothing expected"},
        {**GOOD, "name": "key that nobody answers", "expected": {"colour": 1}},
        {"name": "no nonce", "chunks": ["a"], "expected_display": "a", "expected_percepts": []},
        {"name": "other display", "chunks": ["a"], "nonce": "n", "expected_display": "b"},
        "no case at all",
    ],
    ids=str,
)
def test_a_case_that_does_not_come_out_right_is_named_and_fails(
    case: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cases.json"
    path.write_text(json.dumps({"vectors": [{**GOOD, "expected": {"weight": 0.9}}, case]}))

    assert runner.main([str(path)]) == 1
    said = capsys.readouterr().out
    assert said.endswith("2 cases, 1 failed\n")
    assert (case["name"] if isinstance(case, dict) else "case 2") in said


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cases": []}', '{"vectors": []}'])
def test_a_file_without_cases_fails(text: str, tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    path.write_text(text)

    assert runner.main([str(path)]) == 1
    assert runner.main([]) == 2
