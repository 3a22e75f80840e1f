"""How a process ended that is no child of ours, and when.

Its pidfd can be read once it has ended. Its exit code stands in ``/proc`` until its parent has
asked for it, and from then on its pidfd knows it, on Linux from 6.15 on.
"""

import asyncio
import contextlib
import fcntl
import os
import struct
import time
from collections.abc import Callable, Hashable, Mapping
from typing import Generic, NamedTuple, TypeVar

_GET_INFO = 0xC040FF0B
_EXIT = 1 << 3
_SIZE = 64
_STATUS_AT = 60
_STATE, _START, _EXIT_CODE = 0, 19, 49
"""Fields of ``/proc/PID/stat``, counted from its third."""

KeyT = TypeVar("KeyT", bound=Hashable)


class Outcome(NamedTuple):
    """What is known of how a process ended.

    Attributes:
        code: its exit code, negative for the signal that ended it; ``None``: not known.
        final: whether nothing more will be known.
    """

    code: int | None
    final: bool


class Ending:
    """Holds on to one process so that it can be told how it ended.

    Attributes:
        fd: its pidfd; -1 if there is none.
        heard: whether the event loop says when it has ended.
    """

    def __init__(self, pid: int = 0, start: str = "", proc: str = "/proc") -> None:
        """Take hold of a process, if the system has a way.

        Args:
            pid: its number; 0 for one that nothing can be known of.
            start: when it started, as `sensors.processes.source.Stat` has it.
            proc: where the kernel shows processes.
        """
        self.fd = -1
        self.heard = False
        self._pid, self._start, self._proc = pid, start, proc
        if pid > 0:
            with contextlib.suppress(OSError, AttributeError):
                self.fd = os.pidfd_open(pid)
        if self.fd >= 0 and self._state()[_START : _START + 1] != [start]:
            self.let_go()  # of another one, which has its number now

    def outcome(self) -> Outcome:
        """Return how it ended, as far as that is known now.

        Source:
            ``exit_code`` of proc_pid_stat(5); ``PIDFD_GET_INFO`` and ``struct pidfd_info`` of
            ``linux/pidfd.h``.
        """
        fields = self._state()
        if fields and fields[_START] == self._start:
            known = fields[_STATE] == "Z" and len(fields) > _EXIT_CODE and self._may_see()
            if known:
                return Outcome(os.waitstatus_to_exitcode(int(fields[_EXIT_CODE])), final=True)
            return Outcome(None, final=False)
        if self.fd < 0:
            return Outcome(None, final=True)
        info = bytearray(_SIZE)
        struct.pack_into("=Q", info, 0, _EXIT)
        try:
            fcntl.ioctl(self.fd, _GET_INFO, info)
        except OSError:
            return Outcome(None, final=True)
        if not struct.unpack_from("=Q", info, 0)[0] & _EXIT:
            return Outcome(None, final=False)
        status = struct.unpack_from("=i", info, _STATUS_AT)[0]
        return Outcome(os.waitstatus_to_exitcode(status), final=True)

    def let_go(self) -> None:
        """Let go of it."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def _state(self) -> list[str]:
        try:
            with open(f"{self._proc}/{self._pid}/stat", "rb", 0) as file:  # noqa: PTH123
                return (file.read(4096) or b"").rpartition(b")")[2].decode().split()
        except OSError:
            return []

    def _may_see(self) -> bool:
        """Whether the kernel shows us its exit code, and no 0 in its place."""
        try:
            os.readlink(f"{self._proc}/{self._pid}/cwd")  # noqa: PTH115 - cheaper
        except PermissionError:
            return False
        except OSError:
            return True  # what has ended is nowhere
        return True


class Hearing(Generic[KeyT]):
    """Has the event loop say at once when a process that is followed ends."""

    def __init__(self, ended: Callable[[KeyT, float, Outcome], None]) -> None:
        """Follow nothing yet.

        Args:
            ended: called with the key of a process, with when it ended, on the clock that
                counts suspend, and with what is known of how.
        """
        self._ended = ended
        self._followed: dict[KeyT, Ending] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def follow(self, endings: Mapping[KeyT, Ending]) -> None:
        """Follow these from now on, and let go of all others. To be called in the loop."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop = loop
            for each in self._followed.values():
                each.heard = False
        for key in [key for key, each in self._followed.items() if endings.get(key) != each]:
            gone = self._followed.pop(key)
            if gone.heard:
                loop.remove_reader(gone.fd)
            gone.let_go()
        for key, each in endings.items():
            self._followed[key] = each
            if each.fd >= 0 and not each.heard:
                each.heard = True
                loop.add_reader(each.fd, self._readable, key)

    def _readable(self, key: KeyT) -> None:
        ending = self._followed[key]
        asyncio.get_running_loop().remove_reader(ending.fd)
        self._ended(key, time.clock_gettime(time.CLOCK_BOOTTIME), ending.outcome())
