"""Sessions that talk, with real processes: readers that listen, commands that send."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from attendd.hot import db
from tests.process.box import DEADLINE_S, HOT, Box, Reading, eventually
from tests.process.posting import Office

HIGH = "[attend sensor=peers priority=high] message from "
BOB = f"{HIGH}bob (a name of its own choosing, web)"


def listen(box: Box, office: Office, web: Path, name: str = "alice") -> Reading:
    """Start a reader and wait until it listens."""
    reading = box.reader(web, f"--as={name}", "--host-after=-1")
    sql = "SELECT 1 FROM attachment WHERE session = ? AND ended_at IS NULL"
    eventually(lambda: bool(db.read(office.db, sql, (f"as:{name}",))))
    return reading


def send(box: Box, web: Path, *words: str, name: str = "bob", **options: object) -> str:
    """Send something that is accepted; return what was said about it."""
    done = box.hot("send", "--as", name, *words, cwd=web, **options)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def id_in(said: str) -> str:
    return said.partition("#")[2][:8]


def settled(office: Office, state: str, count: int = 1) -> None:
    sql = "SELECT count(*) FROM delivery WHERE message IS NOT NULL AND state = ?"
    eventually(lambda: db.read(office.db, sql, (state,))[0][0] == count)


def at_a_terminal(box: Box, web: Path, *words: str) -> str:
    """Run a hot command in a terminal of its own; return what it said there."""
    ours, theirs = pty.openpty()
    done = subprocess.run(
        ["setsid", "--ctty", "--wait", sys.executable, "-I", "-S", str(HOT), *words],
        cwd=web,
        env=box.env,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        timeout=DEADLINE_S,
        check=True,
    )
    assert done.returncode == 0
    said = os.read(ours, 65_536).decode()
    os.close(ours)
    os.close(theirs)
    return said
