"""The way from the ledger onto one standard output: claim, check, write, record.

Whatever happens between the write and the record, the ledger still holds the claim: it is
offered again once its lease has run out, once, marked `(again)`. The output is made sure of
before anything is claimed, so an output that takes nothing holds no claim.
"""

import posix
import select
import time

from attendd.hot import db, frame, ledger, process

_BOOT_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
BLOCKED_AFTER_MS = 2_000
"""An output that takes nothing for so long is said to be blocked."""


class OutputGoneError(Exception):
    """Whoever read our output has gone away."""


class StoppedError(Exception):
    """The process is to end; nothing of what was due has been written."""


def boot_seconds() -> float:
    """Read the clock that counts suspend and is never set."""
    return time.clock_gettime(_BOOT_CLOCK)


class Conduit:
    """Shows one attachment what is due for it.

    Attributes:
        attachment: the id under which this process is attached.
        session: the session that its client runs now; `/clear` changes it.
    """

    def __init__(
        self,
        store: db.Connection,
        attachment: str,
        session: str,
        *,
        name: str,
        out: int,
        stop: int,
    ) -> None:
        """Take an open store.

        Args:
            store: opened by this very thread.
            attachment: the id under which this process is attached.
            session: the session it serves.
            name: what this way into the session is called.
            out: the descriptor to write to.
            stop: a descriptor that becomes readable when the process is to end.
        """
        self.attachment = attachment
        self.session = session
        self._store = store
        self._name = name
        self._boot = process.boot_id()
        self._out = out
        self._stop = stop

    def drain(self) -> int:
        """Show everything that is due now, one batch a write.

        Returns:
            How many batches were shown.

        Raises:
            OutputGoneError: the reader of the output is gone; the rest stays due.
            StoppedError: the process is to end; the rest stays due.
            StoreError: the store cannot be used.
        """
        shown = 0
        while True:
            self._until_writable()
            due = ledger.claim(
                self._store, self.attachment, self.session, self._boot, boot_seconds(), limit=1
            )
            if not due:
                return shown
            shown += self._show(*due[0])

    def _show(self, delivery: int, text: str, repeats: int) -> int:
        if repeats:
            text = frame.again(text)
        if not ledger.still_mine(
            self._store, [delivery], self.attachment, self._boot, boot_seconds()
        ):
            return 0  # stopped for longer than the lease: whoever claims next shows it
        self._write(text.encode("utf-8", "replace"))
        ledger.offered(self._store, [delivery], self._name, time.time(), boot_seconds())
        return 1

    def _write(self, data: bytes) -> None:
        """Write all of it; a batch that has begun is finished, unless its reader is gone."""
        try:
            while data:
                data = data[posix.write(self._out, data) :]
        except BrokenPipeError:
            raise OutputGoneError from None

    def _until_writable(self) -> None:
        if self._writable(BLOCKED_AFTER_MS):
            return
        ledger.blocked(self._store, self.attachment, time.time())
        while not self._writable(None):
            pass
        ledger.blocked(self._store, self.attachment, None)

    def _writable(self, timeout_ms: int | None) -> bool:
        poll = select.poll()
        poll.register(self._out, select.POLLOUT)
        poll.register(self._stop, select.POLLIN)
        for fd, event in poll.poll(timeout_ms):
            if fd == self._stop:
                raise StoppedError
            if event & (select.POLLERR | select.POLLHUP | select.POLLNVAL):
                raise OutputGoneError
            return True
        return False
