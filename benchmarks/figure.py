"""What a figure is: samples taken again and again, and the rows of the table they come to."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar, NamedTuple

TIMES = "\N{MULTIPLICATION SIGN}"
BARE = "bare interpreter"
"""The sample that most promises are ratios to: ``python -I -S -c pass``."""

Sampler = Callable[[], float]
"""Takes one sample and returns it, in seconds."""


class Options(NamedTuple):
    """How thorough a run is.

    Attributes:
        rounds: how often each sample is taken.
        idle_s: how long the idle host is watched.
        sessions: how many sessions it attends meanwhile.
        foreign: how many processes of others there are.
        files: how many files the large repository has.
        folder: an empty folder for whatever is made.
    """

    rounds: int
    idle_s: float
    sessions: int
    foreign: int
    files: int
    folder: Path


class Row(NamedTuple):
    """One line of the table.

    Attributes:
        what: what was measured.
        measured: the figure, with its unit.
        promise: what it may be; empty where nothing is promised.
        kept: whether it is; ``None`` where nothing is promised.
        value: the figure as a number.
    """

    what: str
    measured: str
    promise: str
    kept: bool | None
    value: float


class Taken:
    """The samples of one run, by name, in seconds."""

    def __init__(self) -> None:
        self.samples: dict[str, list[float]] = {}

    def add(self, name: str, seconds: float) -> None:
        """Keep a sample."""
        self.samples.setdefault(name, []).append(seconds)

    def median(self, name: str) -> float:
        """Return the median of a sample."""
        return statistics.median(self.samples[name])

    def ratio(self, name: str, to: str) -> float:
        """Return how many times one median is another."""
        return self.median(name) / self.median(to)

    def within(self, name: str, share: float) -> float:
        """Return the value below which such a share of the samples lies."""
        ordered = sorted(self.samples[name])
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    def summary(self) -> dict[str, dict[str, float]]:
        """Return what each sample comes to, in milliseconds."""
        return {
            name: {
                "n": len(values),
                "median_ms": 1e3 * statistics.median(values),
                "least_ms": 1e3 * min(values),
                "p90_ms": 1e3 * self.within(name, 0.9),
                "most_ms": 1e3 * max(values),
            }
            for name, values in sorted(self.samples.items())
        }


class Figure:
    """Something that is measured.

    Attributes:
        name: what it is asked for by.
        repeats: how many samples are taken in each round, for what is quick.
    """

    name: ClassVar[str]
    repeats: ClassVar[int] = 1

    def prepare(self, stack: ExitStack, options: Options) -> None:
        """Make what it needs, and have the stack end it."""

    def samplers(self) -> Mapping[str, Sampler]:
        """Return what to call once in each round, in no particular order."""
        return {}

    def alone(self, taken: Taken) -> None:
        """Measure, after all rounds, what nothing may disturb."""

    def rows(self, taken: Taken) -> Sequence[Row]:
        """Return what the samples come to."""
        raise NotImplementedError


def ratio_row(what: str, taken: Taken, name: str, limit: float, to: str = BARE) -> Row:
    """Hold the median of a sample to so many times that of another; 0 promises nothing."""
    value, ms = taken.ratio(name, to), 1e3 * taken.median(name)
    promise = f"≤ {limit:g} {TIMES} {to}" if limit else ""
    kept = value <= limit if limit else None
    return Row(what, f"{value:.2f} {TIMES} ({ms:.2f} ms)", promise, kept, value)


def at_most(what: str, value: float, limit: float, unit: str) -> Row:
    """Hold a figure to a limit in the same unit."""
    return Row(what, f"{value:.3g} {unit}", f"≤ {limit:g} {unit}", value <= limit, value)
