"""Which process is which, and whether it still lives.

A process is (boot id, pid namespace, pid, start time). All of it is read from ``/proc``; where
that is missing, or is another namespace's, the answer is *unknown*, never *dead*.
"""

import posix
import sys
import time

from attendd.hot import folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PROC = "/proc"
"""Where the kernel shows processes; another path stands for a system without it."""

_STAT_BYTES = 4096
"""More than the kernel writes about one process."""
_ROUNDING_S = 0.1
"""How far the start of a process and the time of a file may be off."""
_FARTHEST = 64
"""Ancestors looked at; a real chain has some ten."""


def boot_id() -> str:
    """Name this boot of the machine; ``''`` where the system has no name for it."""
    return folders.read(f"{PROC}/sys/kernel/random/boot_id", 256).partition("\n")[0]


def pid_namespace() -> str:
    """Name the space our pids are counted in, as ``pid:[4026531836]``; ``''`` if unknown."""
    try:
        return posix.readlink(f"{PROC}/self/ns/pid")
    except OSError:
        return ""


def start_time(pid: int) -> str | None:
    """Return when a process started, as its kernel counts it: opaque, only for comparing.

    Returns:
        Field 22 of ``/proc/<pid>/stat`` (clock ticks since boot, of proc(5)); ``None`` if there
        is no such process, or only its remains; ``''`` where that can't be known.
    """
    row = _look(pid)
    if row is not None:
        state, _, start, _ = row
        return None if state in "ZX" else start
    return None if _exists(pid) is False else ""


def ran_at(pid: int, wall: float) -> bool:
    """Tell whether a process is known to run that ran at a moment, too; ``wall`` is wall clock.

    So one may have written a file that was written then; one whose pid was used again has not.
    """
    start = start_time(pid) or ""
    if not start.isdecimal():
        return False
    ago = time.clock_gettime(time.CLOCK_BOOTTIME) - int(start) / posix.sysconf("SC_CLK_TCK")
    return time.time() - ago <= wall + _ROUNDING_S


def alive(
    pid: int, start: str, pidns: str | None = None, boot: str | None = None
) -> bool | None:
    """Tell whether the process that was once seen still runs.

    Args:
        pid: its pid, in its own namespace.
        start: its start time, as `start_time` gave it; ``''`` if that was not known.
        pidns: its namespace, as `pid_namespace` gave it; ``None`` means ours.
        boot: the boot it was seen in, as `boot_id` gave it; ``None`` means this one.

    Returns:
        ``None`` if it can't be known from here: another namespace, no ``/proc``, or a start
        time that is not known.
    """
    if boot is not None and boot != (own := boot_id()):
        return False if boot and own else None
    if pidns is not None and pidns != pid_namespace():
        return None
    found = start_time(pid)
    if found is None:
        return False if _sees_all() else None
    if not found or not start:
        return None
    return found == start


def stopped(pid: int, pidns: str | None = None) -> bool:
    """Tell whether a process is known to be stopped, so that it does nothing until continued.

    Args:
        pid: its pid, in its own namespace.
        pidns: its namespace; ``None`` means ours.
    """
    if pidns is not None and pidns != pid_namespace():
        return False
    row = _look(pid)
    return row is not None and row[0] in "Tt"


def ancestors(pid: int | None = None) -> "Iterator[tuple[int, str, str]]":
    """Find who started us, and who started them: (pid, start time, name), nearest first.

    Args:
        pid: whose ancestors; ours by default.

    Yields:
        As far up as can be seen. Without ``/proc`` only our parent, with nothing known of it.
    """
    row = _look("self" if pid is None else pid)
    if row is None and pid is None:
        yield (posix.getppid(), "", "")
    for _ in range(_FARTHEST):
        parent = row[1] if row is not None else 0
        row = _look(parent) if parent > 0 else None
        if row is None:
            return
        yield (parent, row[2], row[3])


def open_pidfd(pid: int, start: str) -> int | None:
    """Open a descriptor that becomes readable when a process ends.

    Returns:
        ``None`` where the system has none, or if the process is not, or no longer, the one that
        started then. The descriptor is closed on exec.
    """
    if sys.platform != "linux":
        return None
    try:
        fd = posix.pidfd_open(pid)
    except (AttributeError, OSError):
        return None
    # Looked up after opening: what the descriptor holds can't have been replaced in between.
    if not start or start_time(pid) != start:
        posix.close(fd)
        return None
    return fd


def _look(pid: int | str) -> tuple[str, int, str, str] | None:
    """Read (state, parent, start time, name); ``None`` if there is nothing to read."""
    try:
        fd = posix.open(f"{PROC}/{pid}/stat", posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return None
    try:
        data = posix.read(fd, _STAT_BYTES)
    except OSError:  # it ended just now
        return None
    finally:
        posix.close(fd)
    # The name may hold blanks, brackets and newlines; what follows its last bracket may not.
    head, _, tail = data.rpartition(b")")
    fields = tail.split()
    if len(fields) < 20:  # noqa: PLR2004 - field 22, counted from the third
        return None
    name = head.partition(b"(")[2].decode("utf-8", "replace")
    return fields[0].decode(), int(fields[1]), fields[19].decode(), name


def _exists(pid: int) -> bool | None:
    """Ask the kernel; ``None`` means that something is there which we may not ask about."""
    if pid <= 0:
        return False
    try:
        posix.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return None
    return True


def _sees_all() -> bool:
    """Whether a process we don't find is certainly not there."""
    return sys.platform == "darwin" or _look("self") is not None
