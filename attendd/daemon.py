"""Composes the parts into a running host: embedded in a reader, or as the program `attendd`."""

import argparse
import asyncio
import os
import signal
import sys
import threading
import time
from pathlib import Path

from attendd import log, registry
from attendd.clock import SystemClock
from attendd.config import LiveConfig
from attendd.errors import AttendError
from attendd.harness import ClaudeHarness
from attendd.host.parts import Parts
from attendd.host.runner import Host
from attendd.hot import attach, bell, identity, locks, places, reader, run
from attendd.store import Store
from attendd.store.journal import Journal

TAKEOVER_S = 10.0
"""How long a service waits for an embedded host to step back."""

_LOOK_S = 0.05
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_log = log.get_logger("daemon")


class Embedded:
    """A host in the process of a reader: the loop in one thread, the reading in another."""

    def __init__(self, reader_lock: int, name: str) -> None:
        """Prepare both.

        Args:
            reader_lock: the descriptor that holds the reader's lock.
            name: what to go by outside a client.
        """
        self._out = private_stdout()
        self._ended, self._end = os.pipe()
        caller = identity.resolve(name, own=True)
        self._reading = reader.Reader(caller, self._ended, reader_lock, self._out)
        self._host = Host(parts(), attach.host_bell(), wants_out=successor_waits)
        self._failure: Exception | None = None

    def run(self) -> bool:
        """Be the host until the reader has a reason to end.

        Returns:
            True to go on as a reader, because a service takes over; false when all is done.

        Raises:
            Exception: the host failed; reading can be taken up again.
        """
        self._reading.stays = True
        try:
            asyncio.run(self._serve())
        finally:
            os.dup2(self._out, 1)
        if self._failure is not None:
            raise self._failure
        return self._host.yielded

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            loop.add_signal_handler(number, self._end_reading)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)  # held back since before the exec
        thread = threading.Thread(target=self._read, args=(loop,), name="reader")
        thread.start()
        try:
            await self._host.run()
        finally:
            os.write(self._end, b"!")
            await asyncio.to_thread(thread.join)

    def _end_reading(self) -> None:
        """End for good: the reader detaches, and the host follows it."""
        self._reading.stays = False
        os.write(self._end, b"!")

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            run.supervise(self._reading, self._ended, may_host_in=None)
        except Exception as error:  # noqa: BLE001 - it is raised again where the host ends
            self._failure = error
        loop.call_soon_threadsafe(self._host.stop)


def embedded(reader_lock: int, name: str) -> bool:
    """Be the host inside a reader; see `Embedded.run`."""
    log.configure("warning")  # beside a session's own output only what went wrong
    return Embedded(reader_lock, name).run()


def parts() -> Parts:
    """Open and load what a host is made of.

    Raises:
        StoreError: the store can't be used.
    """
    found = registry.load()
    for rejected in found.rejected:
        _log.warning("a plugin was set aside", name=rejected.name, why=rejected.reason)
    store = Store()
    for notice in store.notices():
        _log.warning("store", what=notice)
    return Parts(
        store=store,
        journal=Journal(Path(places.state_dir()) / "journal.db"),
        registry=found,
        config=LiveConfig(found.sensors),
        harness=ClaudeHarness(Path(places.client_dir())),
        clock=SystemClock(),
    )


def private_stdout() -> int:
    """Keep standard output for what the session is told; a stray print goes to stderr.

    Returns:
        The descriptor that the lines go to; no child inherits it.
    """
    out = os.dup(1)
    os.dup2(2, 1)
    return out


def successor_waits() -> bool:
    """Tell whether a service has asked to be the host, and still lives."""
    return locks.claimed(attach.host_claim())


def main() -> int:
    """Run `attendd` in the foreground until a signal; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="attendd", description="Run attend's host in the foreground, for all sessions."
    )
    parser.add_argument("--version", action="version", version=f"attendd {attach.VERSION}")
    parser.add_argument("--log-level", default="info", choices=sorted(log.LEVELS))
    log.configure(parser.parse_args().log_level)
    try:
        lock = take_over()
        asyncio.run(_daemon())
    except AttendError as error:
        sys.stderr.write(f"attendd: {error}\n")
        return error.exit_code
    os.close(lock)
    return 0


async def _daemon() -> None:
    host = Host(parts(), attach.host_bell(), wants_out=lambda: False)
    for number in _SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, host.stop)
    await host.run()


def take_over() -> int:
    """Become the host, in place of an embedded one if need be; return the lock.

    Raises:
        AttendError: another host does not step back.
    """
    note = f"{os.getpid()} {attach.own_start()} daemon {attach.VERSION}"
    claim = locks.take(attach.host_claim(), note)
    if claim is None:
        raise AttendError("another attendd is starting", hint="attend status")
    try:
        until = time.monotonic() + TAKEOVER_S
        while (lock := locks.take(attach.host_lock(), note)) is None:
            bell.ring(attach.host_bell())
            if time.monotonic() > until:
                holder = " ".join(locks.holder(attach.host_lock())[:1])
                raise AttendError(
                    f"another host is running (process {holder})", hint="attend status"
                )
            time.sleep(_LOOK_S)
    finally:
        Path(attach.host_claim()).unlink(missing_ok=True)
        os.close(claim)
    return lock


if __name__ == "__main__":
    sys.exit(main())
