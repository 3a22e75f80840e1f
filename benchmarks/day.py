"""Whether a scripted day comes out the same through a host in a session and through a service.

Two processes let the same day pass, on a clock that goes only as far as somebody waits: one
with the host as a reader puts it together, one as a service does, with a manager that is told,
a watchdog that is fed, questions all the time and a reload each hour. What they tell is
compared.
"""

import difflib
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks import place
from benchmarks.figure import Figure, Options, Row, Taken

KINDS = ("embedded", "service")


class Day(Figure):
    """A day of three sessions, twice."""

    name = "day"

    def prepare(self, stack: ExitStack, options: Options) -> None:  # noqa: ARG002 - Figure's
        """Only remember; it passes when all else is done."""
        self._folder = options.folder
        self._told: dict[str, list[str]] = {}
        self._took_s = 0.0

    def alone(self, taken: Taken) -> None:  # noqa: ARG002 - Figure's
        """See `Figure.alone`."""
        started = time.monotonic()
        running = {kind: begun(self._folder, kind) for kind in KINDS}
        for kind, process in running.items():
            out, _ = process.communicate()
            if process.returncode:
                raise RuntimeError(f"the day of {kind} ended with {process.returncode}")
            self._told[kind] = out.splitlines()
        self._took_s = time.monotonic() - started

    def rows(self, taken: Taken) -> Sequence[Row]:  # noqa: ARG002 - Figure's
        """See `Figure.rows`."""
        one, other = (self._told[kind] for kind in KINDS)
        diff = list(difflib.unified_diff(one, other, *KINDS, lineterm="", n=0))
        if diff:
            sys.stderr.write("\n".join([*diff[:40], ""]))
        what = f"lines of a day that differ, of {len(one):,}, embedded and as a service"
        count = sum(line[:1] in "+-" for line in diff[2:])
        return [Row(what, f"{count or 'none'}", "none", bool(one) and not diff, float(count))]


def begun(folder: Path, kind: str, until: int = 24) -> "subprocess.Popen[str]":
    """Begin a day in a process and a home of its own; it ends at an hour."""
    home = folder / f"day-{kind}"
    home.mkdir()
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "ATTEND_HOME": str(home / "a"),
        "PYTHONPATH": str(place.ROOT),
        "PYTHONHASHSEED": "0",
    }
    line = [sys.executable, "-P", "-m", "benchmarks.day_passing", kind, str(until)]
    return subprocess.Popen(
        line, env=env, cwd=place.ROOT, stdout=subprocess.PIPE, text=True, stdin=-3
    )
