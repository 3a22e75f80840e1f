"""``hook.log`` beside the store: what made hooks give up. Imported when one does."""

import posix
import time

from attendd.hot import places

LIMIT = 64 << 10
"""Bytes after which the older half goes."""
_LONGEST = 300


def add(reason: str) -> None:
    """Leave a line.

    Raises:
        OSError: there is no place for it.
        PlaceError: there is no folder that it could be in.
    """
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{stamp} {posix.getpid()} {' '.join(reason.split())[:_LONGEST]}\n"
    _append(f"{places.state_dir()}/hook.log", line.encode("utf-8", "replace"))


def _append(path: str, line: bytes) -> None:
    flags = posix.O_RDWR | posix.O_APPEND | posix.O_CREAT | posix.O_NOFOLLOW | posix.O_CLOEXEC
    fd = posix.open(path, flags, 0o600)
    try:
        size = posix.fstat(fd).st_size
        if size + len(line) > LIMIT:
            kept = posix.pread(fd, LIMIT // 2, max(0, size - LIMIT // 2))
            posix.ftruncate(fd, 0)
            line = kept.partition(b"\n")[2] + line
        posix.write(fd, line)
    finally:
        posix.close(fd)
