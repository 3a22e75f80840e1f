"""The client behind one attachment, read in a worker thread and not too often."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import anyio
import anyio.to_thread

from attendd import log
from attendd.clock import Clock
from attendd.config import Context
from attendd.harness import SessionView, Talk, Traces, external, stated
from attendd.host.around import Around
from attendd.model import Activity, Command, Gauge, Neighbour
from attendd.store.figures import Stated

LITTLE_BYTES = 65_536
"""A transcript that grew by so little is read at once, in well under a millisecond."""
FRESH_S = 0.05
"""What was read so lately is not read again: polls that are due together share one look."""

_log = log.get_logger("client")


class Client:
    """What is known of one client, and how it is read.

    Attributes:
        workdir: the session's directory.
        last: its activity as last read.
        followed: the same as the host last acted upon it.
        known: whether that was read at all yet.
        around: knows its neighbours; ``None`` where nobody does.
    """

    def __init__(
        self,
        workdir: Path,
        view: SessionView,
        clock: Clock,
        figures: Callable[[str], Stated | None],
    ) -> None:
        """Take a client on.

        Args:
            workdir: the session's directory.
            view: what its files say.
            clock: the time.
            figures: what it stated of a session, as the store has it.
        """
        self.workdir = workdir
        self.last = self.followed = view.activity()
        self.known = False
        self.around: Around | None = None
        self._view = view
        self._clock = clock
        self._figures = figures
        self._looking = anyio.Lock()
        self._size = -LITTLE_BYTES - 1
        self._read_at = float("-inf")
        self._changes = 0
        self._read_changes = 0
        self._measured_at = float("-inf")
        self._measured = external.Reading()

    @property
    def session(self) -> str:
        """The session that it runs now."""
        return self._view.session

    @property
    def transcript(self) -> str:
        """Path of the session's transcript; empty while that is not known."""
        return self._view.transcript

    def stale(self) -> None:
        """Take note that its files have changed: a look that began before does not count."""
        self._changes += 1

    async def activity(self) -> Activity:
        """Read what the session is doing."""
        await self._refresh()
        return self.last

    async def gauge(self, source: Context) -> Gauge | None:
        """Read the session's context gauge from its client's files, or from a command.

        A command is run at most once in its time to live; what is not a gauge is ``None``.
        """
        if not source.command:
            await self._refresh()
            return stated.gauge(self._view, self._figures)
        if self._clock.now() - self._measured_at >= source.ttl_s:
            self._measured_at = self._clock.now()
            found = await external.read(source.command, self.session, str(self.workdir))
            if found.problem and found.problem != self._measured.problem:
                _log.warning("the context gauge", problem=found.problem)
            self._measured = found
        return self._measured.gauge

    async def ran_between(self, since: float, until: float) -> bool | None:
        """Tell whether a tool call of its own ran then; ``None`` while that isn't written."""
        return await anyio.to_thread.run_sync(self._view.own_doing, since, until)

    def talk(self) -> Talk:
        """Return whether a person or work came in between, as last read."""
        return self._view.talk()

    async def traces(self) -> Traces | None:
        """Look for what proves that messages came in; ``None`` where nothing can."""
        return await anyio.to_thread.run_sync(self._view.traces)

    async def neighbours(self, asker: str, *, follow: bool) -> Sequence[Neighbour]:
        """List the sessions around it; see `Around.lend`.

        Raises:
            StoreError: the store can't be read.
        """
        if self.around is None:
            return ()
        workdir = str(self.workdir)
        return await self.around.lend(self.session, workdir, asker, follow=follow)

    def elsewhere(self, key: str) -> Neighbour | None:
        """Return who runs on and is no neighbour any more, as of the last look at those."""
        return None if self.around is None else self.around.elsewhere(key)

    async def commands(self) -> Sequence[Command]:
        """List the shell commands that its client ran lately."""
        await self._refresh()
        return self._view.commands()

    async def misled(self) -> set[str]:
        """Name the sensors that know its neighbours otherwise than they are now.

        Raises:
            StoreError: the store can't be read.
        """
        if self.around is None:
            return set()
        return await self.around.misled(self.session, str(self.workdir))

    def wall(self) -> float:
        """Read the clock people read."""
        return self._clock.wall()

    def _reads_little(self) -> bool:
        """Tell whether a look takes less time than asking a thread for it."""
        path = self._view.transcript
        try:
            size = os.stat(path).st_size if path else -1  # noqa: PTH116 - at every poll
        except OSError:
            return False
        grown, self._size = size - self._size, size
        return path != "" and 0 <= grown <= LITTLE_BYTES

    async def _refresh(self) -> None:
        async with self._looking:  # polls that are due together wait for one and the same look
            changes = self._changes
            if changes == self._read_changes and self._clock.now() - self._read_at < FRESH_S:
                return
            if self._reads_little():
                self._view.refresh()
            else:
                await anyio.to_thread.run_sync(self._view.refresh)
            self._read_at, self._read_changes = self._clock.now(), changes
            self.last = self._view.activity()
            self.known = True
