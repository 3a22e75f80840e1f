"""Rules of the house that no linter knows: small files, real things in tests, no waiting."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST = 300
SKIP = "  # fmt: skip"
INSTALLED = ("attendd", "sensors", "disclosures")
PRETENCE = ("mock", "pytest_mock", "unittest.mock")


def sources() -> list[Path]:
    """Return every file of ours that holds code, whether it is committed yet or not."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if done.returncode == 0:
        names = [Path(name) for name in done.stdout.decode().split("\0") if name]
    else:
        folders = ("attendd", "sensors", "disclosures", "tests", "benchmarks", "docs", "plugin")
        names = [
            path.relative_to(ROOT) for top in folders for path in (ROOT / top).rglob("*.*")
        ]
    return sorted(name for name in names if (ROOT / name).is_file() and holds_code(name))


def holds_code(name: Path) -> bool:
    if name.suffix in {".py", ".sh", ".js", ".sql"} or name.name == "Makefile":
        return True
    return name.suffix == "" and (ROOT / name).read_bytes().startswith(b"#!")


SOURCES = sources()
TESTS = [name for name in SOURCES if name.parts[0] == "tests" and name.suffix == ".py"]


def test_no_file_is_longer_than_three_hundred_lines(tmp_path: Path) -> None:
    """Nor would it be, had the formatter not been told to leave some lines of it together."""
    lengths = {str(name): len((ROOT / name).read_text().splitlines()) for name in SOURCES}
    lengths |= formatted_lengths(tmp_path)

    assert {name: lines for name, lines in lengths.items() if lines > LONGEST} == {}


def formatted_lengths(folder: Path) -> dict[str, int]:
    """Count the lines of files with such lines, as the formatter would have them."""
    texts = {name: (ROOT / name).read_text() for name in SOURCES if name.suffix == ".py"}
    texts = {name: text for name, text in texts.items() if SKIP in text}
    for at, text in enumerate(texts.values()):
        (folder / f"{at}.py").write_text(text.replace(SKIP, ""))
    words = [sys.executable, "-m", "ruff", "format", "--quiet", "--isolated"]
    subprocess.run([*words, "--line-length=96", str(folder)], check=True)
    return {
        str(name): len((folder / f"{at}.py").read_text().splitlines())
        for at, name in enumerate(texts)
    }


@pytest.mark.parametrize("name", TESTS, ids=str)
def test_a_test_uses_the_real_thing(name: Path) -> None:
    """What stands in for a neighbour is a class that keeps its interface, never a mock."""
    assert list(pretences(ast.parse((ROOT / name).read_text()))) == []


@pytest.mark.parametrize("name", [n for n in TESTS if n.name.startswith("test_")], ids=str)
def test_a_test_waits_for_events_and_never_for_time(name: Path) -> None:
    """Only a helper that looks for an event until its deadline may pause between two looks."""
    assert list(sleeps(ast.parse((ROOT / name).read_text()))) == []


@pytest.mark.parametrize("name", [n for n in SOURCES if n.parts[0] in INSTALLED], ids=str)
def test_nothing_sends_a_person_to_a_file_that_only_a_clone_has(name: Path) -> None:
    """What is said names the thing itself, or a command; docstrings may name a document."""
    if name.suffix == ".py":
        said = spoken(ast.parse((ROOT / name).read_text()))
        assert [text for text in said if "docs/" in text or "README" in text] == []


def spoken(tree: ast.Module) -> Iterator[str]:
    """Find texts that are no docstrings."""
    alone = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in alone:
            yield from [node.value] if isinstance(node.value, str) else []


def pretences(tree: ast.Module) -> Iterator[str]:
    """Find mocks, and functions put in the place of a module's own; a constant may be set."""
    for node in ast.walk(tree):
        found: list[str] = []
        if isinstance(node, ast.ImportFrom):
            found = [node.module or "", *(f"{node.module}.{each.name}" for each in node.names)]
        elif isinstance(node, ast.Import):
            found = [each.name for each in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "monkeypatch.setattr":
            stand_in = isinstance(node.args[-1], ast.Lambda | ast.Name | ast.Attribute)
            found = ["mock"] if stand_in else []
        if set(found) & set(PRETENCE):
            yield ast.unparse(node)


def sleeps(tree: ast.Module) -> Iterator[str]:
    """Find sleeps; one of no length only lets others run, and one without end is no wait."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = (
            node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        )
        if name == "sleep" and [ast.unparse(each) for each in node.args] != ["0"]:
            yield f"line {node.lineno}: {ast.unparse(node)}"


@pytest.mark.parametrize(
    ("code", "faults"),
    [
        ("import unittest.mock", 1),
        ("from unittest import mock", 1),
        ("monkeypatch.setattr(module, 'name', lambda: 1)", 1),
        ("monkeypatch.setattr(module, 'name', other_function)", 1),
        ("monkeypatch.setattr(module, 'FOLDER', str(tmp_path))", 0),
        ("monkeypatch.setenv('A', '1')", 0),
    ],
)
def test_the_rule_against_mocks_finds_them(code: str, faults: int) -> None:
    assert len(list(pretences(ast.parse(code)))) == faults


@pytest.mark.parametrize(
    ("code", "faults"),
    [
        ("time.sleep(0.1)", 1),
        ("sleep(2)", 1),
        ("await anyio.sleep(0)", 0),
        ("await anyio.sleep_forever()", 0),
        ("subprocess.Popen(['sleep', '60'])", 0),
    ],
)
def test_the_rule_against_waiting_finds_it(code: str, faults: int) -> None:
    assert len(list(sleeps(ast.parse(code)))) == faults
