"""A clock is set while a session is attended, or is another for whom it hears: nobody notices."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from attendd.hot import wishes
from tests.process.box import DEADLINE_S, HOT, Box, eventually
from tests.process.plugging import Plugged
from tests.process.posting import Office
from tests.process.talking import BOB, id_in, listen, send, settled
from tests.process.test_host import taught

SET = """
import os, time

_real = time.time
_file = os.environ["HOME"] + "/step"

def _stepped():
    try:
        with open(_file) as file:
            return _real() + float(file.read() or 0)
    except OSError:
        return _real()

time.time = _stepped
"""
"""Has a process see a wall clock as somebody sets it."""
STEPPED = f"""
from attendd.api import hookimpl
{SET}
@hookimpl
def attend_sensors():
    return []
"""
"""A plugin that does so to its host."""


@pytest.mark.parametrize("step_s", [3600.0, -3600.0])
def test_a_clock_that_is_set_holds_nothing_back_and_repeats_nothing(
    box: Box, step_s: float
) -> None:
    box.open_gates()
    project = box.repository()
    reading = Plugged(box, {"stepped": STEPPED}).reader(project, "--as=me")
    taught(reading)
    box.looked()

    set_clock(box, step_s)
    box.git(project, "switch", "-q", "-c", "feat/x")
    reading.out.until("branch changed: main → feat/x")
    assert box.hot("send", "--to", "me", "the first").returncode == 0
    reading.out.until("the first")
    set_clock(box, 0.0)
    box.git(project, "switch", "-q", "main")
    reading.out.until("branch changed: feat/x → main")
    assert box.hot("send", "--to", "me", "the second").returncode == 0
    reading.out.until("the second")

    for words in (["status"], ["sensors"], ["why"], ["why", "--silence"], ["log"]):
        done = box.run(*words)
        assert (done.returncode, done.stderr) == (0, ""), words
    shown = box.run("log", "--since", "3h").stdout
    assert shown.count("  fired  ") == shown.count("  observed  ") == 3
    assert reading.out.more(0.0) is None
    eventually(lambda: "to be looked at" not in box.run("status").stdout)


SENDER = """
import sys, time
real, ahead = time.time, float(sys.argv[1])
time.time = lambda: real() + ahead
sys.argv[:] = sys.argv[2:]
with open(sys.argv[0], encoding="utf-8") as file:
    exec(compile(file.read(), sys.argv[0], "exec"), {"__name__": "__main__", "__file__": sys.argv[0]})
"""
"""A real sender, with another wall clock than everybody else."""
WALL = [sys.executable, "-I", "-S", "-c", SENDER]
BOOT = ["unshare", "--time", "--fork", "--boottime", "600", "--monotonic", "600", *WALL, "0"]
"""A sender whose machine has been up for ten minutes longer, as it sees it."""


@pytest.mark.parametrize(
    "clock", [[*WALL, "600"], [*WALL, "-600"], BOOT], ids=["ahead", "behind", "up for longer"]
)
def test_a_sender_with_another_clock_is_heard_at_once_and_once(
    box: Box, office: Office, web: Path, clock: list[str]
) -> None:
    if clock == BOOT and (os.geteuid() != 0 or shutil.which("unshare") is None):
        pytest.skip("only root can have another clock of that kind")
    wishes.keep(office.db, {"gap_s": "0.0"})
    alice = listen(box, office, web)

    done = subprocess.run(
        [*clock, str(HOT), "send", "--as=bob", "strange days"],
        cwd=web,
        env=box.env,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=True,
    )
    strange = id_in(done.stdout)
    assert alice.out.line() == f"{BOB}, to this project #{strange}: strange days"
    usual = id_in(send(box, web, "--to", "alice", "usual days"))
    alice.out.until(f"#{usual}: usual days")
    settled(office, "offered", 2)

    sql = "SELECT latency_ms BETWEEN 0 AND 20000, repeats FROM delivery WHERE message = ?"
    assert office.db.execute(sql, (strange,)).fetchall() == [(1, 0)]
    shown = [box.run("inbox", "--as=alice"), box.run("sent", "--as=bob"), box.run("status")]
    assert [(each.returncode, each.stderr) for each in shown] == [(0, "")] * 3
    assert all(f"#{each}" in shown[0].stdout for each in (strange, usual))
    assert alice.out.more(0.0) is None


def set_clock(box: Box, step_s: float) -> None:
    """Set the clock of the process that reads the file, all at once."""
    fresh = Path(box.home, "step.new")
    fresh.write_text(str(step_s))
    fresh.replace(box.home / "step")
