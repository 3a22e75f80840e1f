"""How soon after its start `attend run` teaches, in a new home and in a known one."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import count

from benchmarks import place
from benchmarks.figure import Figure, Options, Row, Sampler, Taken, ratio_row
from benchmarks.timing import Program

FRESH = "first disclosure, fresh"
WARM = "first disclosure, warm"
LIMIT = 30.0


class Start(Figure):
    """From the launcher to the first line, each time by another process."""

    name = "start"

    def prepare(self, stack: ExitStack, options: Options) -> None:  # noqa: ARG002 - Figure's
        """Make a repository and a store."""
        self._home = place.Home(options.folder / "start")
        self._project = self._home.repository("project")
        self._attend = place.launcher()
        self._numbers = count()
        self._first("warm")

    def samplers(self) -> Mapping[str, Sampler]:
        """See `Figure.samplers`."""
        return {
            FRESH: lambda: self._first(f"fresh{next(self._numbers)}"),
            WARM: lambda: self._first("warm"),
        }

    def rows(self, taken: Taken) -> Sequence[Row]:
        """See `Figure.rows`."""
        return [
            ratio_row("start to first disclosure, new home", taken, FRESH, LIMIT),
            ratio_row("start to first disclosure, known home", taken, WARM, LIMIT),
        ]

    def _first(self, home: str) -> float:
        env = {**self._home.env, "ATTEND_HOME": str(self._home.path / home)}
        program = Program([self._attend, "run", "--as=bench"], env, self._project)
        try:
            return program.out.until(place.HEADER) - program.started
        finally:
            program.end()
