"""What may import what, as far as import-linter can't tell: see `pyproject.toml` for the rest."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
HARMLESS = {
    "_collections", "collections", "datetime", "enum", "math", "msgspec", "re", "typing",
    "unicodedata",
}  # fmt: skip
"""What a pure module may use besides modules of ours: none of it looks at the world."""
LOOKING = {"__import__", "eval", "exec", "input", "now", "open", "print", "today", "utcnow"}
"""Functions that do look, by the last part of their name."""
PARSERS = ["address.py", "eaten.py", "percept*.py", "terms.py"]


def contracts() -> list[dict[str, Any]]:
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    found: list[dict[str, Any]] = tools["importlinter"]["contracts"]
    return found


def test_plugins_are_kept_from_every_module_but_the_one_that_is_for_them() -> None:
    there = {path.stem for path in (ROOT / "attendd").glob("[!_]*.py")}
    there |= {path.parent.name for path in (ROOT / "attendd").glob("*/__init__.py")}
    (plugins,) = (each for each in contracts() if each["type"] == "forbidden")

    assert plugins["source_modules"] == ["sensors", "disclosures"]
    assert plugins["forbidden_modules"] == sorted(f"attendd.{n}" for n in there - {"api"})


def test_sensors_are_kept_from_every_other_sensor() -> None:
    there = {path.stem for path in (ROOT / "sensors").glob("[!_]*.py")}
    there |= {path.parent.name for path in (ROOT / "sensors").glob("*/__init__.py")}
    (apart,) = (each for each in contracts() if each["type"] == "independence")

    assert sorted(apart["modules"]) == sorted(f"sensors.{name}" for name in there)


def pure() -> list[Path]:
    """Return the engine, the parsers, and each other module that says of itself that it is pure."""
    found = {ROOT / "attendd/model.py", *(ROOT / "attendd/engine").glob("*.py")}
    found |= {path for name in PARSERS for path in (ROOT / "attendd/hot").glob(name)}
    for path in (ROOT / "attendd").rglob("*.py"):
        first = (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n")[0]
        found |= {path} if first.endswith(" Pure.") else set()
    return sorted(found)


@pytest.mark.parametrize("path", pure(), ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_pure_uses_no_clock_no_disk_and_no_loop(path: Path) -> None:
    """So a test can run a whole day of it in less than a second, and none of it can fail."""
    assert list(looks(ast.parse(path.read_text()))) == []


def looks(tree: ast.Module) -> Iterator[str]:
    """Find what looks at the world; what is imported for types alone does not."""
    for_types = [node for node in ast.walk(tree) if is_for_types(node)]
    apart = {id(each) for node in for_types for each in ast.walk(node)}
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            yield from [called] if called.rpartition(".")[2] in LOOKING else []
        names = [name.partition(".")[0] for name in names if id(node) not in apart]
        yield from {*names} - HARMLESS - {"attendd"}


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("from attendd.hot import ids", []),
        ("if TYPE_CHECKING:\n    from os import PathLike", []),
        ("import os.path", ["os"]),
        ("def look():\n    from time import time", ["time"]),
        ("datetime.now()", ["datetime.now"]),
        ("open('x')", ["open"]),
    ],
)
def test_the_rule_for_what_is_pure_finds_what_is_not(code: str, found: list[str]) -> None:
    assert list(looks(ast.parse(code))) == found
