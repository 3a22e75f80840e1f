"""The start-up cost of the hot commands, counted in modules: a clock would make this flaky."""

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from attendd.hot.mail import FOLD_OVER
from tests.contract.hot_modules import (
    CHEAP,
    COMFORT,
    COMPILED,
    LOOKING,
    RECALLING,
    SENDING,
    SQLITE,
    TELLING,
    brought_in,
)
from tests.process.box import DEADLINE_S, HOOK, ROOT, Box, boxed, eventually

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


def test_a_hook_of_an_event_that_gets_no_answer_loads_three_modules_of_ours(box: Box) -> None:
    ours, others = brought_in(box, *HOOK, stdin=json.dumps(QUIET | {"hook_event_name": "Any"}))

    assert ours == {"commands", "main", "hook"}
    assert others <= CHEAP


@pytest.mark.parametrize("stdin", ["", "not json", "{}", '{"prompt": "' + "x" * 100_000])
def test_a_hook_with_broken_input_loads_no_more(box: Box, stdin: str) -> None:
    ours, others = brought_in(box, *HOOK, stdin=stdin)

    assert ours == {"commands", "main", "hook"}
    assert others <= CHEAP


@pytest.mark.parametrize("config", ["", CONFIGURED], ids=["plain", "configured"])
@pytest.mark.parametrize("before", [False, True], ids=["first ever", "later"])
def test_a_sessions_start_loads_nothing_slow(box: Box, config: str, *, before: bool) -> None:
    """Nor does a configuration cost anything that says nothing of what is taught."""
    if config:
        (box.home / "attend").mkdir()
        (box.home / "attend" / "config.toml").write_text(config)
    if before:
        brought_in(box, *HOOK, stdin=json.dumps(START | {"session_id": "s-0"}))

    ours, others = brought_in(box, *HOOK, stdin=json.dumps(START))

    assert others <= CHEAP | SQLITE
    assert not any("." in name for name in ours)


@pytest.mark.parametrize("event", ["UserPromptSubmit", "Stop"])
@pytest.mark.parametrize("mail", [0, 1, 9])
def test_a_turns_hook_loads_what_it_needs_and_nothing_else(
    box: Box, event: str, mail: int
) -> None:
    brought_in(box, *HOOK, stdin=json.dumps(START))
    attached = """INSERT INTO attachment (id, session, conduit, reader_pid, boot, pidns, bell,
        workdir, version, attached_at) VALUES ('x', 's-1', 'hook', 1, '', '', '', '/', '', 0)"""
    with closing(sqlite3.connect(box.state / "attend.db")) as store, store:
        store.execute(attached)
    for _ in range(mail):
        box.hot("send", "--as=bob", "--to=s-1", "hello")

    ours, others = brought_in(box, *HOOK, stdin=json.dumps(QUIET | {"hook_event_name": event}))

    folded = {"digest", "mimicry"} if mail > FOLD_OVER else set()
    assert ours == (TELLING | folded if mail else LOOKING)
    assert others <= CHEAP | SQLITE | COMPILED


def test_a_prompts_hook_loads_little_where_memory_is_on(box: Box) -> None:
    (box.home / "attend").mkdir()
    (box.home / "attend" / "config.toml").write_text("[memory]\nenabled = true\n")
    brought_in(box, *HOOK, stdin=json.dumps(START))
    attached = """INSERT INTO attachment (id, session, conduit, reader_pid, boot, pidns, bell,
        workdir, version, attached_at) VALUES ('x', 's-1', 'hook', 1, '', '', '', '/', '', 0)"""
    with closing(sqlite3.connect(box.state / "attend.db")) as store, store:
        store.execute(attached)

    ours, others = brought_in(box, *HOOK, stdin=json.dumps(QUIET))

    assert ours == RECALLING
    assert others <= CHEAP | SQLITE | COMPILED


@pytest.mark.parametrize("final", [True, False])
def test_what_is_shown_of_an_answer_without_tags_loads_next_to_nothing(
    box: Box, *, final: bool
) -> None:
    shown = {"message_id": "m-1", "index": 0, "final": final, "delta": "hello\n"}

    event = QUIET | shown | {"hook_event_name": "MessageDisplay"}
    ours, others = brought_in(box, *HOOK, stdin=json.dumps(event))

    assert ours == LOOKING - {"turn"} | {"display"}
    assert others <= CHEAP | SQLITE | COMPILED


@pytest.mark.parametrize("listening", [True, False], ids=["heard", "stored"])
def test_sending_loads_what_it_needs_and_nothing_else(box: Box, *, listening: bool) -> None:
    reading = box.reader(box.home, "--as=alice", "--host-after=-1")
    eventually(lambda: box.hot("send", "--as=bob", "--to=alice", "x").stdout.startswith("sent"))
    if not listening:
        reading.kill()

    ours, others = brought_in(box, "send", "--as=bob", "--to=alice", "hello")

    assert ours == SENDING
    assert others <= CHEAP | SQLITE


def test_answering_loads_one_module_more(box: Box) -> None:
    reading = box.reader(box.home, "--as=alice", "--host-after=-1")
    eventually(lambda: box.hot("send", "--as=bob", "--to=alice", "x").stdout.startswith("sent"))
    reading.out.line()
    eventually(lambda: box.hot("reply", "--as=alice", "yes").returncode == 0)

    ours, others = brought_in(box, "reply", "--as=alice", "hello")

    assert ours == SENDING | {"answer"}
    assert others <= CHEAP | SQLITE


def test_a_hot_module_that_was_not_compiled_is_found_all_the_same(
    box: Box, tmp_path: Path
) -> None:
    """Python's own way is left to it: no compiled form, or one of another day."""
    copy = tmp_path / "attendd"
    shutil.copytree(ROOT / "attendd", copy, ignore=shutil.ignore_patterns("__pycache__"))
    main = copy / "hot" / "main.py"
    words = [sys.executable, "-I", "-S", str(main), "send", "--as=bob", "--to=@user", "x"]
    said = []
    for change in ("", "# changed\n", "# changed again\n"):
        with (copy / "hot" / "address.py").open("a") as file:
            file.write(change)
        done = subprocess.run(words, env=box.env, capture_output=True, text=True, check=False)
        said.append((done.returncode, done.stderr))

    assert said == [(0, "")] * 3


def test_the_program_leaves_itself_compiled_for_the_launcher(box: Box, tmp_path: Path) -> None:
    """Not every installer compiles, and Python keeps only what is imported."""
    copy = tmp_path / "attendd"
    shutil.copytree(ROOT / "attendd", copy, ignore=shutil.ignore_patterns("__pycache__"))
    words = [sys.executable, "-I", "-S", str(copy / "hot" / "main.py"), *HOOK]
    subprocess.run(words, env=box.env, stdin=subprocess.DEVNULL, check=True)

    (compiled,) = (copy / "hot" / "__pycache__").glob("main.*.pyc")
    words[3:] = [str(compiled), "send", "--as=bob", "--to=@user", "x"]
    done = subprocess.run(words, env=box.env, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("stored #")


@pytest.mark.parametrize("words", [("run", "--as", "no name at all"), ("run", "--no-option")])
def test_a_reader_starts_without_anything_dear(box: Box, words: tuple[str, ...]) -> None:
    ours, others = brought_in(box, *words)

    assert others <= CHEAP | SQLITE | COMFORT
    assert not any("." in name for name in ours)


@pytest.mark.parametrize("words", [[], ["--", "true"]], ids=["ours", "the user's"])
@pytest.mark.parametrize("stdin", [json.dumps({"session_id": "s-1"}), "half {"])
def test_a_status_line_loads_nothing_slow(box: Box, words: list[str], stdin: str) -> None:
    brought_in(box, "statusline", stdin=json.dumps({"session_id": "s-0"}))

    ours, others = brought_in(box, "statusline", *words, stdin=stdin)

    assert others <= CHEAP | SQLITE | COMPILED
    assert {name.rpartition(".")[0] for name in ours} <= {"", "attendd", "attendd.hot"}


@pytest.mark.parametrize("words", [["peers"], ["peers", "--all", "--json"], ["build", "true"]])
def test_what_a_person_waits_for_loads_nothing_slow(box: Box, words: list[str]) -> None:
    box.client(box.home).answer()
    brought_in(box, *words)

    ours, others = brought_in(box, *words)

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
            [attend, *HOOK],
            input=stdin,
            env=box.env,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=True,
        )
        assert bool(done.stdout) is ("SessionStart" in stdin)

    assert not mark.exists()
