"""How soon it is told that somebody came or went, with nothing that holds it back."""

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from benchmarks import place
from benchmarks.figure import Figure, Options, Row, Sampler, Taken, at_most
from benchmarks.timing import Output
from tests.process.standin import Client

CAME = "session to line, come"
WENT = "session to line, gone"
LIMIT_MS = 500.0


class Presence(Figure):
    """From a client's record, or the end of its process, to the line of a session at work."""

    name = "presence"

    def prepare(self, stack: ExitStack, options: Options) -> None:
        """Attend to a client at work in a repository with a second work tree."""
        home = self._home = place.Home(options.folder / "presence")
        home.configure(place.OPEN_GATES)
        project = home.repository("project")
        self._beside = home.path / "beside"
        home.git(project, "worktree", "add", "-q", "-b", "beside", str(self._beside))
        client = Client(home.path, home.env, project)
        stack.callback(client.end)
        client.prompt()
        client.monitor()
        assert client.process.stdout is not None  # noqa: S101 - for the type checker
        self._out = Output(client.process.stdout.fileno())
        self._out.until(place.HEADER)
        self._stack = stack
        self._other: Client | None = None
        for take in self.samplers().values():
            take()

    def samplers(self) -> Mapping[str, Sampler]:
        """See `Figure.samplers`; in whatever order they are called."""
        return {CAME: self._came, WENT: self._went}

    def rows(self, taken: Taken) -> Sequence[Row]:
        """See `Figure.rows`."""
        return [
            at_most(
                f"session of others {what} to line",
                1e3 * taken.median(name),
                LIMIT_MS,
                "ms",
            )
            for name, what in ((CAME, "appears"), (WENT, "is gone"))
        ]

    def _came(self) -> float:
        self._end()
        return self._begin()

    def _went(self) -> float:
        if self._other is None:
            self._begin()
        return self._end()

    def _begin(self) -> float:
        self._out.drain()
        self._other = Client(self._home.path, self._home.env, self._beside)
        recorded = time.perf_counter()
        self._stack.callback(self._other.end)
        return self._out.until(b" appeared in this project") - recorded

    def _end(self) -> float:
        other, self._other = self._other, None
        if other is None:
            return 0.0
        self._out.drain()
        ended = time.perf_counter()
        other.record_path.unlink()
        other.end()
        return self._out.until(b" is gone") - ended
