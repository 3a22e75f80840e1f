"""Who is attended: the attachments in the store whose reader lives, each with its attention."""

import asyncio
import os
from collections.abc import Callable

from attendd import log
from attendd.clock import Clock
from attendd.errors import StoreError
from attendd.host.attended import Attended
from attendd.hot import bell, ids, process
from attendd.hot.moment import Moment
from attendd.store import Attachment, Store

DORMANT_S = 600.0
"""How long the attention of a client without a reader is kept for the next one."""
REMIND_S = 45.0
"""A bell that was lost is made good after so long."""

_log = log.get_logger("roster")


class Member:
    """An attachment with its attention.

    Attributes:
        row: the attachment as last read.
        attended: its sensors and its attention.
        pidfd: tells when its reader ends; ``None`` where the system has none.
        dormant_since: when its reader ended; ``None`` while it reads.
    """

    def __init__(self, row: Attachment, attended: Attended) -> None:
        self.row = row
        self.attended = attended
        self.pidfd: int | None = None
        self.dormant_since: float | None = None


class Roster:
    """Keeps the members in step with the store.

    Attributes:
        members: by attachment, the dormant ones included.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        adopt: Callable[[Attachment], Attended],
        *,
        came: Callable[[Member], None],
        went: Callable[[Member], None],
        rescan: Callable[[], None],
    ) -> None:
        """Begin with nobody.

        Args:
            store: where attachments are written down.
            clock: the time.
            adopt: makes the attention of an attachment that is new here.
            came: told when a member reads, for the first time or again.
            went: told when a member's reader has ended.
            rescan: asked for when a reader ended.
        """
        self.members: dict[str, Member] = {}
        self._store = store
        self._clock = clock
        self._adopt = adopt
        self._came = came
        self._went = went
        self._rescan = rescan

    def reading(self) -> list[Member]:
        """Return the members whose reader lives."""
        return [member for member in self.members.values() if member.dormant_since is None]

    def scan(self) -> None:
        """Read the store: take in who came, let go of who went.

        Raises:
            StoreError: the store can't be read; the roster stays as it is.
        """
        live = {row.id: row for row in self._store.sessions.live() if self._reads(row)}
        for key, row in live.items():
            member = self.members.get(key)
            if member is None:
                member = self.members[key] = Member(row, self._adopt(row))
                self._begin(member)
            elif member.dormant_since is not None or member.row.reader_pid != row.reader_pid:
                self._pause(member)
                member.row = row
                self._begin(member)
            else:
                member.row = row
        for key in self.members.keys() - live.keys():
            self._end(key)

    async def remind(self, now: float) -> float:
        """Ring readers for which something waits: who put it there may have died before.

        They need not look for themselves then, as long as there is a host; return when to
        do it again.
        """
        try:
            due = self._store.outbox.due(
                Moment(self._clock.wall(), process.boot_id(), self._clock.now())
            )
        except StoreError as error:
            _log.warning("readers can't be reminded", why=str(error))
            return now + REMIND_S
        for member in self.reading():
            if not due.isdisjoint(ids.boxes(member.row.session)):
                bell.ring(member.row.bell)
        return now + REMIND_S

    def close(self) -> None:
        """Stop watching readers."""
        for member in self.members.values():
            self._unwatch(member)

    def _reads(self, row: Attachment) -> bool:
        """Tell whether an attachment's reader may live; write it down if it surely doesn't."""
        known = self.members.get(row.id)
        if known is not None and known.pidfd is not None and _same(known.row, row):
            return True  # the end of its process would have been heard
        if process.alive(row.reader_pid, row.reader_start, row.pidns, row.boot) is not False:
            return True
        self._store.sessions.end(row, "the reader is gone", self._clock.wall())
        return False

    def _begin(self, member: Member) -> None:
        member.dormant_since = None
        row = member.row
        member.pidfd = process.open_pidfd(row.reader_pid, row.reader_start)
        if member.pidfd is not None:
            asyncio.get_running_loop().add_reader(member.pidfd, self._reader_ended, member)
        _log.info("a reader came", session=row.session, reader=row.reader_pid)
        self._came(member)

    def _reader_ended(self, member: Member) -> None:
        self._unwatch(member)
        self._rescan()

    def _pause(self, member: Member) -> None:
        self._unwatch(member)
        if member.dormant_since is None:
            member.dormant_since = self._clock.now()
            row = member.row
            _log.info("a reader went", session=row.session, reader=row.reader_pid)
            self._went(member)

    def _end(self, key: str) -> None:
        """Keep an attention for the client's next reader; let go of it in the end."""
        member = self.members[key]
        self._pause(member)
        row, since = member.row, member.dormant_since or 0.0
        gone = (
            row.client_pid is None
            or process.alive(row.client_pid, row.client_start, row.pidns, row.boot) is False
        )
        if gone or self._clock.now() - since > DORMANT_S:
            del self.members[key]

    @staticmethod
    def _unwatch(member: Member) -> None:
        if member.pidfd is not None:
            asyncio.get_running_loop().remove_reader(member.pidfd)
            os.close(member.pidfd)
            member.pidfd = None


def _same(one: Attachment, other: Attachment) -> bool:
    return (one.reader_pid, one.reader_start) == (other.reader_pid, other.reader_start)
