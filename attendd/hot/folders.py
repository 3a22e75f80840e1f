"""What can be asked of a folder, and done to make it a user's own; without the os module."""

import posix

put_right: list[str] = []
"""What was found too open and has been closed, in sentences."""

_KIND, _FOLDER, _FILE = 0o170000, 0o040000, 0o100000
"""The bits of a mode that tell what something is, and two kinds, of inode(7)."""


def exists(path: str) -> bool:
    """Tell whether something is there; what can't be looked at is not."""
    try:
        posix.stat(path)
    except (OSError, ValueError):
        return False
    return True


def size(path: str) -> int:
    """Return how many bytes a file has; 0 if there is none."""
    try:
        return posix.stat(path).st_size
    except (OSError, ValueError):
        return 0


def read(path: str, limit: int = 65_536) -> str:
    """Read the beginning of a file; ``''`` if there is none. Never waits for a writer."""
    try:
        fd = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    data = b""
    try:
        while len(data) < limit and (part := posix.read(fd, limit - len(data))):
            data += part  # what the kernel writes as it is read comes a page at a time
    except OSError:
        pass
    finally:
        posix.close(fd)
    return data.decode("utf-8", "surrogateescape")


def read_own(path: str, limit: int) -> bytes | None:
    """Read a file of this user's whole; ``None`` where there is none, or it is anything else.

    Args:
        path: no link is followed, and nothing but a file is even opened.
        limit: one that is longer is cut there.
    """
    flags = posix.O_RDONLY | posix.O_NONBLOCK | posix.O_NOFOLLOW | posix.O_CLOEXEC
    try:
        if posix.lstat(path).st_mode & _KIND != _FILE:
            return None
        fd = posix.open(path, flags)
    except OSError:
        return None
    try:
        found = posix.fstat(fd)
        if found.st_mode & _KIND != _FILE or found.st_uid != posix.geteuid():
            return None
        data = b""
        while len(data) < limit and (part := posix.read(fd, limit - len(data))):
            data += part
    except OSError:
        return None
    finally:
        posix.close(fd)
    return data


def put_durably(path: str, data: bytes) -> None:
    """Make a file that is this user's alone, and have it on the disk, or nothing of it.

    Raises:
        OSError: something is there already, or it can't be made.
    """
    flags = posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_NOFOLLOW | posix.O_CLOEXEC
    fd = posix.open(path, flags, 0o600)
    try:
        while data:
            data = data[posix.write(fd, data) :]
        posix.fsync(fd)
    except OSError:
        posix.unlink(path)
        raise
    finally:
        posix.close(fd)


def make_private(path: str, *, strict: bool = False, foreign: bool = False) -> str:
    """Make a folder, and what leads to it, that nobody else can look into.

    Args:
        path: absolute. An existing one is closed to others (0700) if it is ours.
        strict: whether a symbolic link there is refused, as it must be where anybody may put
            one, and only the last part is made.
        foreign: whether root may make it in a folder that belongs to a user.

    Returns:
        Why it can't be had, or ``''``.
    """
    look = posix.lstat if strict else posix.stat
    try:
        found = look(path)
    except FileNotFoundError:
        problem = _make(path, parents=not strict, foreign=foreign)
        if problem:
            return problem
        found = look(path)
    except OSError as error:
        return f"{path} cannot be looked at: {error.strerror}"
    if not is_folder(found.st_mode):
        return f"{path} is not a folder"
    if found.st_uid != posix.geteuid():
        return f"{path} belongs to somebody else (user {found.st_uid})"
    return _close(path, found.st_mode & 0o777)


def ours(path: str) -> bool:
    """Tell whether something is a folder of this user's, and no link to one."""
    try:
        found = posix.lstat(path)
    except (OSError, ValueError):
        return False
    return is_folder(found.st_mode) and found.st_uid == posix.geteuid()


def writable(path: str) -> bool:
    """Tell whether files can be made in a folder."""
    return posix.access(path, posix.W_OK | posix.X_OK)


def network(path: str) -> str:
    """Name the network file system a folder lies on; ``''`` if it is local or not known."""
    try:
        if posix.major(posix.stat(path).st_dev):
            return ""  # a disk of this machine; network file systems have numbers of their own
    except OSError:
        return ""
    from attendd.hot import disks

    return disks.network(path)


def is_folder(mode: int) -> bool:
    """Tell whether a mode is a folder's."""
    return mode & _KIND == _FOLDER


def real(path: str) -> str:
    """Resolve all symbolic links, as far as the path exists."""
    flags = getattr(posix, "O_PATH", None)
    if flags is not None:
        try:
            fd = posix.open(path, flags | posix.O_CLOEXEC)
        except (OSError, ValueError):
            pass
        else:
            try:
                found = posix.readlink(f"/proc/self/fd/{fd}")
                if found.startswith("/") and exists(found):
                    return found
            except OSError:
                pass
            finally:
                posix.close(fd)
    from posixpath import realpath  # costs an `import os`, so only where the kernel won't say

    return realpath(path)


def _make(path: str, *, parents: bool, foreign: bool) -> str:
    above = path.rpartition("/")[0] or "/"
    try:
        look = posix.stat(above)
    except FileNotFoundError:
        problem = _make(above, parents=True, foreign=foreign) if parents else ""
        if problem:
            return problem
    except OSError as error:
        return f"{above} cannot be looked at: {error.strerror}"
    else:
        if posix.geteuid() == 0 and look.st_uid and not foreign:
            return f"{above} belongs to somebody else (user {look.st_uid})"
    try:
        posix.mkdir(path, 0o700)
    except FileExistsError:
        return dangling(path)  # or another process was quicker; the caller looks at it
    except OSError as error:
        return f"{path} cannot be made: {error.strerror}"
    return ""


def dangling(path: str) -> str:
    """Say so where a path is a link that leads nowhere; ``''`` for anything else."""
    if exists(path):
        return ""
    try:
        return f"{path} is a link to {posix.readlink(path)}, where nothing is"
    except (OSError, ValueError):
        return ""


def _close(path: str, mode: int) -> str:
    if mode == 0o700:  # noqa: PLR2004 - rwx for the owner alone
        return ""
    try:
        posix.chmod(path, 0o700)
        if posix.stat(path).st_mode & 0o777 != 0o700:  # noqa: PLR2004 - as above
            return f"{path} can be read by others, and its file system keeps it so"
    except OSError as error:
        return f"{path} has mode {mode:04o} and cannot be made private: {error.strerror}"
    put_right.append(f"{path} had mode {mode:04o} and was made private (0700)")
    return ""
