"""What a reader turns into in place, by exec: the host, or a newer reader.

Same pid, same standard output; its lock is held all the while, and nothing is claimed. A signal
to end that comes before the next program can answer it waits until then.
"""

import posix
import select
import sys

from attendd.hot import attach, conduit, locks, moment, reader, remark, upgrade

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable, Sequence
else:
    import _signal  # the public module brings enum along

ENDING = (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP)
"""The signals that are a clean end."""
STEP_UP = f"{upgrade.HOT.rpartition('/')[0]}/step_up.py"
LATER = "disks faults graphemes lacking mimicry shell upkeep"
"""Modules that a reader imports only when it needs them, by when they may be gone."""


def host(reading: reader.Reader, stop: int, name: str, host_lock: int) -> None:
    """Turn into the full program.

    What this one wrote last is apart by then from what that one may write first. Returns only
    where a signal to end came first, which the reading then answers.

    Raises:
        OSError: it can't be started; nothing is lost but the host's lock.
    """
    words = [f"--host-lock={host_lock}", f"--lock={reading.lock}"]
    if name:
        words.append(f"--as={name}")
    full = [sys.executable, "-E", "-P", "-X", "utf8", STEP_UP, *words]
    try:
        posix.stat(STEP_UP)  # a missing one ends the interpreter
        wait = reading.wrote_at + conduit.APART_S - moment.boot_seconds()
        select.select([stop], [], [], min(max(wait, 0.0), conduit.APART_S))
        _become(full, stop, (host_lock, reading.lock))
    finally:
        posix.close(host_lock)


def newer(watched: upgrade.Upgrade, stop: int, lock: int, name: str) -> None:
    """Turn into the reader that was installed meanwhile.

    Returns only where a signal to end came first, or where it can't be started after all.
    """
    watched.ready = False
    command = upgrade.command(words(lock, name))
    if not command:
        watched.refuse("it is gone again")
        return
    try:
        _become(command, stop, (lock,))
    except OSError as error:
        watched.refuse(f"{command[0]}: {error.strerror}")


def watch(name: str, say: "Callable[[str, str], None]") -> upgrade.Upgrade:
    """Watch over the code of this reader, from now on.

    Args:
        name: what ``--as`` said.
        say: tells people a sentence and a hint.
    """

    def tell(why: str) -> None:
        if why:
            why = f"{why}; {attach.VERSION} goes on"
            say(why, "it is tried again when it has changed")
        remark.try_to_keep("upgrade", why)

    return upgrade.Upgrade(lambda: upgrade.command([*words(-1, name), upgrade.CHECK]), tell)


def words(lock: int, name: str) -> list[str]:
    """Say on a command line how the next program goes on where this one is."""
    said = ["--quiet"]
    if lock >= 0:
        said.append(f"--lock={lock}")
    if name:
        said.append(f"--as={name}")
    return said


def self_check() -> int:
    """Do what a trial is for: find out whether this program has all that it needs.

    Raises:
        Exception: it has not.
    """
    for short in LATER.split():
        __import__(f"attendd.hot.{short}")
    with open(STEP_UP, "rb", 0) as file:
        compile(file.read(), STEP_UP, "exec")
    return 0


def have_later() -> None:
    """Have ready what may be needed when the code on the disk is another's, or gone.

    Held open it takes no memory. What can't be is loaded.
    """
    hold = getattr(sys.meta_path[0], "hold", lambda _short: False)
    for short in LATER.split():
        name = f"attendd.hot.{short}"
        if name not in sys.modules and not hold(short):
            __import__(name)


def _become(command: list[str], stop: int, held: "Sequence[int]") -> None:
    locks.pass_on(held)
    _signal.pthread_sigmask(_signal.SIG_BLOCK, ENDING)
    try:
        if not select.select([stop], [], [], 0)[0]:
            posix.execv(command[0], command)
    finally:
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, ENDING)
        locks.keep_to_itself(held)
