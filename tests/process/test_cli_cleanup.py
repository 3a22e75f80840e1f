"""`attend cleanup` and `attend privacy`: what goes, what stays, and what is where."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from attendd.hot import bell, places
from tests.process.box import Box
from tests.process.seeding import SESSION, Seed

LONG_AGO_S = 40 * 24 * 3600.0


def old_state(box: Box) -> tuple[Path, Path, Path, Path]:
    """Have old and young damage, a socket nobody listens at, and an old batch at rest."""
    seed = Seed(box)
    seed.wall = time.time() - LONG_AGO_S
    seed.session()
    seed.batch("ancient2", "[attend sensor=git priority=high] long ago\n")
    seed.wall = time.time()
    seed.session()
    seed.batch("recent22", "[attend sensor=git priority=high] just now\n")
    seed.close()
    old, young = (box.state / f"attend.db.damaged-2026010{n}T000000Z" for n in (1, 2))
    for path in (old, young, Path(f"{old}-wal")):
        path.write_text("x" * 2048)
    os.utime(old, (time.time() - LONG_AGO_S,) * 2)
    bells = box.home / "bells"
    bells.mkdir()
    dead = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    dead.bind(str(bells / "dead.bell"))
    dead.close()
    return old, young, bells / "dead.bell", bells / "live.bell"


def test_only_what_nobody_needs_is_removed(box: Box) -> None:
    old, young, dead, live = old_state(box)
    ear = bell.bind(str(live))
    planned = json.loads(box.run("cleanup", "--dry-run", "--json").stdout)
    there = [old.exists(), dead.exists()]
    done = box.run("cleanup")
    again = json.loads(box.run("cleanup", "--json").stdout)
    os.close(ear)

    assert (planned["dry_run"], planned["rows"]["batches"]) == (True, 1)
    assert planned["files"] == [str(old), str(dead)]
    assert there == [True, True]
    assert done.returncode == 0
    assert f"removed {old}\n" in done.stdout
    assert "removed 1 old row and 2 files" in done.stdout
    assert [path.exists() for path in (old, Path(f"{old}-wal"), dead)] == [False] * 3
    assert [path.exists() for path in (young, live)] == [True, True]
    assert again["files"] == []
    assert sum(again["rows"].values()) == 0
    assert "just now" in box.run("why", "recent22").stdout
    assert box.run("why", "ancient2").returncode == 1


def test_privacy_names_every_place_and_how_long_it_is_kept(box: Box) -> None:
    old_state(box)
    done = box.run("privacy")
    kept = {row["path"]: row for row in json.loads(box.run("privacy", "--json").stdout)["kept"]}

    assert done.returncode == 0
    assert kept[str(box.state / "attend.db")]["exists"]
    assert kept[str(box.state / "journal.db")]["how_long"] == "the latest 64 MB"
    assert not kept[str(box.home / ".claude" / "projects")]["exists"]
    assert "no transcript is copied" in " ".join(done.stdout.split())


def test_privacy_names_what_was_left_from_a_sandbox(box: Box) -> None:
    spool = box.home / f".attend-{os.geteuid()}.spool"
    before = box.run("privacy", cwd=box.home).stdout
    spool.mkdir()

    assert spool.name not in before
    assert spool.name in box.run("privacy", cwd=box.home).stdout


MOVED = """
mount -t tmpfs none /var/tmp && mount --bind "$HOME" "$HOME" \
    && mount -o remount,bind,ro "$HOME" || { echo no-mount; exit 0; }
unset ATTEND_HOME XDG_STATE_HOME XDG_RUNTIME_DIR
"$0" -P -c 'from attendd.store import Store; Store()'
exec "$0" -P -m attendd status --json
"""


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare(1)")
def test_status_says_why_the_state_is_elsewhere(box: Box) -> None:
    done = subprocess.run(
        ["unshare", "-Urm", "sh", "-c", MOVED, sys.executable],
        env=box.env,
        capture_output=True,
        text=True,
        check=False,
    )
    if "no-mount" in done.stdout or "unshare" in done.stderr:
        pytest.skip("no user namespaces here")
    known = json.loads(done.stdout)

    assert known["state"]["folder"].startswith(f"{places.VAR_TMP}/attend-")
    assert "Read-only file system" in known["state"]["moved"]
    (said,) = (p for p in known["problems"] if p.startswith("the state is kept in "))
    assert said == (
        f"the state is kept in {known['state']['folder']}: {known['state']['moved']};"
        f" {places.MOVE}"
    )
    assert known["sessions"] == []
    assert SESSION not in done.stdout
