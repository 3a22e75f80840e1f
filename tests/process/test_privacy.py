"""`attend privacy` names every place in which attend leaves anything, in the whole of its life."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process import walls
from tests.process.box import DEADLINE_S, HOT, ROOT, Box, boxed, eventually
from tests.process.hooking import Hooks
from tests.unit.homes import short_folder

INSTALLING = """
from attendd.cli import service, units
from attendd.errors import AttendError
try:
    service._write(units.filled())
except AttendError as error:
    print(error)
"""
BESIDE = ("-wal", "-shm")
"""What SQLite keeps beside a file of ours, which counts as its part."""


@pytest.fixture
def home() -> Iterator[Box]:
    """A home in which nothing else says where things are, and all sockets have room."""
    with short_folder() as folder, boxed(folder / "h") as box:
        del box.env["ATTEND_HOME"]
        for name in ("runtime", "tmp"):
            (box.home / name).mkdir(mode=0o700)
        box.env |= {
            "XDG_RUNTIME_DIR": str(box.home / "runtime"),
            "TMPDIR": str(box.home / "tmp"),
        }
        yield box


def live(box: Box, web: Path) -> None:
    """Do all there is to be done with attend."""
    box.run("config", "init")
    box.run("memory", "on", cwd=web)
    host = box.reader(web, "--as=host")
    eventually((box.home / "runtime" / "attend" / "control.sock").exists)
    client = box.client(web)
    hooks = Hooks(box, client=client)
    hooks.start()
    client.monitor()
    hooks.prompt("hello")
    hooks.call("MessageDisplay", message_id="m-1", index=0, final=False, delta="half")
    hooks.stop()
    box.hot("statusline", input=json.dumps({"session_id": client.session}))
    box.hot("build", "--", "true", cwd=web)
    box.hot("send", "--as=bob", "--to=@user", "hello", cwd=web)
    launch(box)
    subprocess.run([sys.executable, "-P", "-c", INSTALLING], env=box.env, check=True)
    client.kill()
    host.kill()
    for name in ("status", "why", "top"):
        box.run(name, cwd=web)
    if os.geteuid() == 0:
        send_walled_in(box, web)


def send_walled_in(box: Box, web: Path) -> None:
    """Send from a sandbox in which only the work tree can be written to, while nobody reads."""
    closed = [box.home / name for name in (".local", "runtime", "tmp")]
    sending = [sys.executable, "-I", "-S", str(HOT), "send", "--as=bob", "--to=@user", "hello"]
    done = subprocess.run(
        walls.command(closed, sending),
        cwd=web,
        env=box.env | {"CLAUDE_PID": "999999"},
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert "left #" in done.stdout, done


def launch(box: Box) -> None:
    """Start the launcher where it has to look for a Python."""
    lone = box.home / "lone"
    shutil.copy(ROOT / "bin" / "attend", lone)
    path = f"{Path(sys.executable).parent}{os.pathsep}{box.env['PATH']}"
    env = box.env | {"PATH": path}
    subprocess.run(
        ["sh", lone, "--version"], env=env, check=True, capture_output=True, timeout=DEADLINE_S
    )
    lone.unlink()


def listed(box: Box, web: Path) -> set[str]:
    kept = json.loads(box.run("privacy", "--json", cwd=web).stdout)["kept"]
    return {each["path"] for each in kept if each["exists"]}


def unnamed(made: set[Path], named: set[str]) -> list[Path]:
    """Return what neither is named nor lies in what is."""
    plain = {Path(str(path).removesuffix(end)) for path in made for end in ("", *BESIDE)} & {
        *map(Path, named)
    }
    covered = {*map(Path, named)} | {Path(f"{path}{end}") for path in plain for end in BESIDE}
    return sorted(path for path in made if not {path, *path.parents} & covered)


def test_all_that_is_left_of_a_life_of_attend_is_named(home: Box) -> None:
    web = home.repository("web")
    before = set(home.home.rglob("*"))
    live(home, web)
    named = listed(home, web)
    there = set(home.home.rglob("*")) - before
    theirs = {home.home / ".claude", *home.home.glob("hook-*")}  # of what stands for the client
    made = {p for p in there if not p.is_dir() and not {p, *p.parents} & theirs}

    state = home.home / ".local" / "state" / "attend"
    assert {state / "attend.db", state / "journal.db", state / "spool.key"} <= made
    assert list((home.home / ".cache" / "attend").iterdir()) != []
    assert unnamed(made, named) == []
    assert unnamed({state / "odd", web / "file"}, named) == [state / "odd", web / "file"]
