"""A host in the process of a reader: the loop in the main thread, the reading in another.

The reading is what the process is for: it begins first, and when it ends, all ends, whatever a
plugin is doing in the loop.
"""

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable

from attendd import guard
from attendd.host.ending import Signals, insist, run_loop
from attendd.host.runner import Host
from attendd.hot import identity, reader, run


class Embedded:
    """What a process is that reads for its session and is the host for all."""

    def __init__(self, reader_lock: int, name: str, make: Callable[[], Host], out: int) -> None:
        """Prepare both.

        Args:
            reader_lock: the descriptor that holds the reader's lock.
            name: what to go by outside a client.
            make: puts the host together; imports and calls plugins.
            out: the descriptor that the session's lines go to.
        """
        self._out = out
        self._make = make
        self._ended, self._end = os.pipe()
        caller = identity.resolve(name, own=True)
        self._reading = reader.Reader(caller, self._ended, reader_lock, out)
        self._reading.stays = True
        self._read = threading.Event()
        self._done = threading.Event()
        self._failure: Exception | None = None
        self._stop: Callable[[], object] | None = None
        self._make_way: Callable[[], object] = lambda: None

    def run(self) -> bool:
        """Be the host until the reader has a reason to end.

        Returns:
            True to go on as a reader, because another takes over; false when all is done.

        Raises:
            Exception: the host failed; reading can be taken up again.
        """
        guard.ready()
        Signals(self._end_reading, make_way=self._step_aside)
        thread = threading.Thread(target=self._do_read, name="reader", daemon=True)
        thread.start()
        try:
            yielded = self._host()
        finally:
            self._done.set()
            os.write(self._end, b"!")
            thread.join()
        if self._failure is not None:
            raise self._failure
        return yielded and self._reading.stays  # a signal ends it, whoever takes over

    def _host(self) -> bool:
        host = self._make()
        if not self._read.is_set():
            run_loop(self._serve(host))
        return host.yielded

    async def _serve(self, host: Host) -> None:
        loop = asyncio.get_running_loop()
        self._stop = lambda: loop.call_soon_threadsafe(host.stop)
        self._make_way = lambda: loop.call_soon_threadsafe(host.make_way)
        if self._read.is_set():
            return
        await host.run()

    def _step_aside(self) -> None:
        """Have another process be the host, before this one is stopped."""
        with contextlib.suppress(RuntimeError):  # the loop has just been closed
            self._make_way()

    def _end_reading(self) -> None:
        """End for good: the reader detaches, and the host follows it."""
        self._reading.stays = False
        os.write(self._end, b"!")

    def _do_read(self) -> None:
        try:
            run.supervise(self._reading, self._ended, may_host_in=None)
        except Exception as error:  # noqa: BLE001 - it is raised again where the host ends
            self._failure = error
        self._read.set()
        insist(self._done, self._stop)
