"""How a process ended that is no child of ours: its pidfd knows, on Linux from 6.15 on."""

import contextlib
import fcntl
import os
import struct

_GET_INFO = 0xC040FF0B
_EXIT = 1 << 3
_SIZE = 64
_STATUS_AT = 60


class Ending:
    """Holds on to one process so that it can be told how it ended."""

    def __init__(self, pid: int) -> None:
        """Take hold of it, if the system has a way."""
        self._fd = -1
        with contextlib.suppress(OSError, AttributeError):
            self._fd = os.pidfd_open(pid)

    def code(self) -> int | None:
        """Return its exit code, negative for the signal that ended it; ``None``: not known.

        It is known once its parent has asked for it.

        Source:
            ``PIDFD_GET_INFO`` and ``struct pidfd_info`` of ``linux/pidfd.h``.
        """
        if self._fd < 0:
            return None
        info = bytearray(_SIZE)
        struct.pack_into("=Q", info, 0, _EXIT)
        try:
            fcntl.ioctl(self._fd, _GET_INFO, info)
        except OSError:
            return None
        if not struct.unpack_from("=Q", info, 0)[0] & _EXIT:
            return None
        return os.waitstatus_to_exitcode(struct.unpack_from("=i", info, _STATUS_AT)[0])

    def let_go(self) -> None:
        """Let go of it."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
