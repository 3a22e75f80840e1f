"""What one attended session is lent of the world around it."""

from collections.abc import Iterable, Sequence

from attendd.host.neighbours import Neighbourhood
from attendd.host.reports import Reports
from attendd.model import Neighbour, Report


class Around:
    """What the sensors of one attended session were told of its neighbours.

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
        self._lent: dict[str, frozenset[tuple[object, ...]]] = {}

    async def lend(self, session: str, workdir: str, asker: str) -> Sequence[Neighbour]:
        """Answer a sensor.

        Raises:
            StoreError: the store can't be read.
        """
        found = await self._hood.around(session, self._client, workdir)
        self._lent[asker] = _gist(found)
        return found

    async def misled(self, session: str, workdir: str) -> set[str]:
        """Name the sensors that asked and would be answered otherwise now.

        Raises:
            StoreError: the store can't be read.
        """
        if not self._lent:
            return set()
        gist = _gist(await self._hood.around(session, self._client, workdir))
        return {asker for asker, lent in self._lent.items() if lent != gist}

    def elsewhere(self, key: str) -> Neighbour | None:
        """Return a session that runs, wherever, as of the last look."""
        return self._hood.elsewhere(key)

    def is_here(self, workdir: str, path: str) -> bool:
        """Tell whether a directory belongs to the project of another one."""
        project = self._hood.place(workdir).project
        return bool(project) and self._hood.place(path).project == project

    def reported(self, workdir: str) -> Sequence[Report]:
        """List what was reported lately for the project of a directory."""
        return self.reports.of(self._hood.place(workdir).project)


def _gist(found: Iterable[Neighbour]) -> frozenset[tuple[object, ...]]:
    return frozenset(
        (each.key, each.session, each.status, each.channels, each.here) for each in found
    )
