"""What a sensor is lent for one poll."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from weakref import WeakMethod

from attendd.config import Context
from attendd.host.client import Client
from attendd.model import Activity, Command, Component, Gauge, Neighbour, Report, Telling

WRITTEN_WITHIN_S = 0.5
"""How long after a moment its client has surely written down what it ran then."""

_RETRY_S = 0.05


def waker(touch: Callable[[Iterable[str]], None], name: str) -> Callable[[], None]:
    """Return a function that makes a sensor due, and does nothing once its session is gone.

    Args:
        touch: the method that makes sensors due.
        name: the sensor's.
    """
    known = WeakMethod(touch)

    def wake() -> None:
        if (found := known()) is not None:
            found([name])

    return wake


class LentFocus:
    """The `attendd.api.Focus` of one poll.

    Attributes:
        session: the id of the session being attended.
        workdir: its directory.
        now: seconds on the clock that counts suspend.
        wall: seconds since 1970.
        activity: what the session was doing when the poll started.
        components: what there is to teach.
        tellings: what hooks told for this sensor since its last poll.
        missed: topics that nobody was shown.
        client_pid: the process of its client.
        reports_at: where `attend build` reports.
        wake: makes the sensor due at once.
    """

    def __init__(  # noqa: PLR0913 - a record of what is lent, all by keyword
        self,
        *,
        client: Client,
        gauge_source: Context,
        now: float,
        wall: float,
        activity: Activity,
        components: Sequence[Component],
        tellings: Sequence[Telling],
        missed: Sequence[str],
        asker: str,
        wake: Callable[[], None],
    ) -> None:
        self.session = client.session
        self.workdir: Path = client.workdir
        self.now = now
        self.wall = wall
        self.activity = activity
        self.components = components
        self.tellings = tellings
        self.missed = missed
        self.wake = wake
        self._client = client
        self._gauge_source = gauge_source
        self._asker = asker
        around = client.around
        self.client_pid = around.client_pid if around else None
        self.reports_at = around.reports.folder if around else Path("/")

    async def gauge(self) -> Gauge | None:
        """See `attendd.api.Focus.gauge`."""
        return await self._client.gauge(self._gauge_source)

    async def own_doing(self, since: float, until: float) -> bool:
        """See `attendd.api.Focus.own_doing`.

        Where the client has still not written far enough, it is taken to have run nothing:
        a change told in vain costs a line, one held back in error is lost.
        """
        until = min(until, self._client.wall())  # a file stamped in the future proves nothing
        while True:
            ran = await self._client.ran_between(since, until)
            if ran is not None:
                return ran
            wall = self._client.wall()
            if wall >= until + WRITTEN_WITHIN_S or wall < since:
                return False
            await asyncio.sleep(_RETRY_S)

    async def neighbours(self, *, follow: bool = True) -> Sequence[Neighbour]:
        """See `attendd.api.Focus.neighbours`."""
        return await self._client.neighbours(self._asker, follow=follow)

    async def elsewhere(self, key: str) -> Neighbour | None:
        """See `attendd.api.Focus.elsewhere`."""
        return self._client.elsewhere(key)

    async def commands(self) -> Sequence[Command]:
        """See `attendd.api.Focus.commands`."""
        return await self._client.commands()

    async def reports(self) -> Sequence[Report]:
        """See `attendd.api.Focus.reports`."""
        around = self._client.around
        return around.reported(str(self.workdir)) if around else ()

    def is_here(self, path: str) -> bool:
        """See `attendd.api.Focus.is_here`."""
        around = self._client.around
        return around is not None and around.is_here(str(self.workdir), path)
