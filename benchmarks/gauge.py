"""What it costs to read how full a context is, from a short transcript and from a huge one."""

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from attendd.harness import ClaudeHarness, SessionView
from benchmarks.figure import TIMES, Figure, Options, Row, Sampler, Taken, at_most
from tests.transcripts import Written

SIZES_MB = (1, 500)
LIMIT = 1.5
READ_KIB = 256.0
_ANSWERS = 200
_LOOKS = 5


class GaugeFigure(Figure):
    """First looks, and looks at what has grown by a row, at both sizes."""

    name = "gauge"
    repeats = 3

    def prepare(self, stack: ExitStack, options: Options) -> None:  # noqa: ARG002 - Figure's
        """Write the transcripts; their ends are alike."""
        folder = options.folder / "gauge"
        self._harness = ClaudeHarness(folder)
        self._paths: dict[int, Path] = {}
        self._written: dict[int, Written] = {}
        for size in SIZES_MB:
            self._paths[size], self._written[size] = _transcript(folder, size)
        self._views = {size: self._view(size) for size in SIZES_MB}
        self._read = 0
        for view in self._views.values():
            view.refresh()

    def samplers(self) -> Mapping[str, Sampler]:
        """See `Figure.samplers`."""
        found: dict[str, Sampler] = {}
        for size in SIZES_MB:
            found[_first(size)] = lambda size=size: self._first_look(size)  # type: ignore[misc]
            found[_next(size)] = lambda size=size: self._next_look(size)  # type: ignore[misc]
        return found

    def rows(self, taken: Taken) -> Sequence[Row]:
        """See `Figure.rows`."""
        small, large = SIZES_MB
        first = taken.ratio(_first(large), _first(small))
        later = taken.ratio(_next(large), _next(small))
        span = f"{small} MB to {large} MB"
        ms = 1e3 * taken.median(_first(large))
        return [
            at_most("gauge: read after the first look", self._read / 1024, READ_KIB, "KiB"),
            at_most(f"gauge: first look ({ms:.1f} ms), {span}", first, LIMIT, TIMES),
            at_most(f"gauge: next look, {span}", later, LIMIT, TIMES),
        ]

    def _view(self, size: int) -> SessionView:
        path = self._paths[size]
        return self._harness.view(path.stem, None, "", str(path.parent), str(path))

    def _first_look(self, size: int) -> float:
        view = self._view(size)
        started = time.perf_counter()
        view.refresh()
        gauge = view.gauge()
        taken = time.perf_counter() - started
        if gauge is None or not gauge.tokens_used:
            raise RuntimeError(f"no gauge from {self._paths[size]}")
        return taken

    def _next_look(self, size: int) -> float:
        """Look several times after a row more each; one look alone is too short to time."""
        total = 0.0
        written = self._written[size]
        for _ in range(_LOOKS):
            written.answer(20_000 + len(written.rows))
            with self._paths[size].open("ab") as file:
                file.write(written.rows[-1] + b"\n")
            before = _bytes_read()
            started = time.perf_counter()
            self._views[size].refresh()
            self._views[size].gauge()
            total += time.perf_counter() - started
            self._read = max(self._read, _bytes_read() - before)
        return total / _LOOKS


def _first(size: int) -> str:
    return f"gauge: first look, {size} MB"


def _next(size: int) -> str:
    return f"gauge: next look, {size} MB"


def _bytes_read() -> int:
    return int(Path("/proc/self/io").read_text().split()[1])


def _transcript(folder: Path, size_mb: int) -> tuple[Path, Written]:
    written = Written()
    for at in range(_ANSWERS):
        written.prompt("x" * 1000)
        written.answer(10_000 + 100 * at)
    path = folder / "projects" / "p" / f"00000000-0000-4000-8000-{size_mb:012d}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    data = written.data
    with path.open("wb") as file:
        while file.tell() + len(data) < size_mb << 20:
            file.write(data)
    return path, written
