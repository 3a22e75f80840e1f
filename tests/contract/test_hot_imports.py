"""The start-up cost of the hot commands, counted in modules: a clock would make this flaky."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process.box import DEADLINE_S, HOT, ROOT, Box, boxed

# What is written in C and costs next to nothing, and `stat`, which is constants.
CHEAP = {"posix", "sys", "time", "errno", "pwd", "stat", "_stat", "fcntl", "select"}
CHEAP |= {"unicodedata", "encodings.utf_16_le", "_signal", "_socket"}
# What reads our own compiled modules.
COMPILED = {"_frozen_importlib_external", "_frozen_importlib", "marshal", "gc"}
# SQLite's own module, with what it really needs in place of all of functools.
SQLITE = {"_sqlite3", "_functools"}
# A reader lives for hours, so it may start a millisecond later.
COMFORT = {"os", "posixpath", "genericpath", "_collections_abc"}

START = {
    "hook_event_name": "SessionStart",
    "session_id": "s-1",
    "source": "startup",
    "cwd": "/",
}
QUIET = {"hook_event_name": "UserPromptSubmit", "session_id": "s-1", "prompt": "hello"}
CONFIGURED = "[sensors.git]\nenabled = true\n"


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with boxed(tmp_path / "h") as found:
        yield found


def loaded(python: str, *words: str, stdin: str = "", **options: object) -> set[str]:
    """Return the modules that a process has imported by its end, as it tells itself."""
    done = subprocess.run(  # type: ignore[call-overload]
        [python, "-I", "-S", "-X", "utf8", "-X", "importtime", *words],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
        **options,
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines} - {"imported package"}


def brought_in(box: Box, *words: str, stdin: str = "") -> tuple[set[str], set[str]]:
    """Return what a hot command loads beyond a bare interpreter: of ours, and of others."""
    bare = loaded(sys.executable, "-c", "pass", env=box.env)
    assert "posix" in bare, "the interpreter tells what it imports"
    found = loaded(sys.executable, str(HOT), *words, stdin=stdin, env=box.env) - bare
    ours = {name for name in found if name.partition(".")[0] == "attendd"}
    assert ours or not words
    return ours, found - ours


def test_a_hook_with_nothing_to_say_loads_three_modules_of_ours(box: Box) -> None:
    ours, others = brought_in(box, "hook", stdin=json.dumps(QUIET))

    assert ours == {"attendd", "attendd.hot", "attendd.hot.hook"}
    assert others <= CHEAP


@pytest.mark.parametrize("stdin", ["", "not json", "{}", '{"prompt": "' + "x" * 100_000])
def test_a_hook_with_broken_input_loads_no_more(box: Box, stdin: str) -> None:
    ours, others = brought_in(box, "hook", stdin=stdin)

    assert ours == {"attendd", "attendd.hot", "attendd.hot.hook"}
    assert others <= CHEAP


@pytest.mark.parametrize("config", ["", CONFIGURED], ids=["plain", "configured"])
@pytest.mark.parametrize("before", [False, True], ids=["first ever", "later"])
def test_a_sessions_start_loads_nothing_slow(box: Box, config: str, *, before: bool) -> None:
    """Nor does a configuration cost anything that says nothing of what is taught."""
    if config:
        (box.home / "attend").mkdir()
        (box.home / "attend" / "config.toml").write_text(config)
    if before:
        brought_in(box, "hook", stdin=json.dumps(START | {"session_id": "s-0"}))

    ours, others = brought_in(box, "hook", stdin=json.dumps(START))

    assert others <= CHEAP | SQLITE
    assert {name.rpartition(".")[0] for name in ours} <= {"", "attendd", "attendd.hot"}


@pytest.mark.parametrize("command", ["send", "reply"])
def test_what_is_still_to_come_loads_nothing_at_all(box: Box, command: str) -> None:
    bare = loaded(sys.executable, "-c", "pass", env=box.env)

    assert loaded(sys.executable, str(HOT), command, "hello", env=box.env) - bare <= CHEAP


@pytest.mark.parametrize("words", [("run", "--help"), ("run", "--as", "no name at all")])
def test_a_reader_starts_without_anything_dear(box: Box, words: tuple[str, ...]) -> None:
    ours, others = brought_in(box, *words)

    assert others <= CHEAP | SQLITE | COMFORT
    assert {name.rpartition(".")[0] for name in ours} <= {"", "attendd", "attendd.hot"}


@pytest.mark.parametrize("words", [[], ["--", "true"]], ids=["ours", "the user's"])
@pytest.mark.parametrize("stdin", [json.dumps({"session_id": "s-1"}), "half {"])
def test_a_status_line_loads_nothing_slow(box: Box, words: list[str], stdin: str) -> None:
    brought_in(box, "statusline", stdin=json.dumps({"session_id": "s-0"}))

    ours, others = brought_in(box, "statusline", *words, stdin=stdin)

    assert others <= CHEAP | SQLITE | COMPILED
    assert {name.rpartition(".")[0] for name in ours} <= {"", "attendd", "attendd.hot"}


def test_whatever_lies_in_site_packages_costs_nothing(box: Box, tmp_path: Path) -> None:
    """Any `.pth` file of any package there may run code at each start of Python."""
    venv = tmp_path / "v"
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(venv)],
        check=True,
        timeout=DEADLINE_S,
    )
    (site,) = venv.glob("lib/python3*/site-packages")
    mark = tmp_path / "ran"
    evil = f"import pathlib; pathlib.Path({str(mark)!r}).touch()\n"
    (site / "evil.pth").write_text(evil)
    for name in ("sitecustomize", "usercustomize", "posixpath", "stat", "_sqlite3"):
        (site / f"{name}.py").write_text(evil)
    for name in ("attendd", "disclosures"):
        (site / name).symlink_to(ROOT / name)
    attend = shutil.copy(ROOT / "bin" / "attend", venv / "bin" / "attend")

    for stdin in (json.dumps(START), json.dumps(QUIET), ""):
        done = subprocess.run(
            [attend, "hook"],
            input=stdin,
            env=box.env,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=True,
        )
        assert bool(done.stdout) is ("SessionStart" in stdin)

    assert not mark.exists()
