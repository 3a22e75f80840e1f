"""Composes the parts into a running host: embedded in a reader, or as the program `attendd`."""

import argparse
import asyncio
import contextlib
import faulthandler
import gc
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from attendd import control, guard, log, registry
from attendd.clock import SystemClock
from attendd.config import LiveConfig
from attendd.errors import AttendError, HostRunningError
from attendd.harness import ClaudeHarness
from attendd.host import door, newer
from attendd.host.embedded import Embedded
from attendd.host.ending import Signals, asked, insist, run_loop
from attendd.host.front import Front
from attendd.host.parts import Parts
from attendd.host.runner import Host
from attendd.hot import attach, bell, locks, places
from attendd.hot.upgrade import Upgrade
from attendd.store import Store
from attendd.store.journal import Journal
from attendd.systemd import Manager

TAKEOVER_S = 10.0
"""How long a service waits for an embedded host to step back."""
SERVICE_S = 1.0
"""How long it waits for another service, which may just be ending."""

RESTART = 75
"""What it exits with so that its service manager starts it anew, as newer code."""

_LOOK_S = 0.05
_log = log.get_logger("daemon")


def embedded(reader_lock: int, name: str, host_lock: int) -> bool:
    """Be the host inside a reader until there is a reason to end; see `Embedded.run`."""
    log.configure("warning")  # beside a session's own output only what went wrong
    out, code = private_stdout(), newer.watch()
    try:
        return Embedded(
            reader_lock, name, lambda: embedded_host(parts(code), host_lock, code), out
        ).run()
    finally:
        os.dup2(out, 1)


def embedded_host(made: Parts, host_lock: int, code: Upgrade | None) -> Host:
    """Put together a host that makes way for a service."""
    front = Front("embedded", control.path(make=True))

    def wants_out() -> bool:
        return successor_waits() or not _holds(host_lock)

    return Host(made, attach.host_bell(), wants_out=wants_out, front=front, newer=code)


def service_host(made: Parts, host_lock: int, code: Upgrade | None, manager: Manager) -> Host:
    """Put together a host that is one by itself, and tells its manager how it fares."""
    front = Front("daemon", control.path(make=True), manager)
    if moved := attach.moved():
        _log.warning("state", what=f"{moved}; {places.MOVE}")

    def wants_out() -> bool:
        return not _holds(host_lock)

    return Host(made, attach.host_bell(), wants_out=wants_out, front=front, newer=code)


def parts(code: Upgrade) -> Parts:
    """Open and load what a host is made of.

    Args:
        code: watches over the code, from here on also over the plugins'.

    Raises:
        StoreError: the store can't be used.
    """
    found = registry.load()
    code.also(newer.plugins(found))
    for rejected in found.rejected:
        _log.warning("a plugin was set aside", name=rejected.name, why=rejected.reason)
    made = Parts(
        store=Store(),
        journal=Journal(Path(places.state_dir()) / "journal.db"),
        registry=found,
        config=LiveConfig(found.sensors),
        harness=ClaudeHarness(Path(places.client_dir())),
        clock=SystemClock(),
    )
    gc.freeze()  # what has been loaded stays: it is not looked through for garbage
    gc.enable()
    return made


def private_stdout() -> int:
    """Keep standard output for what the session is told; a stray print goes to stderr.

    Returns:
        The descriptor that the lines go to; no child inherits it.
    """
    while (fd := os.open(os.devnull, os.O_RDWR)) <= 2:  # noqa: PLR2004 - standard error
        os.set_inheritable(fd, True)  # noqa: FBT003 - its only form
    os.close(fd)  # only where one of the three is closed did it stand for that
    out = os.dup(1)
    os.dup2(2, 1)
    return out


def successor_waits() -> bool:
    """Tell whether a service has asked to be the host, and still lives."""
    return locks.claimed(attach.host_claim())


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Refuse what it doesn't take in one sentence, with a hint."""
        said = message.removeprefix("argument ")
        self.exit(2, f"attendd: {said}\n  hint: `attendd --help` says what it takes\n")


def parser() -> argparse.ArgumentParser:
    """Build the parser of `attendd`; ``docs/cli.md`` is made from its help."""
    built = _Parser(
        prog="attendd",
        description="Run attend's host in the foreground, for all sessions.",
        epilog="SIGTERM and SIGINT end it; SIGHUP has it read the configuration again."
        " `attend service install` has systemd run it.",
    )
    said = f"attendd {attach.VERSION}"
    built.add_argument("--version", action="version", version=said, help="print the release")
    built.add_argument(
        "--log-level",
        default="info",
        choices=list(log.LEVELS),
        help="the least that is worth a line on stderr, or in the journal (default: info)",
    )
    built.add_argument("--host-lock", type=int, default=-1, help=argparse.SUPPRESS)
    return built


def main() -> int:
    """Run `attendd` in the foreground until a signal; return the exit code."""
    asked_for = parser().parse_args()
    log.configure(asked_for.log_level)
    if sys.stderr is not None:
        faulthandler.enable()  # a watchdog ends by SIGABRT what is stuck: this says where
    code = newer.watch()
    os.chdir("/")  # the folder that it was started from may go
    manager = Manager(os.environ)
    try:
        lock = take_over(asked_for.host_lock)
    except AttendError as error:
        door.turn_away(manager.sockets, str(error.args[0]))
        sys.stderr.write(f"attendd: {error}\n")
        return error.exit_code
    service = _Service(lock, manager, code)
    try:
        yielded = service.run()
    except AttendError as error:
        sys.stderr.write(f"attendd: {error}\n")
        return error.exit_code
    if service.outdated:
        return _start_anew(lock, manager)
    if yielded:
        sys.stderr.write(f"attendd: the lock at {attach.host_lock()} was taken away\n")
    locks.give_back(attach.host_lock(), lock)
    sys.stdout.flush()
    os._exit(1 if yielded else 0)  # waits for nothing that a plugin left behind


def _start_anew(lock: int, manager: Manager) -> int:
    """Go on as newer code: in place, or by the manager that has the sockets to hand over."""
    sys.stdout.flush()
    if manager.present or not os.access(sys.executable, os.X_OK):
        locks.give_back(attach.host_lock(), lock)
        os._exit(RESTART)
    locks.pass_on([lock])
    words = [*sys.argv[1:], f"--host-lock={lock}"]
    os.execv(sys.executable, [sys.executable, "-P", "-m", "attendd.daemon", *words])  # noqa: S606 - the same process goes on


class _Service:
    """The host by itself.

    Attributes:
        outdated: whether it ended because newer code is to go on.
    """

    def __init__(self, lock: int, manager: Manager, code: Upgrade) -> None:
        self.outdated = False
        self._code = code
        self._lock = lock
        self._manager = manager
        self._terminal = _has_terminal()  # one that was closed is not to be told from none
        self._done = threading.Event()
        self._stop: Callable[[], object] | None = None
        self._reload: Callable[[], object] | None = None

    def run(self) -> bool:
        """Be the host until a signal; tell whether its lock was lost."""
        guard.ready()
        Signals(lambda: insist(self._done, self._stop), self._hang_up)
        newer.load_later()
        try:
            host = service_host(parts(self._code), self._lock, self._code, self._manager)
            run_loop(self._serve(host))
        finally:
            self._done.set()
        self.outdated = host.yielded and self._code.ready
        return host.yielded

    async def _serve(self, host: Host) -> None:
        loop = asyncio.get_running_loop()
        self._stop = lambda: loop.call_soon_threadsafe(host.stop)
        self._reload = lambda: loop.call_soon_threadsafe(host.reload)
        loop.call_later(newer.THEIRS_S, newer.load_theirs)
        if not asked.is_set():  # a signal came before there was a loop to hear of it
            await host.run()

    def _hang_up(self) -> None:
        """Read the configuration again; without a manager, a terminal that closed ends it."""
        if self._terminal and not self._manager.present:
            insist(self._done, self._stop)
        elif self._reload is not None:
            with contextlib.suppress(RuntimeError):  # the loop has just been closed
                self._reload()


def _holds(host_lock: int) -> bool:
    """Tell whether a lock still keeps others from being the host: its file may be removed."""
    return locks.guards(attach.host_lock(), host_lock)


def take_over(held: int = -1) -> int:
    """Become the host, in place of an embedded one if need be; return the lock.

    Args:
        held: the lock, if this process has it since before an exec.

    Raises:
        HostRunningError: another service is the host, or an embedded one does not step back.
    """
    note = f"{os.getpid()} {attach.own_start()} daemon {attach.VERSION}"
    if held >= 0:
        locks.keep_to_itself([held])
        locks.write_note(held, note)
        return held
    began, claim = time.monotonic(), None
    try:
        while True:
            claim = locks.take(attach.host_claim(), note) if claim is None else claim
            lock = None if claim is None else locks.take(attach.host_lock(), note)
            if lock is not None:
                return lock
            pid, kind = _other_host()
            patience_s = SERVICE_S if kind == "daemon" else TAKEOVER_S
            if time.monotonic() - began > patience_s:
                other = f"process {pid} ({kind})" if pid else "another attendd"
                raise HostRunningError(
                    f"{other} is attend's host already", hint="`attend status` says more of it"
                )
            if kind == "embedded":
                bell.ring(attach.host_bell())
            time.sleep(_LOOK_S)
    finally:
        if claim is not None:
            locks.give_back(attach.host_claim(), claim)


def _other_host() -> tuple[str, str]:
    """Return pid and kind of the host, if it lives: a note outlives who was killed."""
    words = locks.holder(attach.host_lock()) if locks.claimed(attach.host_lock()) else []
    return (words[0], words[2]) if len(words) > 2 else ("", "")  # noqa: PLR2004 - pid, start, kind


def _has_terminal() -> bool:
    """Tell whether this process belongs to a terminal."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
