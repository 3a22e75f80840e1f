"""The wall clock is set by an hour while a session is attended: nobody notices."""

from pathlib import Path

import pytest

from tests.process.box import Box, eventually
from tests.process.plugging import Plugged
from tests.process.test_host import taught

STEPPED = """
import os, time
from attendd.api import hookimpl

_real = time.time
_file = os.environ["HOME"] + "/step"

def _stepped():
    try:
        with open(_file) as file:
            return _real() + float(file.read() or 0)
    except OSError:
        return _real()

time.time = _stepped

@hookimpl
def attend_sensors():
    return []
"""
"""A plugin that has the process see a wall clock as somebody sets it."""


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


def set_clock(box: Box, step_s: float) -> None:
    """Set the clock of the process that reads the file, all at once."""
    fresh = Path(box.home, "step.new")
    fresh.write_text(str(step_s))
    fresh.replace(box.home / "step")
