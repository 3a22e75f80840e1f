"""Tells a session's person at the end of a turn that its facts can't be kept, once.

The host finds out, and where the store is in trouble it can't be written there. So the host
leaves a file for each session beside its sockets. What was told is renamed, so that it is not
told again before all is well; then the host removes them all. Of a session that has said a fact
just now, the hook itself sees whether there is room and leave to write.
"""

import posix

from attendd.hot import folders, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from attendd.hot.hook import Event

_LIMIT = 1_000
_TOLD = ".told"
_SAID = "attend: facts of this session can't be kept for now, they wait: {}"


def note(sessions: "Iterable[str]", why: str) -> None:
    """Have the persons of sessions told, unless they were; where that can't be noted, not."""
    for session in sessions:
        try:
            folder = f"{places.runtime_dir()}/unkept"
            path = f"{folder}/{places.digest(session)}"
            if not folders.make_private(folder) and not folders.exists(path + _TOLD):
                _write(path, why)
        except (places.PlaceError, OSError):
            continue


def _write(path: str, why: str) -> None:
    """Make a file, which on a full disk has no room for a word."""
    flags = posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_NOFOLLOW | posix.O_CLOEXEC
    fd = posix.open(path, flags, 0o600)
    try:
        posix.write(fd, why.encode("utf-8", "replace")[:_LIMIT])
    finally:
        posix.close(fd)


def over() -> None:
    """Take note that facts can be kept: of any trouble to come all are told anew."""
    folder = _folder()
    try:
        for name in posix.listdir(folder):
            posix.unlink(f"{folder}/{name}")
        posix.rmdir(folder)
    except OSError:
        return


def tell(event: "Event") -> None:
    """Tell the person of a session whose turn ends, if there is something to be told.

    Raises:
        OSError: nobody reads our output.
    """
    path = f"{_folder()}/{places.digest(event.session)}"
    if folders.exists(path + _TOLD):
        return
    noted = folders.exists(path)
    why = (noted and folders.read(path, _LIMIT)) or places.closed()
    if not (why or noted):
        return
    event.answer("", _SAID.format(why or "attend's log says why"))
    if not noted:  # the host is about to find out
        note((event.session,), why)
    _told(path)


def _told(path: str) -> None:
    try:
        posix.rename(path, path + _TOLD)
    except OSError:
        return


def _folder() -> str:
    return f"{places.known_runtime_dir()}/unkept"
