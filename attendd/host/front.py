"""What a host shows of itself: to its service manager, and to whoever asks at its door."""

from attendd.clock import Clock
from attendd.host.door import Door
from attendd.host.questions import Questions
from attendd.host.roster import Roster
from attendd.loop import Loop
from attendd.systemd import Manager


class Front:
    """The side of a host that faces out; without a manager and a path it shows nothing."""

    def __init__(self, kind: str = "", path: str = "", manager: Manager | None = None) -> None:
        """Take what kind of host it is.

        Args:
            kind: what the host calls itself.
            path: where it can be asked; empty: nowhere.
            manager: what is told how it fares.
        """
        self._kind = kind
        self._path = path
        self._manager = manager or Manager({})
        self._door: Door | None = None
        self._questions: Questions | None = None
        self._said = ""

    async def begin(self, roster: Roster, loop: Loop, clock: Clock) -> None:
        """Open the door, and have the loop itself say that it turns, for as long as it does."""
        self._questions = Questions(self._kind, roster, clock)
        if self._path:
            self._door = Door(self._path, self._manager.sockets, self._questions.answer)
            await self._door.open()
        every_s = self._manager.watchdog_s
        if every_s is None:
            return

        async def alive(now: float) -> float:
            self._manager.alive()
            return now + every_s

        loop.every("watchdog", alive, clock.now())

    async def renew(self) -> None:
        """Have the door where it belongs."""
        if self._door is not None:
            await self._door.renew()

    def tell(self) -> None:
        """Tell the manager what is attended, where that has changed; at first: that it is."""
        said = self._summary()
        if said != self._said:
            tell = self._manager.status if self._said else self._manager.ready
            self._said = said
            tell(said)

    def reloading(self) -> None:
        """Tell the manager that the configuration is being read again."""
        self._manager.reloading()

    def reloaded(self) -> None:
        """Tell the manager that it was."""
        self._said = self._summary()
        self._manager.ready(self._said)

    def close(self) -> None:
        """Tell the manager that this is the end, and close the door."""
        self._manager.stopping()
        if self._door is not None:
            self._door.close()

    def _summary(self) -> str:
        return self._questions.summary() if self._questions else ""
