"""Measures what is promised, all of it in one run, and prints one table.

Samples of all figures are taken in turns and in random order, so that whatever else the machine
does meanwhile touches all of them alike; figures are ratios of medians wherever they can be.
"""

import argparse
import json
import os
import platform
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from attendd.cli.table import table, width_of
from benchmarks import figure, place, timing
from benchmarks.change import Change
from benchmarks.commands import Commands, Hostile
from benchmarks.crowd import Crowd
from benchmarks.day import Day
from benchmarks.figure import Figure, Options, Row, Sampler, Taken
from benchmarks.gauge import GaugeFigure
from benchmarks.git_look import GitLook
from benchmarks.many import Many
from benchmarks.memory import Memory
from benchmarks.messages import Messages
from benchmarks.peers import Peers
from benchmarks.percepts import Percepts
from benchmarks.presence import Presence
from benchmarks.service import Service
from benchmarks.start import Start
from benchmarks.unread import Unread
from benchmarks.writers import Writers

FIGURES: tuple[type[Figure], ...] = (
    Commands, Hostile, Messages, Writers, Unread, Start, Change, Presence, GaugeFigure, GitLook,
    Memory, Percepts, Day, Service, Many, Peers, Crowd,
)  # fmt: skip
ROUNDS, QUICK_ROUNDS = 31, 7
_BARE_REPEATS = 3


def main(words: Sequence[str] | None = None) -> int:
    """Measure, print, and return 1 if a promise is not kept."""
    asked = _parse(words)
    chosen = [each for each in FIGURES if not asked.figures or each.name in asked.figures]
    folder = Path(tempfile.mkdtemp(prefix="ab-", dir="/tmp"))  # sockets want a short path
    options = Options(
        rounds=asked.rounds or (QUICK_ROUNDS if asked.quick else ROUNDS),
        idle_s=asked.idle or (20.0 if asked.quick else 60.0),
        sessions=64,
        foreign=500,
        files=50_000,
        folder=folder,
    )
    started = time.monotonic()
    try:
        rows, taken = measure(chosen, options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    result = _result(rows, taken, options, time.monotonic() - started)
    if asked.json:
        print(json.dumps(result, indent=1))
    else:
        print("\n".join(_lines(rows, result)))
    return 1 if any(row.kept is False for row in rows) else 0


def measure(chosen: Sequence[type[Figure]], options: Options) -> tuple[list[Row], Taken]:
    """Take all samples of some figures; return the rows and the samples."""
    taken = Taken()
    with ExitStack() as stack:
        figures = [each() for each in chosen]
        for each in figures:
            _say(f"preparing {each.name}")
            each.prepare(stack, options)
        _interleave(figures, options.rounds, taken)
        for each in figures:
            _say(f"finishing {each.name}")
            each.alone(taken)
        rows = [row for each in figures for row in each.rows(taken)]
    return rows, taken


def _interleave(figures: Sequence[Figure], rounds: int, taken: Taken) -> None:
    env = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}

    def bare() -> float:
        return timing.run(place.BARE, env)

    turns: list[tuple[str, Sampler]] = [(figure.BARE, bare)] * _BARE_REPEATS
    for each in figures:
        turns += [*each.samplers().items()] * each.repeats
    for _, take in turns:  # so that files are in memory and what is compiled is compiled
        take()
    for at in range(rounds):
        _say(f"round {at + 1} of {rounds}")
        for name, take in random.sample(turns, len(turns)):
            taken.add(name, take())


def _parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument(
        "figures", nargs="*", metavar="FIGURE", help=", ".join(each.name for each in FIGURES)
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--quick", action="store_true", help="a short pass")
    parser.add_argument("--rounds", type=int, help=f"samples of each (default {ROUNDS})")
    parser.add_argument("--idle", type=float, metavar="S", help="how long to watch it idle")
    asked = parser.parse_args(words)
    unknown = set(asked.figures) - {each.name for each in FIGURES}
    if unknown:
        parser.error(f"there is no figure {', '.join(sorted(unknown))}")
    return asked


def _lines(rows: Sequence[Row], result: dict[str, Any]) -> list[str]:
    kept = {True: "yes", False: "NO", None: ""}
    grid = [(row.what, row.measured, row.promise, kept[row.kept]) for row in rows]
    machine = result["machine"]
    bare = result["samples"][figure.BARE]["median_ms"]
    return [
        *table(("what", "measured", "promise", "kept"), grid, width_of()),
        f"{figure.BARE}: {bare:.2f} ms; Python {machine['python']}, {machine['cores']} cores,"
        f" load {machine['load']:.1f}, {result['seconds']:.0f} s",
    ]


def _result(
    rows: Sequence[Row], taken: Taken, options: Options, seconds: float
) -> dict[str, Any]:
    return {
        "rows": [row._asdict() for row in rows],
        "samples": taken.summary(),
        "options": {k: v for k, v in options._asdict().items() if k != "folder"},
        "seconds": seconds,
        "machine": {
            "python": platform.python_version(),
            "system": platform.platform(),
            "cores": len(os.sched_getaffinity(0)),
            "load": os.getloadavg()[0],
        },
    }


def _say(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}\r")
        sys.stderr.flush()
