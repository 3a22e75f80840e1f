"""What one attended session is lent of the world around it."""

from collections.abc import Iterable, Sequence

from attendd.host.neighbours import Neighbourhood
from attendd.host.reports import Reports
from attendd.model import Neighbour, Report


class Around:
    """What one attended session was told of its neighbours, and which sensors asked.

    Attributes:
        reports: what `attend build` reports.
        client_pid: the session's client; ``None`` without one.
    """

    def __init__(
        self, hood: Neighbourhood, reports: Reports, client: tuple[int, str] | None
    ) -> None:
        """Take who knows of things, and the session's client by pid and start time."""
        self.reports = reports
        self.client_pid = None if client is None else client[0]
        self._hood = hood
        self._client = client
        self._askers: set[str] = set()
        self._lent: frozenset[tuple[object, ...]] = frozenset()

    async def lend(self, session: str, workdir: str, asker: str) -> Sequence[Neighbour]:
        """Answer a sensor.

        Raises:
            StoreError: the store can't be read.
        """
        found = await self._hood.around(session, self._client, workdir)
        self._askers.add(asker)
        self._lent = _gist(found)
        return found

    async def misled(self, session: str, workdir: str) -> set[str]:
        """Name the sensors that asked and would be answered otherwise now.

        Raises:
            StoreError: the store can't be read.
        """
        if not self._askers:
            return set()
        found = await self._hood.around(session, self._client, workdir)
        return set() if _gist(found) == self._lent else set(self._askers)

    def is_here(self, workdir: str, path: str) -> bool:
        """Tell whether a directory belongs to the project of another one."""
        project = self._hood.place(workdir).project
        return bool(project) and self._hood.place(path).project == project

    def reported(self, workdir: str) -> Sequence[Report]:
        """List what was reported lately for the project of a directory."""
        return self.reports.of(self._hood.place(workdir).project)


def _gist(found: Iterable[Neighbour]) -> frozenset[tuple[object, ...]]:
    return frozenset((each.key, each.session, each.status, each.channels) for each in found)
