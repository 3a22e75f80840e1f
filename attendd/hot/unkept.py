"""Tells a session's person at the end of a turn that its facts can't be kept, once.

The host finds out, and where the store is in trouble it can't be written there. So the host
leaves a file for each session beside its sockets. What was told is emptied, so that it is not
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
_SAID = "attend: facts of this session can't be kept for now, they wait: {}"


def note(sessions: "Iterable[str]", why: str) -> None:
    """Have the persons of sessions told, unless they were; where that can't be noted, not."""
    flags = posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_NOFOLLOW | posix.O_CLOEXEC
    for session in sessions:
        try:
            folder = f"{places.runtime_dir()}/unkept"
            if not folders.make_private(folder):
                fd = posix.open(f"{folder}/{places.digest(session)}", flags, 0o600)
                posix.write(fd, why.encode("utf-8", "replace")[:_LIMIT])
                posix.close(fd)
        except (places.PlaceError, OSError):
            continue


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
    noted = folders.exists(path)
    why = folders.read(path, _LIMIT) if noted else places.closed()
    if not why:
        return
    event.answer("", _SAID.format(why))
    if noted:
        _told(path)
    else:  # the host is about to find out
        note((event.session,), "")


def _told(path: str) -> None:
    try:
        posix.truncate(path, 0)
    except OSError:
        return


def _folder() -> str:
    return f"{places.known_runtime_dir()}/unkept"
