"""The end of a file that somebody else appends lines to: read once, whatever its size."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

FIRST_LOOK = 256 * 1024
"""Bytes read of a file not seen before, from its end. A client's rows reach 130 KB."""
LONGEST_LINE = 1024 * 1024
"""A line longer than this is passed over; images make such ones."""
MOST_AT_ONCE = 4 * 1024 * 1024
"""Growth beyond this between two looks is passed over up to the last `FIRST_LOOK` bytes."""
FARTHEST_BACK = 8 * 1024 * 1024
"""How far before the first look `Tail.earlier` goes."""

_STEP = 256 * 1024
_MARK = 64


class Look(msgspec.Struct, frozen=True):
    """What one look at a file found.

    Attributes:
        lines: the complete lines that are new, without their newlines, oldest first. An empty
            one stands for what was passed over.
        anew: whether they are the first of a file: a new one, or one that was replaced,
            rewritten or cut.
    """

    lines: list[bytes] = []
    anew: bool = False


NOTHING = Look()


class Tail:
    """Reads what was appended to a file since the last look. A partial last line waits.

    Attributes:
        size: the file's size at the last look; 0 while there is none.
        mtime: when it was last written, wall clock; ``None`` while there is none.
        whole: whether everything from its first byte on has been read.
        problem: why it can't be read though it is there; empty while it can, or is not there.
    """

    def __init__(
        self,
        path: Path,
        read_at: Callable[[int, int, int], bytes] = os.pread,
        first_look: int = FIRST_LOOK,
    ) -> None:
        self.path = path
        self._first_look = first_look
        self.size = 0
        self.mtime: float | None = None
        self.whole = False
        self.problem = ""
        self._read_at = read_at
        self._stamp = (0, 0, 0)
        self._inode = 0
        self._end = 0
        self._partial = b""
        self._skipping = False
        self._mark = b""
        self._start = 0
        self._floor = 0
        self._head: bytes | None = None
        self._in_head = False

    def look(self) -> Look:
        """Read what is new. Costs one stat if nothing is.

        A file that can't be read counts as unchanged: it may come back.
        """
        try:
            seen = os.stat(self.path)  # noqa: PTH116 - twice as cheap, and called for ever
        except OSError as error:
            gone = error.errno in (errno.ENOENT, errno.ENOTDIR)
            self.problem = "" if gone else error.strerror or str(error)
            return NOTHING
        if (seen.st_ino, seen.st_size, seen.st_mtime_ns) == self._stamp:
            return NOTHING
        fd = self._open()
        if fd is None:
            return NOTHING
        try:
            return self._read(fd)
        except OSError as error:
            self.problem = error.strerror or str(error)
            return NOTHING
        finally:
            os.close(fd)

    def earlier(self) -> list[bytes] | None:
        """Read one more step of what lies before the first look, and return its lines.

        To be called after a `look` whose lines lacked what was looked for. None end in a step
        that lies within a long one.

        Returns:
            ``None`` if there is nothing more, or it is too far back.
        """
        if self.whole or self._start <= self._floor:
            return None
        fd = self._open()
        if fd is None:
            return None
        try:
            if os.fstat(fd).st_ino != self._inode:
                return None
            start = max(self._floor, self._start - _STEP)
            data = self._read_at(fd, self._start - start, start)
        except OSError:
            return None
        finally:
            os.close(fd)
        self._start, self.whole = start, start == 0
        return self._join(data)

    def forget(self) -> None:
        """Let go of what is kept for `earlier`, which then returns nothing more."""
        self._head, self._in_head, self._floor = None, False, self._start

    def _open(self) -> int | None:
        try:
            fd = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            self.problem = error.strerror or str(error)
            return None
        if stat.S_ISREG(os.fstat(fd).st_mode):
            self.problem = ""
            return fd
        self.problem = "it is not a plain file"
        os.close(fd)
        return None

    def _read(self, fd: int) -> Look:
        seen = os.fstat(fd)
        anew = seen.st_ino != self._inode or seen.st_size < self._end or self._rewritten(fd)
        lost = not anew and seen.st_size - self._end > MOST_AT_ONCE
        if anew or lost:
            self._begin(max(0, seen.st_size - self._first_look), anew=anew)
        lines = [b""] if lost else []
        for data in self._pieces(fd, seen.st_size):
            lines += self._split(data)
        self._inode = seen.st_ino
        self.size, self.mtime = seen.st_size, seen.st_mtime
        self._stamp = (seen.st_ino, seen.st_size, seen.st_mtime_ns)
        return Look(lines, anew)

    def _rewritten(self, fd: int) -> bool:
        """Whether what we read last is no longer where we read it."""
        mark = self._mark
        return bool(mark) and self._read_at(fd, len(mark), self._end - len(mark)) != mark

    def _begin(self, start: int, *, anew: bool) -> None:
        self._end, self._partial, self._mark = start, b"", b""
        self._skipping = start > 0
        # What lies before is of interest only as long as nothing was ever read of the file.
        self._start = start if anew else 0
        self._floor = max(0, self._start - FARTHEST_BACK)
        self._head = b"" if self._start else None
        self._in_head = self._start > 0
        self.whole = self.whole if not anew else start == 0

    def _pieces(self, fd: int, size: int) -> Iterator[bytes]:
        while self._end < size:
            data = self._read_at(fd, min(_STEP, size - self._end), self._end)
            if not data:
                return
            self._end += len(data)
            self._mark = data[-_MARK:]
            yield data

    def _split(self, data: bytes) -> list[bytes]:
        """Cut off the complete lines, and pass over those that are too long."""
        if self._skipping:
            rest, newline, data = data.partition(b"\n")
            if self._in_head:
                self._head = _grown(self._head, rest)
            if not newline:
                return []
            self._skipping = self._in_head = False
        *lines, self._partial = (self._partial + data).split(b"\n")
        if len(self._partial) > LONGEST_LINE:
            self._skipping, self._partial = True, b""
            lines.append(b"")
        return lines

    def _join(self, data: bytes) -> list[bytes]:
        """Cut an earlier step into lines; what was kept of its last one completes that."""
        first, newline, rest = (b"", b"\n", data) if self.whole else data.partition(b"\n")
        if not newline:
            self._head = _grown(first, self._head)
            return []
        *lines, last = rest.split(b"\n")
        joined = _grown(last, self._head)
        self._head = first
        return lines if joined is None else [*lines, joined]


def _grown(head: bytes | None, rest: bytes | None) -> bytes | None:
    """Put a line together; ``None`` if a part was given up or it grows too long."""
    if head is None or rest is None:
        return None
    whole = head + rest
    return None if len(whole) > LONGEST_LINE else whole
