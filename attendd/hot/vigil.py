"""What a waiting reader wakes for: its bell, its client, the host, its output, a signal."""

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
"""Where the system has no descriptor for a process, how often it is looked at."""


class Vigil:
    """A set of descriptors, each with a name, waited for together."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._names: dict[int, str] = {}
        self._processes: dict[str, tuple[int, str, str | None, int | None]] = {}

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
        if fd is not None:
            self.add(name, fd)
        self._processes[name] = (pid, start, pidns, fd)

    def unfollow(self, name: str) -> None:
        """Forget a process, if one was followed under that name."""
        *_, fd = self._processes.pop(name, (0, "", None, None))
        if fd is not None:
            self.remove(fd)
            posix.close(fd)

    def follows(self, name: str) -> bool:
        """Tell whether a process is followed under that name."""
        return name in self._processes

    def close(self) -> None:
        """Forget all processes."""
        for name in list(self._processes):
            self.unfollow(name)

    def wait(self, seconds: float) -> set[str]:
        """Wait for any of them, at most so long; name those that are ready."""
        unsure = [
            (name, known[:3]) for name, known in self._processes.items() if known[3] is None
        ]
        ended = {name for name, known in unsure if process.alive(*known) is False}
        if ended:
            seconds = 0.0
        elif unsure:
            seconds = min(seconds, _LOOK_S)
        return ended | {self._names[fd] for fd, _ in self._poll.poll(1000 * seconds)}
