"""What runs for long may outlive its code on the disk, so what it imports late is known before."""

import ast
import compileall
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from attendd.host import newer
from attendd.hot import become

ROOT = Path(__file__).parents[2]
ELSEWHERE = {
    "attendd.hot.hook",
    "attendd.hot.receipt",
    "attendd.hot.send",
    "attendd.memory.detectors",
}
"""What hot commands alone need, and what the memory has in a process of its own."""
LOADED = """
import sys
import attendd.daemon
from attendd import registry
from attendd.host import newer
registry.load()
newer.load_later()
print(*sys.modules)
"""
DEAR = {"email", "hashlib", "hmac", "importlib.metadata", "rich", "secrets", "zipfile"}
"""What a host has no need of, in memory or in the time that it takes to start."""
HOLD = """
import posix, shutil, sys
sys.argv[:] = [sys.argv[1], "--version"]
fd = posix.open(sys.argv[0], posix.O_RDONLY)
code = compile(posix.read(fd, 1 << 20), sys.argv[0], "exec")
posix._exit = lambda code: None
try:
    exec(code, {"__name__": "__main__", "__file__": sys.argv[0]})
except SystemExit:
    pass
from attendd.hot import become
become.have_later()
before = set(sys.modules)
shutil.rmtree(sys.argv[0].rpartition("/")[0])
for short in become.LATER.split():
    __import__(f"attendd.hot.{short}")
print(sorted(set(sys.modules) - before))
"""


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    """Name what a service has loaded."""
    words = [sys.executable, "-P", "-c", LOADED]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.split())


@pytest.fixture(scope="module")
def ours(loaded: set[str]) -> set[str]:
    """Name what of ours it has loaded."""
    return {name for name in loaded if name.partition(".")[0] == "attendd"}


def test_a_service_loads_nothing_dear_that_it_can_do_without(loaded: set[str]) -> None:
    assert not loaded & DEAR


def test_a_service_has_loaded_all_of_ours_that_it_imports_late(ours: set[str]) -> None:
    late = {name for module in ours for name in imported_late(module)}
    named = {name for name in late if name.startswith("attendd.") and source(name).exists()}

    assert named - ours <= ELSEWHERE


def test_a_service_knows_what_of_others_it_imports_late(ours: set[str]) -> None:
    late = {name.partition(".")[0] for module in ours for name in imported_late(module)}

    assert late - sys.stdlib_module_names - {"attendd"} == set(newer.THEIRS)


def test_a_reader_has_what_it_needs_later_also_where_the_code_is_gone(tmp_path: Path) -> None:
    """It holds it open; until Python has compiled it once, it loads it."""
    later = sorted(f"attendd.hot.{short}" for short in become.LATER.split())
    for found in ([], later):
        copy = tmp_path / "attendd"
        shutil.copytree(ROOT / "attendd", copy, ignore=shutil.ignore_patterns("__pycache__"))
        if found:
            compileall.compile_dir(copy, quiet=1)
        words = [sys.executable, "-I", "-S", "-c", HOLD, str(copy / "hot" / "main.py")]
        done = subprocess.run(words, capture_output=True, text=True, check=True)

        assert done.stdout.splitlines()[-1] == str(found)
        shutil.rmtree(copy)


def imported_late(module: str) -> set[str]:
    """Return the modules that a module's functions import."""
    tree = (
        ast.parse(source(module).read_text()) if source(module).exists() else ast.Module([], [])
    )
    functions = [
        n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    found = [n for f in functions for n in ast.walk(f)]
    named = [n for n in found if isinstance(n, ast.ImportFrom)]
    whole = [n for n in found if isinstance(n, ast.Import)]
    names = {f"{n.module}.{alias.name}" for n in named for alias in n.names}
    return names | {alias.name for n in whole for alias in n.names}


def source(module: str) -> Path:
    return ROOT / f"{module.replace('.', '/')}.py"
