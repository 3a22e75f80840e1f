"""What a service manager and its service tell each other: some lines, and open sockets.

As sd_notify(3) and sd_listen_fds(3) define it; written here because it is so little. Where no
service manager started us, nothing is said.
"""

import contextlib
import os
import socket
import time
from collections.abc import MutableMapping

_FIRST_FD = 3
_PATIENCE_S = 0.5
"""How long a manager that takes nothing may keep us from going on."""
_VARIABLES = (
    "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID",
    "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
)  # fmt: skip


class Manager:
    """The service manager that started this process, if one did.

    Attributes:
        watchdog_s: how often `alive` is to be called, half of what the manager waits for it;
            ``None`` where it does not.
        sockets: the listening stream sockets that it handed over, which no child inherits.
        present: whether there is one that listens.
    """

    def __init__(self, env: MutableMapping[str, str]) -> None:
        """Take what is meant for this process out of its environment.

        No child is to believe that it is meant.
        """
        said = {name: env.pop(name, "") for name in _VARIABLES}
        self._address = _address(said["NOTIFY_SOCKET"])
        self.present = bool(self._address)
        self.watchdog_s = _watchdog_s(said["WATCHDOG_USEC"], said["WATCHDOG_PID"])
        mine = said["LISTEN_PID"] == str(os.getpid())
        count = said["LISTEN_FDS"] if mine else ""
        self.sockets = _handed_over(int(count) if count.isdecimal() else 0)

    def ready(self, status: str) -> None:
        """Say that the service serves, for the first time or again after `reloading`."""
        self._say("READY=1", f"STATUS={status}")

    def status(self, status: str) -> None:
        """Say in one line what the service does."""
        self._say(f"STATUS={status}")

    def alive(self) -> None:
        """Say that the service is not stuck."""
        self._say("WATCHDOG=1")

    def reloading(self) -> None:
        """Say that the configuration is being read again; `ready` says that it was."""
        self._say("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def stopping(self) -> None:
        """Say that the service is about to end."""
        self._say("STOPPING=1")

    def _say(self, *lines: str) -> None:
        if not self._address:
            return
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager,
        ):
            manager.settimeout(_PATIENCE_S)
            manager.sendto("\n".join(lines).encode(), self._address)


def _address(said: str) -> str:
    """Return what to send to; ``@`` stands for the abstract name space."""
    if said.startswith("@"):
        return f"\0{said[1:]}"
    return said if said.startswith("/") else ""


def _watchdog_s(said: str, pid: str) -> float | None:
    meant = not pid or pid == str(os.getpid())
    return int(said) / 2e6 if meant and said.isdecimal() and int(said) else None


def _handed_over(count: int) -> list[socket.socket]:
    """Take over what listens of the descriptors from 3 on; what does not is closed."""
    found = []
    for fd in range(_FIRST_FD, _FIRST_FD + count):
        try:
            door = socket.socket(fileno=fd)
        except OSError:  # it is no socket
            with contextlib.suppress(OSError):
                os.close(fd)
            continue
        door.set_inheritable(False)
        door.settimeout(0)
        if door.type == socket.SOCK_STREAM and _accepts(door):
            found.append(door)
        else:
            door.close()
    return found


def _accepts(door: socket.socket) -> bool:
    try:
        return bool(door.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))
    except OSError:
        return False
