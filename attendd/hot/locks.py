"""Locks that the kernel lets go of when their holder dies, with a note of who holds them."""

import fcntl
import posix

from attendd.hot import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_TRIES = 8


def take(path: str, note: str) -> int | None:
    """Take a lock, or leave it to whoever has it. Never waits.

    Args:
        path: a file in a folder of our own; made if missing.
        note: one line for `holder`: pid, start time, kind, version.

    Returns:
        A descriptor that holds the lock for as long as it, or a copy of it, is open; no
        child inherits it. ``None`` if somebody else holds the lock.

    Raises:
        OSError: the file can't be made, or its file system has no locks.
    """
    flags = posix.O_RDWR | posix.O_CREAT | posix.O_NOFOLLOW | posix.O_CLOEXEC
    for _ in range(_TRIES):
        fd = posix.open(path, flags, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if guards(path, fd):
                write_note(fd, note)
                return fd
        except BlockingIOError:
            posix.close(fd)
            return None
        except BaseException:
            posix.close(fd)
            raise
        posix.close(fd)  # the file was removed while we took it: what we hold guards nothing
    return None


def seize(path: str) -> int | None:
    """Take a lock that its holder left, to clear away after it; its file and note stay.

    Whoever is taking it at this moment finds it held, by nobody it could wait for, and tries
    again.

    Returns:
        A descriptor that holds the lock; ``None`` if there is none, or somebody holds it.
    """
    try:
        fd = posix.open(path, posix.O_RDWR | posix.O_NOFOLLOW | posix.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if guards(path, fd):
            return fd
    except OSError:
        pass
    posix.close(fd)
    return None


def pass_on(held: "Sequence[int]") -> None:
    """Let the program that this process becomes next hold locks on; -1 is none."""
    for fd in held:
        if fd >= 0:
            posix.set_inheritable(fd, True)  # noqa: FBT003 - its only form


def keep_to_itself(held: "Sequence[int]") -> None:
    """Let no child inherit locks: one that lived longer would go on holding them."""
    for fd in held:
        if fd >= 0:
            posix.set_inheritable(fd, False)  # noqa: FBT003 - its only form


def give_back(path: str, fd: int) -> None:
    """Let go of a lock for good, and leave no file; who waits for it makes another one."""
    try:
        if guards(path, fd):
            posix.unlink(path)
    except OSError:
        pass  # somebody else's file system; the lock itself is gone all the same
    posix.close(fd)


def holder(path: str) -> list[str]:
    """Return the words of the note, ``[]`` if there is none.

    The note outlives a holder that was killed: compare its pid and start time with
    `process.alive` before believing it.
    """
    try:
        with open(path, "rb", 0) as file:
            line, newline, _ = file.read(1024).partition(b"\n")
    except OSError:
        return []
    return line.decode("utf-8", "replace").split() if newline else []


def claimed(path: str) -> bool:
    """Tell whether the process that a lock's note names still lives."""
    words = holder(path)
    if len(words) <= 1 or not words[0].isdecimal():
        return False
    return process.alive(int(words[0]), words[1]) is True


def guards(path: str, fd: int) -> bool:
    """Tell whether a lock is the one that others find at its path, not a removed file's."""
    ours = posix.fstat(fd)
    try:
        there = posix.stat(path)
    except FileNotFoundError:
        return False
    return (ours.st_dev, ours.st_ino) == (there.st_dev, there.st_ino)


def write_note(fd: int, note: str) -> None:
    """Replace the note; whoever reads its first line in between sees the old or the new one.

    A disk without room loses the note, not the lock.
    """
    line = note.rstrip("\n").encode() + b"\n"
    try:
        posix.pwrite(fd, line, 0)
        posix.ftruncate(fd, len(line))
    except OSError:
        return
