"""What can be asked of the disk that a folder lies on: its room, its kind, what keeps us out.

Apart from `attendd.hot.folders`, because the usual folder on a usual disk needs none of it.
"""

import posix

from attendd.hot import folders

NEEDED = 128 * 1024
"""With less than this free SQLite can't write: it grows its index by 32 KiB."""
FULL = "has no room left on its disk"
"""How `closed` ends where that is why."""
MOUNTINFO = "/proc/self/mountinfo"
_NETWORK = (
    " nfs nfs4 cifs smb3 smbfs ncpfs afs coda 9p virtiofs lustre ceph glusterfs gpfs beegfs"
    " orangefs ocfs2 gfs2 panfs acfs davfs vboxsf prl_fs vmhgfs"
    " fuse.sshfs fuse.glusterfs fuse.ceph fuse.ceph-fuse fuse.rclone fuse.s3fs fuse.gcsfuse"
    " fuse.juicefs fuse.curlftpfs fuse.smbnetfs fuse.davfs fuse.vmhgfs-fuse fuse.grpcfuse"
    " fuse.osxfs fuse.mfs fuse.moosefs fuse.seaweedfs fuse.goofys fuse.blobfuse fuse.blobfuse2 "
)
"""Kinds whose locks and shared memory do not hold between all who may write there."""


def closed(path: str) -> str:
    """Say why a folder can't be made or written to, as far as a look tells; makes nothing."""
    at = path
    while not folders.exists(at) and at != "/":
        if nowhere := folders.dangling(at):
            return nowhere
        at = at.rpartition("/")[0] or "/"
    found = posix.stat(at)
    problem = ""
    if not folders.is_folder(found.st_mode):
        problem = "is not a folder"
    elif at == path and found.st_uid != posix.geteuid():
        problem = f"belongs to somebody else (user {found.st_uid})"
    elif kind := folders.network(at):
        problem = f"lies on a network file system ({kind})"
    elif not folders.writable(at):
        problem = "cannot be written"
    elif room(at) < NEEDED:
        problem = FULL
    return f"{at} {problem}" if problem else ""


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
    """Look a folder's file system up in the table of mounts; see `folders.network`."""
    try:
        fd = posix.open(path, posix.O_RDONLY | posix.O_DIRECTORY | posix.O_CLOEXEC)
    except OSError:
        return ""
    try:
        about = folders.read(f"/proc/self/fdinfo/{fd}")
    finally:
        posix.close(fd)
    mount = about.partition("mnt_id:")[2].partition("\n")[0].strip()
    kind = kind_of(folders.read(MOUNTINFO, 1 << 20), mount) if mount else ""
    return kind if f" {kind} " in _NETWORK else ""


def kind_of(mountinfo: str, mount: str) -> str:
    """Find the file system of a mount by its id, in the format of proc_pid_mountinfo(5)."""
    for line in mountinfo.split("\n"):
        if line.startswith(f"{mount} "):
            return line.partition(" - ")[2].partition(" ")[0]
    return ""
