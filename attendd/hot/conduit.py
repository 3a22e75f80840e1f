"""The way from the ledger onto one standard output: claim, check, write, record.

Whatever happens between the write and the record, the ledger still holds the claim: it is
offered again once its lease has run out, once, marked `(again)`. The output is made sure of
before anything is claimed, so an output that takes nothing holds no claim.

What the host composed and what other sessions said come from the same ledger, and go in one
write where both are due. Messages keep a pace of their own; none is dropped for it.
"""

import posix
import select
import time

from attendd.hot import (
    bell,
    db,
    digest,
    fate,
    frame,
    ids,
    ledger,
    letter,
    mail,
    moment,
    pace,
    process,
    wishes,
)
from attendd.hot.moment import boot_seconds

BLOCKED_AFTER_MS = 2_000
"""An output that takes nothing for so long is said to be blocked."""
PAGE = 4096
"""What a pipe that has any room takes at once."""
LAST_MS = 300
"""How long a process that is to end waits for a batch that it has begun to be taken."""
APART_S = 0.3
"""The client joins what comes within 0.2 s, and cuts what has then grown too long."""
SURE_S = 5.0
"""For so long after a claim there is no need to ask whether it still holds."""
MOST_FOLDED = 10_000
"""So many messages become one line at most."""


class OutputGoneError(Exception):
    """Whoever read our output has gone away."""


class OutputFailedError(Exception):
    """An output takes nothing though somebody may read it; ``args[0]`` says why.

    Attributes:
        hint: what can be done about it.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(f"standard output takes nothing: {error.strerror}")
        self.hint = "nothing is lost; it is shown when there is room again"


class StoppedError(Exception):
    """The process is to end; what was due and has not been begun stays due."""


class Conduit:
    """Shows one attachment what is due for it.

    Attributes:
        attachment: the id under which this process is attached.
        session: the session that its client runs now; `/clear` changes it.
        wrote_at: when something was last written, on the clock that counts suspend.
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
        self._poll = select.poll()
        self._poll.register(out, select.POLLOUT)
        self._poll.register(stop, select.POLLIN)
        self._begun = False
        self.wrote_at = float("-inf")
        now = moment.now(self._boot)
        boxes = ids.boxes(session)
        mail.expire(store, boxes, now)
        gap_s, most, window_s = wishes.terms(store)
        shown = mail.lately(store, boxes, now, window_s, most)
        self._pace = pace.Pace(shown, gap_s, most, window_s)

    def drain(self) -> float | None:
        """Show everything that may be shown now.

        Returns:
            After how many seconds there may be more, whether a bell rings or not; ``None``
            where nothing is held back.

        Raises:
            OutputGoneError: the reader of the output is gone; the rest stays due.
            StoppedError: the process is to end; the rest stays due.
            StoreError: the store cannot be used.
        """
        while True:
            self._until_writable()
            self._keep_apart()
            now = moment.now(self._boot)
            letters, pause = self._letters(now)
            batch = [] if letters and not letters.letters[0].beside else self._batch(now)
            if letters is None and not batch:
                other = self._pace.adapt(*wishes.terms(self._store))
                if not (pause and other):
                    return pause or mail.free_in(self._store, ids.boxes(self.session), now)
                continue
            self._show(letters, batch[0] if batch else None, now)

    def _batch(self, now: moment.Moment) -> list[tuple[int, str, int]]:
        return ledger.claim(self._store, self.attachment, self.session, now.boot, now.bt)

    def _letters(self, now: moment.Moment) -> "tuple[letter.Batch | None, float | None]":
        """Claim messages and make one write of them; or tell when there may be one."""
        boxes = ids.boxes(self.session)
        found = mail.waiting(self._store, boxes, now, self._name)
        if not found:
            return None, None
        self._pace.slow_s = max(each.gap_s for each in found)
        if wait := self._pace.wait(now.bt):
            return None, wait
        fold = len(found) > mail.FOLD_OVER or self._pace.slow_s > 0
        if fold:
            found = mail.waiting(
                self._store, boxes, now, self._name, limit=MOST_FOLDED, bodies=False
            )
            if not found:
                return None, None  # another process shows them
        made = _made(found[: MOST_FOLDED if fold else self._pace.room(now.bt)], now, fold=fold)
        doubts = [each.repeats for each in made.letters]
        taken = mail.take(self._store, made.letters, self.attachment, now)
        if not taken:
            return None, None  # another process shows them
        if fold and len(taken) <= mail.FOLD_OVER and not self._pace.slow_s:
            mail.release(self._store, taken, self.attachment)
            return self._letters(now)  # another process shows so many that the rest has room
        if [each.repeats for each in taken] != doubts:
            made = self._composed(taken, now, fold=fold)
        return made, None

    def _composed(
        self, taken: list[letter.Letter], now: moment.Moment, *, fold: bool
    ) -> letter.Batch:
        """Make one write of what is claimed, and give back what does not fit."""
        made = _made(taken, now, fold=fold)
        if len(made.letters) < len(taken):
            rest = taken[len(made.letters) :]
            mail.release(self._store, rest, self.attachment)
        return made

    def _show(
        self,
        letters: "letter.Batch | None",
        batch: "tuple[int, str, int] | None",
        now: moment.Moment,
    ) -> None:
        """Write what was claimed, in one go where it fits, and record it."""
        said = letters.text if letters else ""
        told = (frame.again(batch[1]) if batch[2] else batch[1]) if batch else ""
        if letters and batch and frame.units(said) + frame.units(told) > frame.BATCH_UNITS:
            try:
                self._show(letters, None, now)
                self._keep_apart()
            except BaseException:
                self._give_back(None, batch)
                raise
            letters, said = None, ""
        while boot_seconds() - now.bt > SURE_S:  # stopped for so long that others may show it
            now = moment.now(self._boot)
            if letters and not mail.mine(self._store, letters.letters, self.attachment, now):
                letters, said = None, ""
            if batch and not ledger.still_mine(
                self._store, [batch[0]], self.attachment, now.boot, now.bt
            ):
                batch, told = None, ""
        try:
            self._write((said + told).encode("utf-8", "replace"))
        except (OutputGoneError, OutputFailedError, StoppedError):
            if not self._begun:
                self._give_back(letters, batch)
            raise
        self._record(letters, batch)

    def _record(
        self, letters: "letter.Batch | None", batch: "tuple[int, str, int] | None"
    ) -> None:
        now = moment.now(self._boot)
        if letters:
            self._pace.note(now.bt, 1 if letters.announced else len(letters.letters))
            fate.record(self._store, letters.letters, self._name, now, letters)
            bell.ring_host()  # it looks for what proves that they came in
        if batch:
            ledger.offered(self._store, [batch[0]], self._name, now.wall, now.bt)

    def _keep_apart(self) -> None:
        """Wait until a write can't be taken for part of the last one."""
        wait = self.wrote_at + APART_S - boot_seconds()
        if 0 < wait <= APART_S and select.select([self._stop], [], [], wait)[0]:
            raise StoppedError

    def _give_back(
        self, letters: "letter.Batch | None", batch: "tuple[int, str, int] | None"
    ) -> None:
        """Let go of what was claimed and surely not shown."""
        if letters:
            mail.release(self._store, letters.letters, self.attachment)
        if batch:
            ledger.release(self._store, [batch[0]], self.attachment)

    def _write(self, data: bytes) -> None:
        """Write all of it; a batch that has begun is finished, unless its reader is gone.

        A pipe that has room at all takes a page, so nothing blocks here and a signal is seen.

        Raises:
            OutputGoneError: whoever read it is gone.
            OutputFailedError: it can't be written.
            StoppedError: nobody took the rest of it, and the process is to end.
        """
        left, self._begun = data, False
        while left:
            try:
                left = left[posix.write(self._out, left[:PAGE]) :]
                self._begun = True
            except BrokenPipeError:
                raise OutputGoneError from None
            except BlockingIOError:  # somebody has set it so, and took no notice of the poll
                pass
            except OSError as error:
                raise OutputFailedError(error) from error
            if left:
                self._until_room()
        self.wrote_at = boot_seconds()

    def _until_room(self) -> None:
        """Wait in the middle of a batch; a process that is to end gives it a moment more."""
        try:
            while not self._writable(None):
                pass
        except StoppedError:
            room = select.poll()
            room.register(self._out, select.POLLOUT)
            if not room.poll(LAST_MS):
                raise

    def _until_writable(self) -> None:
        if self._writable(BLOCKED_AFTER_MS):
            return
        ledger.blocked(self._store, self.attachment, time.time())
        while not self._writable(None):
            pass
        ledger.blocked(self._store, self.attachment, None)

    def _writable(self, timeout_ms: int | None) -> bool:
        for fd, event in self._poll.poll(timeout_ms):
            if fd == self._stop:
                raise StoppedError
            if event & (select.POLLERR | select.POLLHUP | select.POLLNVAL):
                raise OutputGoneError
            return True
        return False


def _made(letters: list[letter.Letter], now: moment.Moment, *, fold: bool) -> letter.Batch:
    return digest.make(letters, now) if fold else letter.batch(letters, now)
