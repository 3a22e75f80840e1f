"""One process's reading of one session: print what is due until there is a reason to end."""

import posix
import time

from attendd.hot import (
    attach,
    conduit,
    db,
    ears,
    identity,
    locks,
    moment,
    roll,
    summons,
    upgrade,
    vigil,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SAFETY_LOOK_S = 45.0
"""Without a host, a reader looks into the store this often unasked, so a ring that was lost
delays a line by no more. With or without one, it makes sure as often that it can be rung."""
HOSTED_LOOK_S = 300.0
"""How often it looks unasked while there is a host. The host rings once more for what still
waits, so readers sleep longer, and many of them cost nothing."""
SIGN_OF_LIFE_S = 600.0
"""How often a reader writes down that its session goes on."""
HANDOVER_LOOK_S = 1.0
"""How often a reader looks who is the host while that is changing."""
STANDBY_LOOK_S = 10.0
"""How often a second reader of one session looks whether the first is gone."""

CLIENT_ENDED = "client ended"
OUTPUT_CLOSED = "output closed"
SIGNALLED = "signal"


class HostWanted(Exception):  # noqa: N818 - not an error: nobody is the host, and we hold its lock
    """The host's lock has fallen to this process.

    Attributes:
        lock: the descriptor that holds it.
    """

    def __init__(self, lock: int) -> None:
        super().__init__(lock)
        self.lock = lock


class NewerReady(Exception):  # noqa: N818 - not an error: this process can become newer code
    """The code was replaced, and the newer one has passed its trial.

    Attributes:
        upgrade: where that was found out.
    """

    def __init__(self, upgrade: upgrade.Upgrade) -> None:
        super().__init__(upgrade)
        self.upgrade = upgrade


class Reader:
    """Reads for one caller.

    Attributes:
        caller: whom it reads for.
        attachment: the id it is attached under.
        lock: the descriptor of its reader lock, -1 while another process holds it.
        out: the descriptor that it writes lines to.
        wrote_at: when something was last written there, on the clock that counts suspend.
        newer: watches over the code; ``None`` where another part of this process does.
        tell: called with the pid of another process that reads for this caller, if one does,
            and with nothing when this one begins.
        warn: called with what a person should know of the store's opening; often nothing.
        stays: a signal to stop only means that another program goes on in this process, so
            nothing is written down about an end.
    """

    def __init__(
        self, caller: identity.Caller, stop: int, lock: int = -1, out: int = 1
    ) -> None:
        """Prepare to read.

        Args:
            caller: a resolved caller.
            stop: a descriptor that becomes readable when to end.
            lock: a reader lock that this process holds already, or -1.
            out: the descriptor to write lines to.
        """
        self.caller = caller
        self.attachment = attach.attachment_id(caller)
        self.lock = lock
        self.out = out
        self.wrote_at = float("-inf")
        self.newer: upgrade.Upgrade | None = None
        self.tell: Callable[[str], None] = lambda _pid: None
        self.warn: Callable[[str], None] = lambda _notice: None
        self.stays = False
        self._stop = stop
        self._signed_bt = moment.boot_seconds()
        self._followed: list[str] = []
        self._host_paths = ("", "")
        self._service: summons.Summons | None = None
        self._host_note = f"{posix.getpid()} {attach.own_start()} embedded {attach.VERSION}"

    def serve(self, *, may_host_in: float | None) -> str:
        """Print what is due until there is a reason to end.

        Args:
            may_host_in: seconds until this process offers to be the host; ``None``: never.

        Returns:
            The reason: `CLIENT_ENDED`, `OUTPUT_CLOSED` or `SIGNALLED`.

        Raises:
            HostWanted: nobody is the host; this process holds its lock now.
            NewerReady: newer code can go on in this process.
            StoreError: the store can't be used at the moment.
        """
        watch = vigil.Vigil()
        watch.add(vigil.STOP, self._stop)
        watch.add(vigil.OUTPUT, self.out, 0)
        follow_client(watch, self.caller)
        try:
            self._look_for_newer()
            reason = self._stand_by(watch) or self._attached(watch, may_host_in)
        finally:
            watch.close()
        if self.lock >= 0 and not (reason == SIGNALLED and self.stays):
            locks.give_back(attach.lock_path(self.caller, self.attachment), self.lock)
            self.lock = -1
        return reason

    def _stand_by(self, watch: vigil.Vigil) -> str:
        """Wait until no other process reads for this caller; nothing goes to the session."""
        path = attach.lock_path(self.caller, self.attachment)
        while self.lock < 0:
            taken = locks.take(path, f"{posix.getpid()} {attach.own_start()} reader")
            if taken is not None:
                self.lock = taken
                break
            holder = locks.holder(path)
            if len(holder) > 1:
                watch.follow(vigil.HOLDER, int(holder[0]), holder[1])
                self.tell(holder[0])
            pause = min(STANDBY_LOOK_S, self._look_for_newer())
            if reason := _reason(watch.wait(pause)):
                return reason
        watch.unfollow(vigil.HOLDER)
        self.tell("")
        return ""

    def _attached(self, watch: vigil.Vigil, may_host_in: float | None) -> str:
        store = db.connect()
        self.warn(store.notice)
        heard = ears.Ears(watch, attach.bell_path(self.attachment), self.caller.workdir)
        try:
            heard.listen(attach.attach(store, self.caller, self.attachment))
            reason = self._read(store, watch, heard, may_host_in)
            if reason != SIGNALLED or not self.stays:
                attach.detach(store, self.attachment, reason)
        except BaseException:
            heard.close(unbind=False)
            raise
        else:
            heard.close(unbind=True)
        finally:
            store.close()
        return reason

    def _read(
        self,
        store: db.Connection,
        watch: vigil.Vigil,
        heard: ears.Ears,
        may_host_in: float | None,
    ) -> str:
        shown = conduit.Conduit(
            store,
            self.attachment,
            self.caller.session,
            name=attach.conduit_name(self.caller),
            out=self.out,
            stop=self._stop,
        )
        shown.wrote_at = self.wrote_at
        host_from = None if may_host_in is None else moment.boot_seconds() + may_host_in
        self._host_paths = (attach.host_claim(), attach.host_lock())
        self._service = summons.Summons(attach.service_door(), attach.host_lock())
        ready: set[str] = set()
        while True:
            heard.hear(ready)
            shown.session = attach.follow(store, self.caller, self.attachment)
            try:
                again_in = shown.drain()
            except conduit.OutputGoneError:
                return OUTPUT_CLOSED
            except conduit.StoppedError:
                return SIGNALLED
            finally:
                self.wrote_at = shown.wrote_at
            self._give_sign(store)
            pause = SAFETY_LOOK_S
            if host_from is not None:
                pause = self._look_for_host(watch, host_from)
            more_in = upgrade.FAR_S if again_in is None else again_in
            pause = min(pause, more_in, self._look_for_newer())
            ready = self._wait(watch, heard, pause)
            if reason := _reason(ready):
                return reason
            if not ready and pause >= SAFETY_LOOK_S:
                heard.renew()
                self._renew_lock()
            if vigil.HOST in ready:
                watch.unfollow(vigil.HOST)

    def _wait(self, watch: vigil.Vigil, heard: ears.Ears, seconds: float) -> set[str]:
        """Wait at most so long; look at nothing but a name or two in between."""
        until = moment.boot_seconds() + seconds
        while True:
            left = max(0.0, until - moment.boot_seconds())
            ready = watch.wait(min(left, SAFETY_LOOK_S))
            if ready or left <= SAFETY_LOOK_S or not heard.reached():
                return ready
            if self._look_for_newer() < left:
                return ready

    def _renew_lock(self) -> None:
        """Have the lock where others look for it: a log-out removes the folder it is in."""
        path = attach.lock_path(self.caller, self.attachment)
        if self.lock < 0 or locks.guards(path, self.lock):
            return
        taken = locks.take(path, f"{posix.getpid()} {attach.own_start()} reader")
        if taken is not None:
            posix.dup2(taken, self.lock, False)  # noqa: FBT003 - no child inherits it
            posix.close(taken)

    def _give_sign(self, store: db.Connection) -> None:
        now = moment.boot_seconds()
        if now - self._signed_bt > SIGN_OF_LIFE_S:
            self._signed_bt = now
            roll.seen(store, self.caller.session, time.time())

    def _look_for_newer(self) -> float:
        """Look whether newer code can go on here; return after how long to look again.

        Raises:
            NewerReady: it can.
        """
        if self.newer is None:
            return upgrade.FAR_S
        pause = self.newer.look()
        if self.newer.ready:
            raise NewerReady(self.newer)
        return pause

    def _look_for_host(self, watch: vigil.Vigil, host_from: float) -> float:
        """Follow the host, or offer to be it; return after how long to look again.

        Raises:
            HostWanted: nobody is.
        """
        now = moment.boot_seconds()
        wait = host_from - now
        if wait > 0:
            return min(wait, SAFETY_LOOK_S)
        if self.newer is not None and self.newer.is_other():
            return SAFETY_LOOK_S  # what it would become may not start
        claim, lock = self._host_paths
        if locks.claimed(claim) or (self._service and self._service.expected(now)):
            return HANDOVER_LOOK_S
        taken = locks.take(lock, self._host_note)
        if taken is not None:
            raise HostWanted(taken)
        holder = locks.holder(lock)
        if len(holder) <= 1:  # it is about to write its note
            return HANDOVER_LOOK_S
        if holder[:2] != self._followed or not watch.follows(vigil.HOST):
            self._followed = holder[:2]
            watch.follow(vigil.HOST, int(holder[0]), holder[1])
        return HOSTED_LOOK_S


def follow_client(watch: vigil.Vigil, caller: identity.Caller) -> None:
    """Wake when the caller's client ends, if it has one."""
    if caller.client_pid is not None:
        watch.follow(vigil.CLIENT, caller.client_pid, caller.client_start, caller.client_pidns)


def _reason(ready: set[str]) -> str:
    if vigil.STOP in ready:
        return SIGNALLED
    if vigil.CLIENT in ready:
        return CLIENT_ENDED
    return OUTPUT_CLOSED if vigil.OUTPUT in ready else ""
