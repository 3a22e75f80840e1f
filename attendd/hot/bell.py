"""The bell beside the store: a unix datagram that says "look again", and nothing else.

It is rung after a commit. It may be lost, so whoever waits for one also looks now and then; and
it is not counted, so a full queue is as good as one ring.
"""

import _socket
import errno
import posix

HOST = "host.bell"
"""Name, in the runtime folder, of the bell that is rung when the host has something to see."""

SUFFIX = ".bell"
"""What the name of every bell ends with."""

_HEARD = (errno.EAGAIN, errno.ENOBUFS)
"""The queue is full, of at most ten rings on Linux: whoever waits wakes anyway."""


def bind(path: str) -> int:
    """Make the socket that others ring; whatever else is at its path goes.

    Args:
        path: at most 103 bytes. A missing folder is made, private to the user.

    Returns:
        A descriptor that never blocks and that no child inherits.

    Raises:
        OSError: it cannot be made.
    """
    bell = _socket.socket(_socket.AF_UNIX, _socket.SOCK_DGRAM)
    try:
        bell.setblocking(False)  # noqa: FBT003 - the only way it can be called
        _make_room(path)
        bell.bind(path)
        posix.chmod(path, 0o600)
    except BaseException:
        bell.close()
        raise
    return bell.detach()


def unbind(fd: int, path: str) -> None:
    """Take the bell away, unless another one is at its path by now.

    Raises:
        OSError: its path cannot be removed.
    """
    try:
        if answers(fd, path):
            posix.unlink(path)
    finally:
        posix.close(fd)


def rebind(fd: int, path: str) -> int:
    """Make sure that a bell can be rung: bind it anew where its path was removed or taken.

    Returns:
        The same descriptor, or another one in place of it, which is closed.

    Raises:
        OSError: it cannot be made; the old descriptor stays open.
    """
    if answers(fd, path):
        return fd
    fresh = bind(path)
    posix.close(fd)
    return fresh


def answers(fd: int, path: str) -> bool:
    """Tell whether ringing at a path is heard here, by trying; what was rung before is gone."""
    drain(fd)
    return ring(path) and drain(fd)


def ring(path: str) -> bool:
    """Wake whoever waits at a path; never blocks.

    Returns:
        Whether anybody is there. False says nothing about who will look later.
    """
    try:
        bell = _socket.socket(_socket.AF_UNIX, _socket.SOCK_DGRAM)
    except OSError:  # a sandbox without unix sockets
        return False
    try:
        bell.setblocking(False)  # noqa: FBT003 - the only way it can be called
        bell.sendto(b"!", path)
    except OSError as error:
        return error.errno in _HEARD
    finally:
        bell.close()
    return True


def ring_all(folder: str) -> None:
    """Wake everybody who listens in a runtime folder; never fails."""
    try:
        names = posix.listdir(folder)
    except OSError:
        return
    for name in names:
        if name.endswith(SUFFIX):
            ring(f"{folder}/{name}")


def ring_host() -> bool:
    """Wake the host, whoever it is; see `ring`.

    Raises:
        PlaceError: there is no folder in which its bell could be.
    """
    from attendd.hot import places

    return ring(f"{places.runtime_dir()}/{HOST}")


def hear(fd: int) -> None:
    """Take in one ring that a wait has told of; the next wait tells of another at once."""
    posix.read(fd, 64)


def drain(fd: int) -> bool:
    """Take in what was rung so far, before the look at the store that it asks for.

    Returns:
        Whether it was rung at all.
    """
    rung = False
    while True:
        try:
            posix.read(fd, 64)
        except BlockingIOError:
            return rung
        rung = True


def _make_room(path: str) -> None:
    folder = path.rpartition("/")[0]
    try:
        posix.unlink(path)
    except FileNotFoundError:
        try:
            posix.mkdir(folder, 0o700)
        except FileExistsError:
            return
