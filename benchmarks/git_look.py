"""What one look of the git sensor costs in a large repository, beside one `git status`."""

import asyncio
import resource
import shutil
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter

from attendd.api import (
    Activity,
    Command,
    Component,
    Gauge,
    Neighbour,
    Report,
    Status,
    Telling,
)
from benchmarks import place, timing
from benchmarks.figure import Figure, Options, Row, Sampler, Taken, ratio_row
from sensors.git.sensor import AWAKE_LOOK_S, GitConfig, GitSensor

LOOK = "git sensor, one look"
STATUS = "git status"
LIMIT = 1.2
_A_FOLDER = 100


class Focus:
    """What a host would lend the sensor: a session that is awake and does nothing itself."""

    session = "bench"
    components: Sequence[Component] = ()
    tellings: Sequence[Telling] = ()
    missed: Sequence[str] = ()

    def __init__(self, workdir: Path) -> None:
        self.workdir = workdir
        self.now = 1000.0
        self.wall = 1_800_000_000.0
        self.activity = Activity(status=Status.BUSY)
        self.client_pid: int | None = None
        self.reports_at = workdir

    def later(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds
        self.wall += seconds

    async def gauge(self) -> Gauge | None:
        """There is none."""
        return None

    async def own_doing(self, since: float, until: float) -> bool:  # noqa: ARG002 - a protocol's
        """Nothing is."""
        return False

    async def neighbours(self, *, follow: bool = True) -> Sequence[Neighbour]:  # noqa: ARG002
        """There are none."""
        return ()

    async def elsewhere(self, key: str) -> Neighbour | None:  # noqa: ARG002 - a protocol's
        """Nobody runs anywhere."""
        return None

    async def commands(self) -> Sequence[Command]:
        """None were run."""
        return ()

    async def reports(self) -> Sequence[Report]:
        """There are none."""
        return ()

    def is_here(self, path: str) -> bool:  # noqa: ARG002 - a protocol's
        """Nothing is."""
        return False

    def wake(self) -> None:
        """Nobody is to be polled."""


class GitLook(Figure):
    """Looks at a repository in which nothing changed since the last one."""

    name = "git"

    def prepare(self, stack: ExitStack, options: Options) -> None:
        """Make the repository and take the first look."""
        home = place.Home(options.folder / "git")
        self._files = options.files
        self._project = home.repository("large", self._fill)
        self._env = home.env
        self._runner = asyncio.Runner()
        stack.callback(self._runner.close)
        self._sensor = GitSensor(GitConfig())
        self._focus = Focus(self._project)
        self._look()
        self._in_vain = 0

    def samplers(self) -> Mapping[str, Sampler]:
        """See `Figure.samplers`."""
        git = shutil.which("git") or "git"
        status = [git, "-C", str(self._project), "status"]
        return {LOOK: self._look, STATUS: lambda: timing.run(status, self._env)}

    def rows(self, taken: Taken) -> Sequence[Row]:
        """See `Figure.rows`."""
        where = f"{self._files:,} files"
        begun = self._in_vain
        return [
            ratio_row(f"one look of the git sensor, {where}", taken, LOOK, LIMIT, STATUS),
            Row(
                "looks by running git while nothing changes and nobody works",
                "some" if begun else "none",
                "none",
                not begun,
                float(begun),
            ),
        ]

    def alone(self, taken: Taken) -> None:  # noqa: ARG002 - Figure's
        """Poll an idle session's repository again and again."""
        self._focus.activity = Activity(status=Status.IDLE)
        before = _child_faults()
        for _ in range(20):
            self._focus.later(2 * AWAKE_LOOK_S)
            self._runner.run(self._sensor.poll(self._focus))
        self._in_vain = _child_faults() - before

    def _look(self) -> float:
        self._focus.later(2 * AWAKE_LOOK_S)
        before, started = _child_faults(), perf_counter()
        seen = self._runner.run(self._sensor.poll(self._focus))
        taken = perf_counter() - started
        if seen or _child_faults() == before:
            raise RuntimeError(f"that was no look, or no quiet one: {seen}")
        return taken

    def _fill(self, folder: Path) -> None:
        for at in range(self._files):
            inside = folder / f"d{at // _A_FOLDER:04d}"
            if at % _A_FOLDER == 0:
                inside.mkdir()
            (inside / f"f{at}").write_text(f"{at}\n")


def _child_faults() -> int:
    """Count page faults of children that were waited for: every process has some."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
