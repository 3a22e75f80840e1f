"""How soon it is told that somebody came or went, with nothing that holds it back."""

import subprocess
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
POLL_S = 2.0
"""How often it is looked where nothing can be watched: half a minute would take long."""
UNWATCHED = 5
"""So many samples are taken there; the longest counts."""

_POLLED = f"[sensors.peers]\ninterval_s = {POLL_S}\nmin_interval_s = {POLL_S}\n"
_NO_WATCHES = "echo 0 >/proc/sys/user/max_inotify_instances"


class Street:
    """A client at work in a repository, and another that comes to its second work tree."""

    def __init__(
        self, stack: ExitStack, home: place.Home, settings: str = "", limit: str = ""
    ) -> None:
        """Arm its monitor, in a namespace that is limited by a shell's command."""
        self._home, self._stack = home, stack
        home.configure(place.OPEN_GATES + settings)
        project = home.repository("project")
        self._beside = home.path / "beside"
        home.git(project, "worktree", "add", "-q", "-b", "beside", str(self._beside))
        client = Client(home.path, home.env, project)
        stack.callback(client.end)
        client.prompt()
        client.monitor(
            before=f"unshare -U -r sh -c '{limit} && exec \"$@\"' sh" if limit else ""
        )
        assert client.process.stdout is not None  # noqa: S101 - for the type checker
        self._out = Output(client.process.stdout.fileno())
        self._out.until(place.HEADER)
        home.looked("peers")
        self._other: Client | None = None
        self.come()
        self.go()

    def come(self) -> float:
        """Have somebody come; return how long it took until that was told."""
        self.go()
        self._out.drain()
        self._other = Client(self._home.path, self._home.env, self._beside)
        recorded = time.perf_counter()
        self._stack.callback(self._other.end)
        return self._out.until(b" appeared in this project") - recorded

    def go(self) -> float:
        """The same for who is there and goes; 0 where nobody is."""
        other, self._other = self._other, None
        if other is None:
            return 0.0
        self._out.drain()
        ended = time.perf_counter()
        other.record_path.unlink()
        other.end()
        return self._out.until(b" is gone") - ended


class Presence(Figure):
    """From a client's record, or the end of its process, to the line of a session at work."""

    name = "presence"

    def prepare(self, stack: ExitStack, options: Options) -> None:
        """Attend to a client whose neighbours' records are watched."""
        self._stack = stack
        self._unwatched = place.Home(options.folder / "unwatched")
        self._street = Street(stack, place.Home(options.folder / "presence"))
        self._rows: list[Row] = []

    def samplers(self) -> Mapping[str, Sampler]:
        """See `Figure.samplers`; in whatever order they are called."""
        return {CAME: self._street.come, WENT: self._went}

    def alone(self, taken: Taken) -> None:  # noqa: ARG002 - Figure's
        """See `Figure.alone`: where the system grants no watch."""
        tried = subprocess.run(["unshare", "-U", "-r", "sh", "-c", _NO_WATCHES], check=False)
        if tried.returncode:
            return  # no namespace of users can be had here
        street = Street(self._stack, self._unwatched, _POLLED, _NO_WATCHES)
        longest = max(street.come() for _ in range(UNWATCHED))
        what = (
            f"the same without watches, polled every {POLL_S:.0f} s, the longest of {UNWATCHED}"
        )
        self._rows.append(at_most(what, longest, POLL_S + LIMIT_MS / 1e3, "s"))

    def rows(self, taken: Taken) -> Sequence[Row]:
        """See `Figure.rows`."""
        watched = [
            at_most(
                f"session of others {what} to line", 1e3 * taken.median(name), LIMIT_MS, "ms"
            )
            for name, what in ((CAME, "appears"), (WENT, "is gone"))
        ]
        return [*watched, *self._rows]

    def _went(self) -> float:
        return self._street.go() or (self._street.come(), self._street.go())[1]
