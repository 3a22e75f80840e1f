"""How soon a commit by somebody else is told, with nothing that holds it back."""

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks import place
from benchmarks.figure import Figure, Options, Row, Sampler, Taken, at_most
from benchmarks.timing import Output, Program
from tests.process.standin import Client

TERMINAL = "commit to line, terminal"
AT_WORK = "commit to line, client at work"
LIMIT_MS = 600.0
_LINE = b"sensor=git"


class Change(Figure):
    """From the end of `git commit` to the line."""

    name = "change"

    def prepare(self, stack: ExitStack, options: Options) -> None:
        """Attend to a repository from a terminal, and to another one from a client at work."""
        home = self._home = place.Home(options.folder / "change")
        home.configure(place.OPEN_GATES)
        self._projects = {name: home.repository(f"p{at}") for at, name in enumerate(_NAMES)}
        reader = Program(
            [place.launcher(), "run", "--as=terminal"], home.env, self._projects[TERMINAL]
        )
        stack.callback(reader.end)
        reader.out.until(place.HEADER)
        client = Client(home.path, home.env, self._projects[AT_WORK])
        stack.callback(client.end)
        client.prompt()
        client.monitor()
        assert client.process.stdout is not None  # noqa: S101 - for the type checker
        out = Output(client.process.stdout.fileno())
        out.until(place.HEADER)
        home.looked("git", len(_NAMES))
        self._outputs = {TERMINAL: reader.out, AT_WORK: out}
        for name in _NAMES:  # the first one may find nothing watched yet, only polled
            self._sample(name)

    def samplers(self) -> Mapping[str, Sampler]:
        """See `Figure.samplers`."""
        return {name: lambda name=name: self._sample(name) for name in _NAMES}  # type: ignore[misc]

    def rows(self, taken: Taken) -> Sequence[Row]:
        """See `Figure.rows`."""
        where = {TERMINAL: "in a terminal", AT_WORK: "in a client at work"}
        return [
            at_most(
                f"commit by others to line, {where[name]}",
                1e3 * taken.median(name),
                LIMIT_MS,
                "ms",
            )
            for name in _NAMES
        ]

    def _sample(self, name: str) -> float:
        out: Output = self._outputs[name]
        project: Path = self._projects[name]
        out.drain()
        self._home.git(project, "commit", "-q", "--allow-empty", "-m", "More")
        committed = time.perf_counter()
        return out.until(_LINE) - committed


_NAMES = (TERMINAL, AT_WORK)
