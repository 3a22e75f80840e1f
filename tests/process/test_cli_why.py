"""`attend why` and `attend log`: the journal and the store, put together again."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from attendd.hot import db, ledger
from tests.process.box import Box, Reading
from tests.process.reading import eventually
from tests.process.seeding import GAP, OTHER, SESSION, Seed, told_twice


@pytest.fixture
def seed(box: Box) -> Seed:
    """A box with a little history."""
    seed = Seed(box)
    told_twice(seed)
    return seed


def test_why_tells_a_line_from_its_observation_to_its_delivery(box: Box, seed: Seed) -> None:
    seed.close()
    done = box.run("why", "k3f9")
    batch = json.loads(box.run("why", "k3f9q2xm", "--json").stdout)["batches"][0]

    assert (done.returncode, done.stderr) == (0, "")
    assert "batch k3f9q2xm" in done.stdout
    assert "shown by monitor in 4 ms" in done.stdout
    assert "  [attend sensor=git priority=high] 1 new commit by Mira" in done.stdout
    assert f"the last batch was just now ({GAP})" in done.stdout
    assert batch["session"] == SESSION
    assert batch["delivery"]["state"] == "offered"
    assert [line["code"] for line in batch["lines"]] == ["fired"]
    history = [step["code"] for step in batch["lines"][0]["history"]]
    assert history == ["observed", "held.gap", "merged"]


def test_why_without_an_id_speaks_of_the_latest(box: Box, seed: Seed) -> None:
    for number in range(4):
        seed.batch(f"batch{number}", f"[attend sensor=git priority=high] line {number}\n")
    seed.close()
    three = json.loads(box.run("why", "--json").stdout)["batches"]
    five = json.loads(box.run("why", "--last", "5", "--json").stdout)["batches"]

    assert [batch["batch"] for batch in three] == ["batch1", "batch2", "batch3"]
    assert len(five) == 5
    assert "line 3" in box.run("why").stdout


def test_why_knows_what_it_does_not_know(box: Box, seed: Seed) -> None:
    seed.close()
    batch = box.run("why", "zzz")
    session = box.run("why", "--session", "zzz")
    many = Seed(box)
    many.session("38655051-another")
    many.close()
    several = box.run("why", "--session", "38655051")

    assert (batch.returncode, session.returncode, several.returncode) == (1, 4, 4)
    assert batch.stderr.startswith(
        "attend: nothing is known that has the id 'zzz', or one that begins so\n  hint: "
    )
    assert session.stderr.startswith("attend: no session is known as 'zzz'\n  hint: ")
    assert "is the beginning of 2 sessions" in several.stderr


def test_silence_names_the_gate_and_the_number_that_decides(box: Box, seed: Seed) -> None:
    seed.wrote("held.gap", "branch changed", detail=f"item 7, {GAP}")
    seed.wrote("faded", "12 files changed", detail="item 5")
    seed.health(pending=3.0, held="held.gap")
    seed.close()
    said = box.run("why", "--silence")
    known = json.loads(box.run("why", "--silence", "--json").stdout)["sessions"][0]

    assert said.returncode == 0
    assert known["session"] == SESSION
    assert known["held"][0]["number"] == GAP
    assert known["held"][0]["text"] == "branch changed"
    assert [quiet["code"] for quiet in known["quiet"]] == ["own", "faded"]
    assert GAP in said.stdout
    assert "none: nobody looks, so nothing is noticed" in said.stdout
    assert "it stayed below the threshold until nothing of it was left" in said.stdout


def test_silence_says_by_how_much_a_threshold_is_missed(box: Box, seed: Seed) -> None:
    seed.health(pending=1.25, held="held.below-threshold")
    seed.close()
    known = json.loads(box.run("why", "--silence", "--json").stdout)["sessions"][0]

    assert known["held"][0]["number"] == "1.25 of 2.00"
    assert known["held"][0]["meaning"] == "not enough has come together"


def test_silence_says_that_the_output_takes_nothing(box: Box, seed: Seed) -> None:
    opened = db.connect(seed.path)
    ledger.blocked(opened, f"a-{SESSION}", time.time())
    opened.close()
    seed.close()

    assert "has taken nothing for" in box.run("why", "--silence").stdout


def test_silence_counts_as_told_what_was_shown_and_not_what_waits(box: Box) -> None:
    seed = Seed(box)
    seed.session(workdir=box.home)
    seed.batch("k3f9q2xm", "[attend sensor=git priority=low] it waits\n", offered=False)
    waits = json.loads(box.run("why", "--silence", "--json").stdout)["sessions"][0]
    said = box.run("why", "--silence").stdout
    seed.batch("k3f9q2xn", "[attend sensor=git priority=low] it was shown\n")
    shown = json.loads(box.run("why", "--silence", "--json").stdout)["sessions"][0]

    assert waits["told_at"] is None
    assert "nothing is held now, and nothing was let go in the last hour" in said
    assert shown["told_at"] is not None


def test_silence_of_nobody(box: Box) -> None:
    done = box.run("why", "--silence")

    assert (done.returncode, done.stdout) == (
        0,
        "no session is attended, so nobody is told anything\n",
    )


def test_a_project_hears_of_its_own_sessions_first(box: Box) -> None:
    here, elsewhere = box.home / "here", box.home / "elsewhere"
    seed = Seed(box)
    for session, folder in ((SESSION, here), (OTHER, elsewhere)):
        folder.mkdir()
        seed.session(session, folder)
    seed.close()
    said = box.run("why", "--silence", "--json", cwd=here)

    assert [s["session"] for s in json.loads(said.stdout)["sessions"]] == [SESSION]


def test_a_journal_that_was_deleted_leaves_what_the_store_knows(box: Box, seed: Seed) -> None:
    seed.close()
    for path in box.state.glob("journal.db*"):
        path.unlink()
    done = box.run("why", "k3f9")

    assert done.returncode == 0
    assert "1 new commit by Mira" in done.stdout


def test_the_log_is_one_line_for_each_entry(box: Box, seed: Seed) -> None:
    seed.wrote("observed", "first\nsecond " + "x" * 500, kind="observation")
    seed.wrote("held.rate", "too old", at=seed.wall - 7200)
    seed.close()
    lines = box.run("log").stdout.splitlines()
    entries = json.loads(box.run("log", "--json").stdout)["entries"]
    older = json.loads(box.run("log", "--since", "3h", "--json").stdout)["entries"]
    other = box.run("log", "--session", SESSION[:4]).stdout.splitlines()

    assert len(lines) == len(entries) == len(other) == 7
    assert len(older) == 8
    assert "first⏎second" in lines[-1]
    assert len(lines[-1]) < 250
    assert entries[-1]["text"].endswith("x" * 500)


def follow(box: Box, *words: str) -> Reading:
    return Reading(
        subprocess.Popen(
            [sys.executable, "-P", "-m", "attendd", "log", "--follow", *words],
            env=box.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    )


def test_following_shows_what_is_written_meanwhile(box: Box, seed: Seed) -> None:
    reading = follow(box)
    try:
        reading.out.until("k3f9q2xm")
        seed.wrote("observed", "and one more", kind="observation")
        told = reading.out.line()
        code = reading.kill(signal.SIGINT)
    finally:
        reading.end()

    assert "and one more" in told
    assert code == 130


def test_following_waits_for_a_journal_that_is_not_there_yet(box: Box) -> None:
    """Also where the folder is missing: whoever debugs a start begins with this."""
    reading = follow(box, "--json")
    try:
        seed = Seed(box)
        seed.wrote("observed", "at last", kind="observation")
        told = json.loads(reading.out.line())
    finally:
        reading.end()

    assert told["text"] == "at last"


def watches(pid: int) -> bool:
    """Tell whether a process waits for changes of files; it may close one while it is asked."""
    opened = list(Path(f"/proc/{pid}/fd").iterdir())
    return any("inotify" in str(fd.readlink()) for fd in opened if fd.is_symlink())


def test_following_waits_for_a_journal_that_is_only_being_made(box: Box) -> None:
    """Whoever looks between the file and its tables has no journal yet, and looks again."""
    box.state.mkdir(mode=0o700, parents=True)
    (box.state / "journal.db").touch(mode=0o600)
    reading = follow(box)
    try:
        eventually(lambda: watches(reading.process.pid))
        seed = Seed(box)
        seed.wrote("observed", "at last", kind="observation")
        reading.out.until("at last")
    finally:
        reading.end()


def test_following_outlives_a_journal_that_is_deleted(box: Box, seed: Seed) -> None:
    reading = follow(box)
    try:
        reading.out.until("k3f9q2xm")
        seed.close()
        for path in box.state.glob("journal.db*"):
            path.unlink()
        seed.wrote("observed", "begun anew", kind="observation")
        reading.out.until("begun anew")
    finally:
        reading.end()


def test_following_ends_when_nobody_reads(box: Box, seed: Seed) -> None:
    reading = follow(box)
    try:
        reading.out.until("k3f9q2xm")
        assert reading.process.stdout is not None
        reading.process.stdout.close()
        seed.wrote("observed", "to nobody", kind="observation")
        code = reading.process.wait(20)
        said = reading.err.end()
    finally:
        reading.end()

    assert (code, said) == (141, [])


def test_an_entry_of_every_kind_can_be_said(box: Box) -> None:
    seed = Seed(box)
    seed.wrote("host.stopped", kind="host", session="", attachment="", sensor="", magnitude=0.0)
    seed.close()

    assert "host.stopped" in box.run("log").stdout
    assert Path(seed.path).exists()
