"""What killed processes have left behind in folders of ours, so that nobody takes it away."""

import posix
import stat
import time
from collections.abc import Iterator
from contextlib import suppress

from attendd import control
from attendd.hot import bell, folders, ids, locks, outside

OLD_S = 600.0
"""After so long nobody waits for an answer any more, or is still writing a file."""
_OWN = 0o600
"""The mode of a file that is being left in a spool folder; git checks none out so."""


def in_runtime(folder: str, host_lock: str) -> list[str]:
    """Name what lies in a folder of sockets and locks though its process is gone.

    Nothing is changed; readers whose FIFO is gone are rung.

    Args:
        folder: such a folder; may be missing.
        host_lock: the lock of the host whose door, bell and FIFO may be there.
    """
    found = [*_unheard(folder)]
    if not locks.claimed(host_lock):
        found += [path for path in _host_paths(folder) if folders.exists(path)]
    found += [path for path in _paths(folder, "reader-", ".lock") if not locks.claimed(path)]
    passing = [*_paths(folder, "said-"), *_paths(f"{folder}/display")]
    return sorted([*found, *(path for path in passing if _age_s(path) > OLD_S)])


def in_spool(folder: str) -> list[str]:
    """Name what a killed sender has not written to its end in a spool folder."""
    if not folders.ours(folder):
        return []
    paths = [path for path in _paths(folder) if _is_half(path.rpartition("/")[2])]
    return [path for path in paths if _mode(path) == _OWN and _age_s(path) > OLD_S]


def in_state(folder: str) -> list[str]:
    """Name the claim of a service that was killed, and a key that was not made to its end."""
    claims = [path for path in _paths(folder, "host.claim") if not locks.claimed(path)]
    return claims + [path for path in _paths(folder, "spool.key.") if _age_s(path) > OLD_S]


def remove(path: str, host_lock: str) -> bool:
    """Remove what one of these functions named, unless somebody uses it by now.

    Args:
        path: what is to go.
        host_lock: as for `in_runtime`.

    Returns:
        Whether it is gone.
    """
    if path.endswith((".lock", "/host.claim")):
        held = locks.seize(path)
        if held is not None:
            locks.give_back(path, held)
    elif path in _host_paths(path.rpartition("/")[0]) and folders.exists(host_lock):
        held = locks.seize(host_lock)
        if held is not None:
            _unlink(path)
            posix.close(held)
    else:
        _unlink(path)
    return not folders.exists(path)


def _host_paths(folder: str) -> tuple[str, ...]:
    return tuple(f"{folder}/{name}" for name in (bell.HOST, outside.HOST, control.NAME))


def _unheard(folder: str) -> Iterator[str]:
    """Name the bells and FIFOs of readers that don't wait at either any more."""
    ours = [*_paths(folder, ending=bell.SUFFIX), *_paths(folder, ending=outside.POST)]
    for stem in sorted({path.rpartition(".")[0] for path in ours} - {f"{folder}/host"}):
        ear, post = f"{stem}{bell.SUFFIX}", f"{stem}{outside.POST}"
        if not _is_read(post) and not bell.ring(ear):
            kinds = ((ear, stat.S_IFSOCK), (post, stat.S_IFIFO))
            yield from (path for path, kind in kinds if stat.S_IFMT(_look(path)) == kind)


def _is_read(path: str) -> bool:
    """Tell whether somebody has a FIFO open to read; they are not woken."""
    try:
        posix.close(posix.open(path, posix.O_WRONLY | posix.O_NONBLOCK | posix.O_CLOEXEC))
    except OSError:
        return False
    return True


def _is_half(name: str) -> bool:
    when, _, rest = name.partition("-")
    message, dot, ending = rest.partition(".")
    return when.isdigit() and ids.is_id(message) and dot + ending == ".new"


def _paths(folder: str, beginning: str = "", ending: str = "") -> list[str]:
    """Return the paths of what begins and ends so in a folder; none if that is missing."""
    try:
        names = posix.listdir(folder)
    except OSError:
        return []
    return [f"{folder}/{n}" for n in names if n.startswith(beginning) and n.endswith(ending)]


def _look(path: str) -> int:
    """Return the mode of what is at a path itself; 0 for nothing."""
    try:
        return posix.lstat(path).st_mode
    except OSError:
        return 0


def _mode(path: str) -> int:
    found = _look(path)
    return stat.S_IMODE(found) if stat.S_ISREG(found) else 0


def _age_s(path: str) -> float:
    """Return for how long a file was not written, by the wall clock; 0 if that is not known."""
    try:
        return time.time() - posix.lstat(path).st_mtime
    except OSError:
        return 0.0


def _unlink(path: str) -> None:
    with suppress(OSError):
        posix.unlink(path)
