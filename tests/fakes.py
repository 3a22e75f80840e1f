"""Stand-ins for what the host lends: plain objects with the real shape, set by hand."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from attendd.api import Activity, Command, Component, Gauge, Neighbour, Report, Telling


class FakeFocus:
    """A `attendd.api.Focus` whose every answer is an attribute.

    Attributes:
        own: intervals of wall time in which a tool call of this session ran.
        around: the neighbours.
        left: who runs elsewhere.
        ran: its client's shell commands.
        reported: what `attend build` reports.
        project: the folder that is its project.
        asked: the intervals `own_doing` was asked about, in order.
        woken: how often the sensor was made due.
        follows: whether it last asked to be made due when its neighbours change.
    """

    def __init__(
        self,
        workdir: Path = Path("/"),
        *,
        wall: float = 1_700_000_000.0,
        gauge: Gauge | None = None,
        components: Sequence[Component] = (),
    ) -> None:
        self.workdir = workdir
        self.session = "s1"
        self.now = 1_000.0
        self.wall = wall
        self.activity = Activity()
        self.components: Sequence[Component] = components
        self.tellings: Sequence[Telling] = ()
        self.missed: Sequence[str] = ()
        self.reading = gauge
        self.around: Sequence[Neighbour] = ()
        self.left: Sequence[Neighbour] = ()
        self.ran: Sequence[Command] = ()
        self.reported: Sequence[Report] = ()
        self.project = str(workdir)
        self.client_pid: int | None = None
        self.reports_at = Path("/nowhere")
        self.own: list[tuple[float, float]] = []
        self.asked: list[tuple[float, float]] = []
        self.woken = 0
        self.follows: bool | None = None

    def wake(self) -> None:
        """Count."""
        self.woken += 1

    async def gauge(self) -> Gauge | None:
        """Return the reading set by hand."""
        return self.reading

    async def own_doing(self, since: float, until: float) -> bool:
        """Tell whether the interval meets one of `own`."""
        self.asked.append((since, until))
        return any(start <= until and since <= end for start, end in self.own)

    async def neighbours(self, *, follow: bool = True) -> Sequence[Neighbour]:
        """Return the neighbours set by hand."""
        self.follows = follow
        return self.around

    async def elsewhere(self, key: str) -> Neighbour | None:
        """Return who was set by hand."""
        return next((each for each in self.left if each.key == key), None)

    async def commands(self) -> Sequence[Command]:
        """Return the commands set by hand."""
        return self.ran

    async def reports(self) -> Sequence[Report]:
        """Return the reports set by hand."""
        return self.reported

    def is_here(self, path: str) -> bool:
        """Tell whether a path lies in the project."""
        return path == self.project or path.startswith(f"{self.project}/")

    def pass_time(self, seconds: float) -> None:
        """Move both clocks on."""
        self.now += seconds
        self.wall += seconds


def texts(observations: Iterable[object]) -> list[str]:
    """Return the texts of observations that are news, in order."""
    return [o.text for o in observations if not o.own]  # type: ignore[attr-defined]
