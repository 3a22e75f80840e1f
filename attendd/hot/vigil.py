"""A selector: what a waiting reader wakes for, its bell, client, host, output or a signal."""

import posix
import select

from attendd.hot import process

BELL = "bell"
CLIENT = "client"
HOLDER = "holder"
HOST = "host"
OUTPUT = "output"
POST = "post"
STOP = "stop"

_LOOK_S = 5.0
"""How often to look at a process where the system has no descriptor that tells of its end."""


class Vigil:
    """A set of descriptors, each with a name, waited for together."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._names: dict[int, str] = {}
        self._followed: dict[str, int] = {}
        self._looked_at: dict[str, tuple[int, str, str | None]] = {}

    def add(self, name: str, fd: int, events: int = select.POLLIN) -> None:
        """Wake for a descriptor; ``events`` of 0 means only for its hang-up."""
        self._names[fd] = name
        self._poll.register(fd, events)

    def remove(self, fd: int) -> None:
        """Stop waking for a descriptor. It stays open."""
        del self._names[fd]
        self._poll.unregister(fd)

    def follow(self, name: str, pid: int, start: str, pidns: str | None = None) -> None:
        """Wake when a process has ended, also if it has already.

        Args:
            name: what to call it.
            pid: its pid, in its own namespace.
            start: when it started, as `process.start_time` gives it.
            pidns: its namespace; ``None`` means ours. The end of one elsewhere is not seen.
        """
        self.unfollow(name)
        elsewhere = pidns is not None and pidns != process.pid_namespace()
        fd = None if elsewhere else process.open_pidfd(pid, start)
        if fd is None:
            self._looked_at[name] = (pid, start, pidns)
        else:
            self._followed[name] = fd
            self.add(name, fd)

    def unfollow(self, name: str) -> None:
        """Forget a process, if one was followed under that name."""
        self._looked_at.pop(name, None)
        fd = self._followed.pop(name, None)
        if fd is not None:
            self.remove(fd)
            posix.close(fd)

    def follows(self, name: str) -> bool:
        """Tell whether a process is followed under that name."""
        return name in self._followed or name in self._looked_at

    def close(self) -> None:
        """Forget all processes."""
        for name in (*self._followed, *self._looked_at):
            self.unfollow(name)

    def wait(self, seconds: float) -> set[str]:
        """Wait for any of them, at most so long; name those that are ready."""
        ready = set()
        for name, known in self._looked_at.items():
            seconds = min(seconds, _LOOK_S)
            if process.alive(*known) is False:
                ready.add(name)
        for fd, _ in self._poll.poll(0 if ready else 1000 * seconds):
            ready.add(self._names[fd])
        return ready
