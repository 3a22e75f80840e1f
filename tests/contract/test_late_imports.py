"""A service may outlive its code on the disk, so what it imports late is known and loaded before."""

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ELSEWHERE = {"attendd.hot.hook", "attendd.hot.send", "attendd.memory.detectors"}
"""What the table of hot commands names, and what the memory has in a process of its own."""
LOADED = """
import sys
import attendd.daemon
from attendd.host import newer
newer.load_later()
print(*(name for name in sys.modules if name.partition(".")[0] == "attendd"))
"""


def test_a_service_has_loaded_all_of_ours_that_it_imports_late() -> None:
    words = [sys.executable, "-P", "-c", LOADED]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = set(done.stdout.split())

    assert {late for module in loaded for late in imported_late(module)} - loaded <= ELSEWHERE


def imported_late(module: str) -> set[str]:
    """Return the modules of ours that a module's functions import."""
    tree = (
        ast.parse(source(module).read_text()) if source(module).exists() else ast.Module([], [])
    )
    functions = [
        n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    found = [n for f in functions for n in ast.walk(f) if isinstance(n, ast.ImportFrom)]
    names = {f"{n.module}.{alias.name}" for n in found for alias in n.names}
    return {name for name in names if name.startswith("attendd.") and source(name).exists()}


def source(module: str) -> Path:
    return ROOT / f"{module.replace('.', '/')}.py"
