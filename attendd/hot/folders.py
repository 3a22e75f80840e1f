"""What can be asked of a folder, and done to make it a user's own; without the os module."""

import posix

put_right: list[str] = []
"""What was found too open and has been closed, in sentences."""

NEEDED = 128 * 1024
"""With less than this free SQLite can't write: it grows its index by 32 KiB."""
MOUNTINFO = "/proc/self/mountinfo"
_KIND, _FOLDER, _FILE = 0o170000, 0o040000, 0o100000
"""The bits of a mode that tell what something is, and two kinds, of inode(7)."""
_NETWORK = (
    " nfs nfs4 cifs smb3 smbfs ncpfs afs coda 9p virtiofs lustre ceph glusterfs gpfs beegfs"
    " orangefs ocfs2 gfs2 panfs acfs davfs vboxsf prl_fs vmhgfs"
    " fuse.sshfs fuse.glusterfs fuse.ceph fuse.ceph-fuse fuse.rclone fuse.s3fs fuse.gcsfuse"
    " fuse.juicefs fuse.curlftpfs fuse.smbnetfs fuse.davfs fuse.vmhgfs-fuse fuse.grpcfuse"
    " fuse.osxfs fuse.mfs fuse.moosefs fuse.seaweedfs fuse.goofys fuse.blobfuse fuse.blobfuse2 "
)
"""Kinds whose locks and shared memory do not hold between all who may write there."""


def exists(path: str) -> bool:
    """Tell whether something is there; what can't be looked at is not."""
    try:
        posix.stat(path)
    except (OSError, ValueError):
        return False
    return True


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
        path: no link is followed.
        limit: one that is longer is cut there.
    """
    flags = posix.O_RDONLY | posix.O_NONBLOCK | posix.O_NOFOLLOW | posix.O_CLOEXEC
    try:
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
    if found.st_mode & _KIND != _FOLDER:
        return f"{path} is not a folder"
    if found.st_uid != posix.geteuid():
        return f"{path} belongs to somebody else (user {found.st_uid})"
    return _close(path, found.st_mode & 0o777)


def closed(path: str) -> str:
    """Say why a folder can't be made or written to, as far as a look tells; makes nothing."""
    at = path
    while not exists(at) and at != "/":
        at = at.rpartition("/")[0] or "/"
    found = posix.stat(at)
    problem = ""
    if found.st_mode & _KIND != _FOLDER:
        problem = "is not a folder"
    elif at == path and found.st_uid != posix.geteuid():
        problem = f"belongs to somebody else (user {found.st_uid})"
    elif kind := network(at):
        problem = f"lies on a network file system ({kind})"
    elif not writable(at):
        problem = "cannot be written"
    elif room(at) < NEEDED:
        problem = "has no room left on its disk"
    return f"{at} {problem}" if problem else ""


def ours(path: str) -> bool:
    """Tell whether something is a folder of this user's, and no link to one."""
    try:
        found = posix.lstat(path)
    except (OSError, ValueError):
        return False
    return found.st_mode & _KIND == _FOLDER and found.st_uid == posix.geteuid()


def writable(path: str) -> bool:
    """Tell whether files can be made in a folder."""
    return posix.access(path, posix.W_OK | posix.X_OK)


def room(path: str) -> int:
    """Return the free bytes of a folder's disk; plenty where it does not say."""
    try:
        disk = posix.statvfs(path)
    except OSError:
        return 1 << 40
    if disk.f_blocks == 0:
        return 1 << 40
    if disk.f_files and not disk.f_favail:
        return 0
    return (disk.f_bfree if posix.geteuid() == 0 else disk.f_bavail) * disk.f_frsize


def network(path: str) -> str:
    """Name the network file system a folder lies on; ``''`` if it is local or not known."""
    try:
        if posix.major(posix.stat(path).st_dev):
            return ""  # a disk of this machine; network file systems have numbers of their own
        fd = posix.open(path, posix.O_RDONLY | posix.O_DIRECTORY | posix.O_CLOEXEC)
    except OSError:
        return ""
    try:
        about = read(f"/proc/self/fdinfo/{fd}")
    finally:
        posix.close(fd)
    mount = about.partition("mnt_id:")[2].partition("\n")[0].strip()
    kind = kind_of(read(MOUNTINFO, 1 << 20), mount) if mount else ""
    return kind if f" {kind} " in _NETWORK else ""


def kind_of(mountinfo: str, mount: str) -> str:
    """Find the file system of a mount by its id, in the format of proc_pid_mountinfo(5)."""
    for line in mountinfo.split("\n"):
        if line.startswith(f"{mount} "):
            return line.partition(" - ")[2].partition(" ")[0]
    return ""


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
        return ""  # another process was quicker; the caller looks at what is there
    except OSError as error:
        return f"{path} cannot be made: {error.strerror}"
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
