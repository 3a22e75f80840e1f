"""Tells when a watched path changed: one watchfiles watcher for the host, never recursive.

Where the system has no watches left, polling goes on without them and `Watcher.failed` says so.
"""

import functools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.abc
import anyio.lowlevel
import anyio.to_thread

from attendd.asking import Asking
from attendd.watchplan import Plan, There, plan, there

if TYPE_CHECKING:
    from watchfiles import Change

STEP_MS = 200
"""How long changes are gathered; also the longest time until a cancelled watcher is gone."""

_LINGER_S = 3 * STEP_MS / 1000
"""How long a replaced watcher goes on: two steps report everything it had heard."""

_FIRST_PAUSE_S = 5.0
_RECHECK_S = 300.0
"""How often a system without watches, or a path that can't be watched, is tried again."""


class _Listener:
    """One run of watchfiles over a fixed set of folders; a changed set needs another."""

    def __init__(self, folders: frozenset[Path]) -> None:
        self.folders = folders
        self.error: Exception | None = None
        self._stop = anyio.Event()
        self._ended = anyio.Event()
        if not folders:  # it is never started, and nobody must wait for its end
            self._ended.set()

    async def listen(self, heard: "Callable[[set[tuple[Change, str]]], None]") -> None:
        """Report changes until stopped. A failure is kept in `error`, not raised."""
        try:
            from watchfiles import awatch  # noqa: PLC0415 - not before the first word is said

            async for changes in awatch(
                *self.folders,
                watch_filter=None,
                recursive=False,
                step=STEP_MS,
                debounce=STEP_MS,
                rust_timeout=0,
                stop_event=self._stop,
                ignore_permission_denied=False,  # true hides every other error as well
            ):
                heard(changes)
        except (OSError, RuntimeError, ImportError) as error:
            self.error = error
        finally:
            self._ended.set()

    @property
    def ended(self) -> bool:
        """Whether nothing is heard any more."""
        return self._ended.is_set()

    def stop(self) -> None:
        """Ask it to end, which takes at most `STEP_MS`."""
        self._stop.set()

    async def wait_ended(self) -> None:
        """Wait until its inotify instance is given back."""
        await self._ended.wait()


class Watcher:
    """Watches a set of files and folders that may change, vanish and come back.

    Attributes:
        failed: why nothing is watched at the moment; empty while all is well.
    """

    def __init__(self, look: Callable[[str], There] = there) -> None:
        """Watch nothing yet.

        Args:
            look: sees what is there at a path; may take for ever, and then that is not watched.
        """
        self.failed = ""
        self._wanted: frozenset[Path] = frozenset()
        self._plan = Plan()
        self._asking = Asking(look)
        self._listener: _Listener | None = None
        self._rearm = anyio.Event()
        self._settled = anyio.Event()
        self._renew = False
        self._returned: set[Path] = set()
        self._on_change: Callable[[set[Path]], None] = lambda _paths: None

    def set_paths(self, paths: Iterable[Path]) -> None:
        """Replace the set of watched paths; cheap when nothing changed.

        Args:
            paths: absolute; a folder stands for its direct entries. A path that does not
                exist is noticed when it appears, provided that its parent exists.
        """
        wanted = frozenset(paths)
        if wanted != self._wanted:
            self._wanted = wanted
            self._unsettle()

    async def settled(self) -> frozenset[Path]:
        """Wait until a running watcher has done what it can about the latest `set_paths`.

        Returns:
            The paths of that one; what is wanted only since is not yet watched.
        """
        while not self._settled.is_set():
            await self._settled.wait()
        return self._wanted

    async def run(self, on_change: Callable[[set[Path]], None]) -> None:
        """Watch until cancelled, which takes at most `STEP_MS`.

        Args:
            on_change: called on the event loop with those of the paths given to
                `set_paths` that changed, or whose direct entries did.
        """
        self._on_change = on_change
        pause_s = _FIRST_PAUSE_S
        async with anyio.create_task_group() as tasks:
            try:
                while True:
                    self._rearm = anyio.Event()
                    await self._arm(tasks)
                    pause_s = (
                        _FIRST_PAUSE_S if not self.failed else min(2 * pause_s, _RECHECK_S)
                    )
                    with anyio.move_on_after(self._recheck_s(pause_s)):
                        await self._rearm.wait()
            finally:
                self._hush(self._listener)

    def _recheck_s(self, pause_s: float) -> float | None:
        """Return how long to wait before looking again unasked; `None` for ever."""
        if self.failed:
            return pause_s
        return _RECHECK_S if self._plan.unreachable else None

    async def _arm(self, tasks: anyio.abc.TaskGroup) -> None:
        """Bring the listener in line with what is wanted.

        The old one goes last, and only when it has reported what it may have heard: a stopped
        watcher throws that away.
        """
        look = functools.partial(plan, self._wanted, self._asking.ask)
        self._plan = await anyio.to_thread.run_sync(look, abandon_on_cancel=True)
        old = self._listener
        if old and not old.ended and not self._renew and old.folders == self._plan.folders:
            self._settle()
            return
        self._renew = False
        self._listener = await self._start(tasks)
        if self._listener.error and old and not old.ended:
            # the overlap itself may have been one instance too many
            old.stop()
            await old.wait_ended()
            self._listener = await self._start(tasks)
            self._returned |= self._wanted
        self._judge(self._listener.error)
        self._settle()
        if old and not old.ended:
            try:
                await anyio.sleep(_LINGER_S)
            finally:
                self._hush(old)

    def _unsettle(self) -> None:
        """Have what is watched looked at anew; who waits goes on waiting, for that."""
        before, self._settled = self._settled, anyio.Event()
        before.set()
        self._rearm.set()

    def _settle(self) -> None:
        if not self._rearm.is_set():
            self._settled.set()
        if self._returned:
            returned, self._returned = self._returned, set()
            self._on_change(returned)

    async def _start(self, tasks: anyio.abc.TaskGroup) -> _Listener:
        listener = _Listener(self._plan.folders)
        if listener.folders:
            tasks.start_soon(self._listen, listener)
            # watchfiles sets its watches before it first waits, so now they are set or failed
            await anyio.lowlevel.checkpoint()
        return listener

    async def _listen(self, listener: _Listener) -> None:
        await listener.listen(self._heard)
        if listener is self._listener and listener.error:
            self._judge(listener.error)
            self._rearm.set()

    @staticmethod
    def _hush(listener: _Listener | None) -> None:
        if listener is not None:
            listener.stop()

    def _judge(self, error: Exception | None) -> None:
        if isinstance(error, FileNotFoundError) and not self.failed:
            self._rearm.set()  # it vanished between the plan and the watch
        self.failed = (
            f"watching failed ({_reason(error)}); changes are found by looking, within a minute"
            if error
            else ""
        )

    def _heard(self, changes: "set[tuple[Change, str]]") -> None:
        touched: set[Path] = set()
        for _, name in changes:
            path = Path(name)
            touched |= {path, path.parent} & self._wanted
            if path in self._plan.folders or path in self._plan.missing:
                # the folder itself came, went or was replaced: its watch is on the old one
                self._renew = True
                self._returned |= {p for p in self._wanted if path in (p, p.parent)}
                self._unsettle()
        touched |= self._returned
        if touched:
            self._on_change(touched)


def _reason(error: Exception) -> str:
    text = str(error)
    if "watch limit" in text:
        return "no inotify watches left, fs.inotify.max_user_watches"
    if "os error 24" in text:
        return "no inotify instances left, fs.inotify.max_user_instances"
    return text.partition("\n")[0] or type(error).__name__
