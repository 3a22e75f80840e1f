"""Commands that only look: they need no host and no folder, say what is so, and write nothing."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from attendd.cli import VERSION
from attendd.hot import attach, locks
from tests.process.box import Box
from tests.process.seeding import OTHER, SESSION, Seed, told_twice

LOOKING = (
    ("status",),
    ("sensors",),
    ("whoami",),
    ("why",),
    ("why", "--silence"),
    ("log",),
    ("privacy",),
    ("inbox",),
    ("sent",),
    ("channels",),
    ("mute", "--list"),
    ("cleanup", "--dry-run"),
    ("config", "show"),
    ("config", "path"),
)


def contents(folder: Path) -> dict[str, str]:
    """Return what lies below a folder, without the empty files that SQLite's readers lay."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file()
        else ""
        for path in sorted(folder.rglob("*"))
        if not path.name.endswith("-shm")
        and not (path.name.endswith("-wal") and not path.stat().st_size)
    }


def nothing(box: Box) -> None:
    """Leave the home as it is: attend has never run."""
    del box


def begun(box: Box) -> None:
    """Have a folder, and no file in it."""
    box.state.mkdir(mode=0o700, parents=True)


def closed(box: Box) -> None:
    """Have a store that its last user closed."""
    seed = Seed(box)
    told_twice(seed)
    seed.close()


def killed(box: Box) -> None:
    """Have a store as its last user left it that was killed: with its WAL."""
    seed = Seed(box)
    told_twice(seed)
    shutil.copytree(box.state, box.home / "copy")
    seed.close()
    shutil.rmtree(box.state)
    (box.home / "copy").rename(box.state)


@pytest.mark.parametrize("prepare", [nothing, begun, closed, killed])
@pytest.mark.parametrize("words", LOOKING, ids=" ".join)
def test_looking_writes_nothing(
    box: Box, words: tuple[str, ...], prepare: Callable[[Box], None]
) -> None:
    prepare(box)
    before = contents(box.home)
    for more in ((), ("--json",)):
        done = box.run(*words, *more)

        assert (done.returncode, done.stderr) == (0, "")
    assert contents(box.home) == before


READ_ONLY = """
mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || { echo no-mount; exit 0; }
shift
exec "$@"
"""


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare(1)")
@pytest.mark.parametrize("words", LOOKING, ids=" ".join)
def test_looking_works_where_nothing_can_be_written(box: Box, words: tuple[str, ...]) -> None:
    killed(box)
    command = [sys.executable, "-P", "-m", "attendd", *words]
    done = subprocess.run(
        ["unshare", "-Urm", "sh", "-c", READ_ONLY, "sh", str(box.home / "attend"), *command],
        env=box.env,
        capture_output=True,
        text=True,
        check=False,
    )
    if "no-mount" in done.stdout or "unshare" in done.stderr:
        pytest.skip("no user namespaces here")

    assert (done.returncode, done.stderr) == (0, "")


def test_status_names_the_host_the_readers_and_how_the_ways_fare(box: Box) -> None:
    seed = Seed(box)
    told_twice(seed)
    lock = locks.take(
        str(box.state / "host.lock"), f"{os.getpid()} {attach.own_start()} embedded {VERSION}"
    )
    done = box.run("status")
    known = json.loads(box.run("status", "--json").stdout)
    assert lock is not None
    os.close(lock)
    after = json.loads(box.run("status", "--json").stdout)

    assert f"embedded in `attend run`, pid {os.getpid()}, release {VERSION}" in done.stdout
    assert "38655051  /w" in done.stdout
    assert (known["host"]["pid"], known["host"]["kind"]) == (os.getpid(), "embedded")
    assert [s["session"] for s in known["sessions"]] == [SESSION]
    assert known["conduits"][0]["conduit"] == "monitor"
    assert round(known["conduits"][0]["latency_ms"]) == 4
    assert after["host"] is None  # its note is still there, but nobody holds the lock
    assert "nobody runs the loop" in " ".join(after["problems"])
    assert not any(problem.startswith("the reader of") for problem in known["problems"])


def test_status_says_what_is_wrong(box: Box) -> None:
    seed = Seed(box)
    gone = subprocess.Popen(["true"])
    gone.wait()
    seed.session(pid=gone.pid)
    seed.session("as:builder")
    seed.health(
        state="failing", failures=3, detail="git was not found", attachment="a-as:builder"
    )
    seed.close()
    (box.state / "attend.db.damaged-20260101T000000Z").touch()
    (box.home / "attend" / "config.toml").write_text("[governor]\ngap = 3\n")
    done = box.run("status")

    assert done.returncode == 0
    assert "builder" in done.stdout
    assert "(declared)" in done.stdout
    assert "git was not found" in done.stdout
    assert "config.toml: governor.gap: unknown key" in done.stdout
    assert "a damaged file was set aside" in done.stdout
    assert f"pid {gone.pid}, is gone without a word" in done.stdout


def test_what_a_terminal_is_shown_fits_it_and_cannot_move_its_cursor(box: Box) -> None:
    seed = Seed(box)
    seed.session(workdir="/evil\x1b]0;owned\x07/日本語" + "x" * 300)
    seed.wrote("observed", "branch \x1b[2J\u202egnp.exe\nsecond line", kind="observation")
    seed.close()
    for words in (("status",), ("log",), ("sensors",)):
        done = box.run(*words)

        assert not [c for c in done.stdout if c != "\n" and (ord(c) < 32 or c in "\x7f\u202e")]


def test_a_damaged_store_is_said_and_left_alone(box: Box) -> None:
    seed = Seed(box)
    seed.session()
    seed.close()
    path = box.state / "attend.db"
    path.write_bytes(b"this is no database" * 500)
    before = contents(box.home)
    for words in (("status",), ("why",), ("whoami",)):
        done = box.run(*words)

        assert done.returncode == 5
        assert done.stderr.startswith("attend: ")
        assert "hint: " in done.stderr
    assert contents(box.home) == before


def test_a_home_that_cannot_be_one_is_one_sentence(box: Box) -> None:
    done = box.run("status", env={"ATTEND_HOME": "relative"})

    assert done.returncode == 5
    assert done.stderr.splitlines() == [
        "attend: ATTEND_HOME is 'relative'",
        "  hint: set it to an absolute path",
    ]


def test_sensors_shows_how_each_is_set_and_what_it_holds(box: Box) -> None:
    seed = Seed(box)
    seed.session()
    seed.session(OTHER, "/elsewhere")
    seed.health(pending=3.0, held="held.gap", told=2)
    seed.close()
    (box.home / "attend" / "config.toml").write_text("[sensors.git]\nthreshold = 4.5\n")
    known = json.loads(box.run("sensors", "--json").stdout)
    said = box.run("sensors").stdout

    git = next(s for s in known["sensors"] if s["sensor"] == "git")
    assert (git["threshold"], git["interval_s"], git["enabled"]) == (4.5, 30.0, True)
    assert [s["session"] for s in known["sessions"]] == [SESSION, OTHER]
    assert known["sessions"][0]["sensors"][0]["held"] == "held.gap"
    assert known["rejected"] == []
    assert "peers" in known["lacking"]  # a host that looks for git alone
    assert "peers: the running host does not have it" in said
    assert "git: the running host" not in said
    assert "3 of 2" in said
    assert "the last batch was just now" in said


def test_one_sensor_may_be_asked_for_by_its_name(box: Box) -> None:
    seed = Seed(box)
    seed.session()
    seed.health(pending=3.0, held="held.gap", told=2)
    seed.close()
    known = json.loads(box.run("sensors", "git", "--json").stdout)
    unknown = box.run("sensors", "gti")

    assert [each["sensor"] for each in known["sensors"]] == ["git"]
    assert [row["sensor"] for s in known["sessions"] for row in s["sensors"]] == ["git"]
    assert (known["lacking"], known["rejected"], known["failed"]) == ([], [], None)
    assert unknown.returncode == 2
    assert unknown.stderr == (
        "attend: sensors: there is no sensor or plugin 'gti'\n  hint: did you mean git?\n"
    )


def test_whoami_at_a_terminal_says_so(box: Box) -> None:
    done = box.run("whoami", "--json")
    known = json.loads(done.stdout)

    assert done.returncode == 0
    assert known["how"] == "terminal"
    assert known["session"].startswith("tty:")
    assert known["listener"] is None


def test_whoami_marks_a_name_of_its_own_choosing(box: Box) -> None:
    seed = Seed(box)
    seed.session("as:builder")
    seed.close()
    done = box.run("whoami", env={"ATTEND_AS": "builder"})

    assert done.returncode == 0
    assert "as:builder (declared, not verified)" in done.stdout
    assert f"monitor, pid {os.getpid()}" in done.stdout


def test_whoami_without_an_answer_says_why_and_ends_with_4(box: Box) -> None:
    done = box.run("whoami", env={"CLAUDE_PID": "1"})
    known = box.run("whoami", "--json", env={"CLAUDE_PID": "1"})

    assert (done.returncode, known.returncode) == (4, 4)
    assert "session  not known" in done.stdout
    assert json.loads(known.stdout)["session"] is None
