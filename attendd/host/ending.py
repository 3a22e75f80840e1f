"""How a process with a host in it ends: soon, whatever a plugin is doing in the loop."""

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from attendd import guard
from attendd.hot import attach

ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""The signals that are a clean end."""
END_S = 0.6
"""How long a plugin may go on when the host is asked to end."""
PATIENCE_S = 3.0
"""How much longer it may take on a machine that has no time, where no plugin is at fault."""
LEFT_S = 0.2
"""How long tasks that are cancelled at the end may take."""

asked = threading.Event()
"""Whether a signal to end has come; there is one for the process, as it gets all of them."""
to_stop = threading.Event()
"""Whether its person wants it stopped, as by Ctrl-Z, which waits until another is the host."""


class Signals:
    """Has a thread answer the signals that end a process, whatever its main thread does."""

    def __init__(
        self,
        end: Callable[[], None],
        reload: Callable[[], None] | None = None,
        make_way: Callable[[], None] | None = None,
    ) -> None:
        """Answer them from here on; one that was held back since an exec comes first.

        Args:
            end: called in that thread, at each of them.
            reload: called instead at SIGHUP, which then ends nothing.
            make_way: called at SIGTSTP, which then stops nothing by itself; see `to_stop`.
        """
        self._end = end
        self._reload = reload
        self._make_way = make_way
        readable, writable = os.pipe()
        os.set_blocking(writable, False)
        signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
        for number in ENDING:
            signal.signal(number, self._note)
        if make_way and signal.getsignal(signal.SIGTSTP) is signal.SIG_DFL:
            signal.signal(signal.SIGTSTP, self._note)
        thread = threading.Thread(target=self._wait, args=(readable,), daemon=True)
        thread.name = "signals"
        thread.start()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)

    def _note(self, number: int, _frame: object) -> None:
        if self._ends(number):
            asked.set()

    def _ends(self, number: int) -> bool:
        return number in ENDING and not (self._reload and number == signal.SIGHUP)

    def _wait(self, readable: int) -> None:
        while numbers := os.read(readable, 64):
            if any(self._ends(number) for number in numbers):
                asked.set()
                self._end()
            elif self._reload and signal.SIGHUP in numbers:
                self._reload()
            elif self._make_way and signal.SIGTSTP in numbers:
                to_stop.set()
                self._make_way()


def insist(done: threading.Event, stop: Callable[[], object] | None) -> None:
    """End a host, in another thread than its own; and the process, if it takes too long.

    Args:
        done: set once it has ended.
        stop: asks it to; ``None`` while there is no loop yet that could hear it.
    """
    if stop is not None:
        with contextlib.suppress(RuntimeError):  # the loop has just been closed
            stop()
    if done.wait(END_S / 2):
        return
    guard.hurry()
    if not done.wait(END_S / 2) and (guard.busy() or not done.wait(PATIENCE_S)):
        with contextlib.suppress(OSError):
            os.unlink(attach.host_bell())  # noqa: PTH108 - the least that can go wrong
        os._exit(0)


def run_loop(main: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine as `asyncio.run` does, but wait for nothing that does not end by itself.

    The process ends or becomes another program soon after, and what is left with it.
    """
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        loop.run_until_complete(main)
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=LEFT_S))
