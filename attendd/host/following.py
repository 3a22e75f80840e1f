"""Keeps what is attended in step with what the clients are doing, and with who is around."""

from collections.abc import Callable

from attendd import log
from attendd.errors import StoreError
from attendd.host.outlet import StoreOutlet
from attendd.host.parts import Parts
from attendd.host.remembering import Remembering
from attendd.host.roster import Member, Roster
from attendd.host.sensings import UNWATCHED_S
from attendd.hot import bell, ledger
from attendd.loop import Loop
from attendd.model import Status

LOOK_S = 120.0
"""How often the clients' files are looked at without having been told of a change."""
SOON_S = 1.0
"""The same where a client is about to write down what it does."""

_log = log.get_logger("host")


class Following:
    """Timers of a host that follow the clients of its members.

    Attributes:
        watched: whether a change is told of.
    """

    def __init__(
        self,
        parts: Parts,
        loop: Loop,
        roster: Roster,
        outlet: StoreOutlet,
        behind: Callable[[], bool],
    ) -> None:
        """Take what they work with; see `Remembering` for the last."""
        self.watched = True
        self._parts = parts
        self._loop = loop
        self._roster = roster
        self._outlet = outlet
        self._remembering = Remembering(parts, roster.members.values, behind)
        loop.every("remembering", self._remembering.look, parts.clock.now())

    def hears(self, *, changes: bool) -> None:
        """Go by whether a change is told of; where none is any more, nobody rests for long."""
        for member in self._roster.reading() if changes != self.watched else ():
            member.attended.sensings.unwatched = not changes
            if not changes:
                member.attended.turned(awake=True)
        self.watched = changes

    async def look(self, now: float) -> float:
        """Read what the clients are doing; whoever woke up may have something waiting."""
        unsure = False
        for member in self._roster.reading():
            client = member.attended.client
            before, client.followed = client.followed, await client.activity()
            if client.last != before:
                now_awake = client.last.awake and not before.awake
                if now_awake or (client.last.prompted and not before.prompted):
                    member.attended.turned(awake=True)
                elif not client.last.awake and client.last.worked_at != before.worked_at:
                    member.attended.turned(awake=False)  # it may have begun and ended unseen
                self._loop.wake(member.row.id)
            if client.last.contract != before.contract:
                code = "contract.changed" if client.last.contract else "contract.known"
                said = client.last.contract or "its client's files are as known again"
                self._outlet.note(code, said, member.attended)
            if client.session != member.row.session:
                self._move(member)
            unsure = unsure or (client.last.status is Status.BUSY and not client.last.prompted)
        self._loop.wake("mail")
        self._loop.wake("memory")
        self._loop.wake("remembering")
        # A client says that it is busy before it writes down what it was prompted with.
        return now + (SOON_S if unsure else self._pause_s)

    async def look_around(self, now: float) -> float:
        """Make due the sensors that know neighbours otherwise than they are now."""
        try:
            for member in self._roster.reading():
                attended = member.attended
                attended.touch(await attended.client.misled() & attended.sensings.keys())
        except StoreError as error:
            _log.warning("the neighbours can't be looked up", why=str(error))
        return now + self._pause_s

    @property
    def _pause_s(self) -> float:
        return LOOK_S if self.watched else UNWATCHED_S

    def _move(self, member: Member) -> None:
        """Follow a client that went on under another session, as after `/clear`."""
        row, session = member.row, member.attended.client.session
        try:
            wall = self._parts.clock.wall()
            self._parts.store.call(
                lambda db: ledger.move_session(db, row.id, row.session, session, wall)
            )
        except StoreError as error:
            _log.warning("a session could not be followed", why=str(error))
            return
        for sensing in member.attended.sensings.values():
            sensing.telling_cursor = sensing.heard = 0
        bell.ring(row.bell)
        self._loop.wake("scan")
