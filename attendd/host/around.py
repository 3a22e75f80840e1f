"""What one attended session is lent of the world around it."""

from collections.abc import Sequence

from attendd.host.neighbours import Neighbourhood
from attendd.host.reports import Reports
from attendd.host.sights import Eyes
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
        self._lent: dict[str, tuple[Eyes, int]] = {}

    async def lend(
        self, session: str, workdir: str, asker: str, *, follow: bool = True
    ) -> Sequence[Neighbour]:
        """Answer a sensor.

        Args:
            session: the id of the session now.
            workdir: its directory.
            asker: the sensor.
            follow: whether it is to be told when it would be answered otherwise.

        Raises:
            StoreError: the store can't be read.
        """
        eyes = await self._hood.eyes(session, self._client, workdir)
        if follow:
            self._lent[asker] = (eyes, self._hood.sights.version)
        return self._hood.sights.of(eyes)

    async def misled(self, session: str, workdir: str) -> set[str]:
        """Name the sensors that would be answered otherwise now, each once for a change.

        Raises:
            StoreError: the store can't be read.
        """
        if not self._lent:
            return set()
        eyes, sights = await self._hood.eyes(session, self._client, workdir), self._hood.sights
        found = {
            asker
            for asker, (before, since) in self._lent.items()
            if before != eyes or sights.turned(eyes, since)
        }
        self._lent = dict.fromkeys(self._lent, (eyes, sights.version))
        return found

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
