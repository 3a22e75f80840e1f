"""What it costs to ask who is around: eight sessions in two projects, with long transcripts."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from benchmarks import place, timing
from benchmarks.commands import VERSION
from benchmarks.figure import Figure, Options, Row, Sampler, Taken, ratio_row
from tests.process.standin import Client

PEERS = "attend peers, 8 sessions"
BESIDE = f"{VERSION}, beside it"
LIMIT = 3.0
_SESSIONS = 8
_ROWS = 1000


class Peers(Figure):
    """`attend peers` beside `attend --version`."""

    name = "peers"

    def prepare(self, stack: ExitStack, options: Options) -> None:
        """Have clients at work."""
        self._home = place.Home(options.folder / "peers")
        self._attend = place.launcher()
        projects = [self._home.repository(name) for name in ("one", "two")]
        for at in range(_SESSIONS):
            client = Client(self._home.path, self._home.env, projects[at % 2])
            stack.callback(client.end)
            client.prompt()
            for tokens in range(_ROWS):
                client.answer(tokens)

    def samplers(self) -> Mapping[str, Sampler]:
        """See `Figure.samplers`."""
        env = self._home.env
        return {
            PEERS: lambda: timing.run([self._attend, "peers", "--all"], env),
            BESIDE: lambda: timing.run([self._attend, "--version"], env),
        }

    def rows(self, taken: Taken) -> Sequence[Row]:
        """See `Figure.rows`."""
        return [ratio_row(PEERS, taken, PEERS, LIMIT, to=BESIDE)]
