"""What the host and the commands keep and ask, on top of what every process does in `hot`.

`Store` is the file that processes meet in; `attendd.store.journal` has the one that says why.
"""

from collections.abc import Callable
from typing import TypeVar

from attendd.hot import lacking
from attendd.hot.db import PATIENCE_S, Connection
from attendd.hot.moment import Moment
from attendd.store import housekeeping
from attendd.store.afterwards import Afterwards
from attendd.store.around import AroundRows
from attendd.store.checkpoints import Checkpoints
from attendd.store.copies import Copies
from attendd.store.facts import Facts
from attendd.store.figures import Figures, Stated
from attendd.store.groups import Channel, Channels, Joined, Mute, Mutes
from attendd.store.health import HealthBoard
from attendd.store.housekeeping import Swept
from attendd.store.link import Link
from attendd.store.mail import Mail
from attendd.store.mail_rows import Fate, Held, Message, Received, Sent, Unread
from attendd.store.memories import Memories
from attendd.store.outbox import Batch, Outbox
from attendd.store.rows import (
    Attachment,
    Checkpoint,
    Conduit,
    Delivery,
    Health,
    JournalRow,
    Session,
)
from attendd.store.scrub import Scrub
from attendd.store.sessions import Sessions
from attendd.store.speakers import Speakers

T = TypeVar("T")

__all__ = [
    "Attachment",
    "Batch",
    "Channel",
    "Checkpoint",
    "Conduit",
    "Delivery",
    "Fate",
    "Health",
    "Held",
    "Joined",
    "JournalRow",
    "Message",
    "Mute",
    "Received",
    "Sent",
    "Session",
    "Stated",
    "Store",
    "Swept",
    "Unread",
]


class Store:
    """The store, by subject. Every method can raise `attendd.errors.StoreError`.

    Attributes:
        sessions: who is attended, and by which processes.
        outbox: batches, and how they fare.
        checkpoints: state that survives a change of host.
        health: how sensors fare.
        mail: what was said, and how it fares.
        afterwards: what is left to be done about it once it was offered.
        copies: sessions whose origin is sought.
        channels: groups, and who is in them.
        mutes: who hears nothing from whom.
        figures: what clients state of their sessions.
        around: names and channels of the sessions that run now.
        facts: what is remembered.
        memories: which projects remember, and what their sessions were shown.
        scrub: takes a text out of all of it.
        speakers: which sessions may record facts, and by what their tags are known.
    """

    def __init__(
        self,
        path: str | None = None,
        *,
        readonly: bool = False,
        patience_s: float = PATIENCE_S,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        """Open the store; see `attendd.hot.db.connect`.

        Args:
            path: an absolute path; ``None`` is ``attend.db`` in the state folder.
            readonly: change nothing; a store that does not exist reads as an empty one.
            patience_s: how long a call waits for the locks of other processes.
            tell: told at once what would be among the `notices`.

        Raises:
            StoreError: it cannot be opened.
        """
        self._link = Link(path, readonly=readonly, patience_s=patience_s, tell=tell)
        self.sessions = Sessions(self._link)
        self.outbox = Outbox(self._link)
        self.checkpoints = Checkpoints(self._link)
        self.health = HealthBoard(self._link)
        self.mail = Mail(self._link)
        self.afterwards = Afterwards(self._link)
        self.copies = Copies(self._link)
        self.channels = Channels(self._link)
        self.mutes = Mutes(self._link)
        self.figures = Figures(self._link)
        self.around = AroundRows(self._link)
        self.facts = Facts(self._link)
        self.memories = Memories(self._link)
        self.scrub = Scrub(self._link)
        self.speakers = Speakers(self._link)

    def call(self, work: Callable[[Connection], T]) -> T:
        """Run a function of `attendd.hot.ledger` on the connection of the moment.

        It may be run again where the file was replaced meanwhile.
        """
        return self._link.call(work)

    def notices(self) -> list[str]:
        """Return, once, what people should be told about the file itself."""
        said, self._link.notices = self._link.notices, []
        return said

    def set_aside(self) -> tuple[str, float] | None:
        """Return where the last damaged store was put, and when (wall); ``None``: never."""
        found = dict(self._link.read("SELECT key, value FROM meta WHERE key LIKE 'set-aside%'"))
        if "set-aside" not in found:
            return None
        return found["set-aside"], float(found["set-aside-at"])

    def lost(self) -> str:
        """Say what the store has lost that it should have, and what then; ``''``: nothing."""
        found = self._link.call(lacking.meaning)
        return f"{found}; {found.hint}" if found else ""

    def check(self) -> str:
        """Look for damage in all of the file, and set it aside if there is any.

        Takes time in proportion to its size; what it finds is among the `notices`, too.

        Returns:
            What was wrong; empty where all is well.
        """
        return self._link.check()

    def age(self, now: Moment) -> int:
        """Stop offering what groups were told too long ago; return how many."""
        return housekeeping.age(self._link, now)

    def sweep(self, wall: float, boot: str, bt: float) -> Swept:
        """Mark what has grown stale and remove what is old; see `housekeeping.sweep`."""
        return housekeeping.sweep(self._link, wall, boot, bt)

    def close(self) -> None:
        """Give the file back."""
        self._link.close()
