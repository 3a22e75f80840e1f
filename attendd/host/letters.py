"""The host's letterbox: takes in what sandboxed senders hand over, whoever attends them."""

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterable, Iterator

import anyio.to_thread

from attendd import log
from attendd.asking import Asking
from attendd.host.roster import Member
from attendd.hot.letterbox import Letterbox
from attendd.hot.lite import StoreError
from attendd.hot.places import PlaceError

LOOK_S = 300.0
"""How often spool folders are looked into without a word from anybody, as readers do."""
AGAIN_S = 5.0
"""How soon it is tried again where the store took nothing."""
ANYWHERE = "/"
"""A directory for sessions that nobody attends: they leave things in temporary folders."""

_log = log.get_logger("letters")


class Letters:
    """A letterbox on the running event loop; what comes in is committed in a thread."""

    def __init__(
        self,
        bell_path: str,
        members: Callable[[], Iterable[Member]],
        wake: Callable[[], None],
    ) -> None:
        """Take what it works with; it is there from `hear` on.

        Args:
            bell_path: the host's bell, which it is beside of.
            members: returns who is attended now.
            wake: asks for a `look`.
        """
        self._bell_path = bell_path
        self._members = members
        self._wake = wake
        self._box: Letterbox | None = None
        self._heard = -1
        self._busy = False
        self._there = Asking(os.path.isdir)
        self._troubled = False

    def hear(self) -> None:
        """Have it where senders look for it, from which a log-out may have removed it."""
        if self._busy:
            return
        if self._box is None:
            self._box = Letterbox(self._bell_path)
        elif not self._box.answers():
            self._stop_hearing()
            self._box.reopen()
        self._go_on_hearing()

    async def look(self, now: float) -> float:
        """Take in what was handed over and what was left; return when to look again."""
        box = self._box
        if box is None:
            return now + AGAIN_S
        self._busy = True
        self._stop_hearing()  # it stays readable until the thread has read it
        box.workdirs = sorted({ANYWHERE, *self._workdirs()})
        try:
            await anyio.to_thread.run_sync(lambda: box.take(left=True))
        except (StoreError, PlaceError, OSError) as error:
            if not self._troubled:
                _log.warning("what was handed over can't be taken in", why=str(error))
            self._troubled = True
        else:
            self._troubled = False
        finally:
            self._busy = False
            self._go_on_hearing()
        return now + (AGAIN_S if self._troubled else LOOK_S)

    def _workdirs(self) -> Iterator[str]:
        """Name where members work, but for what lies on a disk that does not answer."""
        for each in self._members():
            with contextlib.suppress(TimeoutError):
                self._there.ask(each.row.workdir)
                yield each.row.workdir

    def close(self) -> None:
        """Take it away. No `look` is under way any more."""
        self._stop_hearing()
        if self._box is not None:
            self._box.close()
            self._box = None

    def _go_on_hearing(self) -> None:
        if self._heard < 0 and self._box is not None and self._box.fd >= 0:
            self._heard = self._box.fd
            asyncio.get_running_loop().add_reader(self._heard, self._ring)

    def _stop_hearing(self) -> None:
        if self._heard >= 0:
            asyncio.get_running_loop().remove_reader(self._heard)
            self._heard = -1

    def _ring(self) -> None:
        self._stop_hearing()
        self._wake()
