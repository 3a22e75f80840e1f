"""Sixteen senders at a human pace, beside one alone."""

import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack

from benchmarks import place, timing
from benchmarks.figure import TIMES, Figure, Options, Row, Taken, at_most

WRITERS = 16
LIMIT = 20.0
EACH = 40
"""Sends of each writer in a go."""

ALONE = "a send of one writer"
MANY = f"a send of {WRITERS} writers"


class Writers(Figure):
    """Each send opens the store, commits as `attend send` does, and rings."""

    name = "writers"

    def prepare(self, stack: ExitStack, options: Options) -> None:
        """Have somebody listen."""
        self._home = place.Home(options.folder / "writers")
        reader = timing.Program(
            [place.launcher(), "run", "--as=reader"], self._home.env, self._home.path
        )
        stack.callback(reader.end)
        reader.out.until(place.HEADER)
        self._rounds = max(1, options.rounds // 8)

    def alone(self, taken: Taken) -> None:
        """Let one write, then all, several times over."""
        for _ in range(self._rounds):
            for name, count in ((ALONE, 1), (MANY, WRITERS)):
                for seconds in self._write(count):
                    taken.add(name, seconds)

    def rows(self, taken: Taken) -> Sequence[Row]:
        """See `Figure.rows`."""
        p99, median = taken.within(MANY, 0.99), taken.median(ALONE)
        what = f"{WRITERS} paced writers: p99 ({1e3 * p99:.1f} ms) to median of one"
        return [at_most(what, p99 / median, LIMIT, TIMES)]

    def _write(self, count: int) -> list[float]:
        writer = str(place.ROOT / "benchmarks" / "writer.py")
        running = [
            subprocess.Popen(
                [sys.executable, "-I", "-S", writer, str(at), str(EACH)],
                env=self._home.env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for at in range(count)
        ]
        time.sleep(1.0)  # all have started
        said = [process.communicate("", timeout=120)[0] for process in running]
        if any(process.returncode for process in running):
            raise RuntimeError("a writer failed")
        return [float(line) for text in said for line in text.split()]
