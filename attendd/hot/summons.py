"""Socket activation: a service manager is asked to start the host, once, and given a moment.

Only a reader that has just begun asks. One whose host has ended waits for the manager to start
it again, and does not ask: a person may have stopped it.
"""

import _socket
import errno

from attendd.hot import folders, locks

SERVICE_S = 5.0
"""For so long a reader leaves it to the manager that there is a host."""


class Summons:
    """Knows for one reader whether a service is about to be the host."""

    def __init__(self, door: str, lock: str) -> None:
        """Take the path of the manager's socket, and of the lock that a host holds."""
        self._door = door
        self._lock = lock
        self._asked = False
        self._until: float | None = None

    def expected(self, now: float) -> bool:
        """Tell whether to wait for one, as there is no host; ``now`` is in boot seconds."""
        if locks.claimed(self._lock):
            self._asked, self._until = True, None
            return False
        if self._until is None:
            comes = folders.exists(self._door) if self._asked else knock(self._door)
            self._asked = True
            self._until = now + SERVICE_S if comes else now
        return now < self._until


def knock(path: str) -> bool:
    """Connect to a socket, and let go of it; tell whether anybody listens there."""
    try:
        door = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    except OSError:  # a sandbox without unix sockets
        return False
    try:
        door.setblocking(False)  # noqa: FBT003 - the only way it can be called
        door.connect(path)
    except OSError as error:
        return error.errno == errno.EAGAIN  # so many wait already
    finally:
        door.close()
    return True
