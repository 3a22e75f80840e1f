"""Where attend keeps its things: found from the environment, made private, moved if need be.

Every process of a user must come to the same answer, or they would not find each other. So the
environment and the state of the disk decide, and nothing is remembered from call to call.
"""

import posix
import sys

from attendd.hot import folders

VAR_TMP = "/var/tmp"  # noqa: S108 - what is made there is checked for its owner
"""Where the state moves to when the home can't hold it; survives a reboot."""
TMP = "/tmp"  # noqa: S108 - as above
"""Where sockets move to when their paths grow too long."""
NAME_ROOM = 32
"""Bytes a name in the runtime folder may have, so that it can be a socket everywhere."""

_SOCKET_PATH = 103
"""The longest path of a socket, in bytes, on the systems we know."""
_NEEDED = 1 << 20
"""Free bytes below which no store is begun."""
_STANDS_FOR = "stands-for"
"""In a moved state folder: the folder in whose place it was begun."""
_ELSEWHERE = "set ATTEND_HOME to a folder of your own on a local disk"
MOVE = f"to have it elsewhere, {_ELSEWHERE}"
OUTSIDE = (
    "run it outside of this client's sandbox, in which nothing can be written there;"
    " attend send and attend reply work inside"
)
"""What to do in a sandbox: a folder that can be written there would be another store."""


class PlaceError(Exception):
    """There is no folder that attend could keep its things in; ``args[0]`` says why.

    Attributes:
        hint: what can be done about it.
        exit_code: what a process exits with that can't do without.
    """

    exit_code = 5

    def __init__(self, message: str, hint: str = _ELSEWHERE) -> None:
        super().__init__(message)
        self.hint = OUTSIDE if sandboxed() else hint


def env(name: str) -> str:
    """Return an environment variable, ``''`` if unset."""
    os = sys.modules.get("os")
    if os is not None:
        return str(os.environ.get(name, ""))  # it may have been changed since the start
    return posix.environ.get(name.encode(), b"").decode("utf-8", "surrogateescape")


def home() -> str:
    """Return the user's home, from the user database where ``$HOME`` is missing."""
    path = env("HOME")
    if path.startswith("/"):
        return path
    import pwd

    try:
        return pwd.getpwuid(posix.geteuid()).pw_dir
    except KeyError:
        return "/"


def client_dir() -> str:
    """Return Claude Code's folder; it need not exist."""
    return env("CLAUDE_CONFIG_DIR") or f"{home().rstrip('/')}/.claude"


def config_file() -> str:
    """Return the path of the user's configuration file; it need not exist.

    Raises:
        PlaceError: ``$ATTEND_HOME`` is not an absolute path.
    """
    own = _own_home()
    if own:
        return f"{own}/config.toml"
    return f"{_xdg('XDG_CONFIG_HOME', '.config')}/attend/config.toml"


def state_dir() -> str:
    """Return the folder of the store, made if missing and private to the user.

    Raises:
        PlaceError: neither it nor a folder in its stead can be used.
    """
    return _state()[0]


def known_state_dir() -> str:
    """Return the folder of the store for those who only look: nothing is made or changed.

    Returns:
        Where `state_dir` has begun a store, or would begin one; it may be missing.

    Raises:
        PlaceError: ``$ATTEND_HOME`` is not an absolute path.
    """
    path = _usual_state()
    other = _other_state(path)
    if _own_home() or not _stands_for(other, path):
        return path
    usable = folders.writable(path) and not folders.network(path)
    if folders.exists(f"{path}/attend.db") and (usable or sandboxed()):
        return path
    return other


def closed() -> str:
    """Say why nothing can be written down now, as far as a look tells; makes nothing.

    Returns:
        ``''`` where it can, and from inside a sandbox, where that is not known.
    """
    try:
        path = known_state_dir()
        own = _own_home()
    except PlaceError as error:
        return f"{error.args[0]}; {error.hint}"
    if sandboxed():
        return ""
    from attendd.hot import disks

    reason = disks.closed(path)
    if not reason or own or folders.exists(f"{path}/attend.db"):
        return reason
    return disks.closed(_other_state(path)) and reason


def moved() -> str:
    """Say why the state is not at its usual place; ``''`` if it is.

    Raises:
        PlaceError: as `state_dir`.
    """
    return _state()[1]


def runtime_dir() -> str:
    """Return the folder of sockets and locks, made if missing; a log-out may remove it.

    Names in it may have `NAME_ROOM` bytes.

    Raises:
        PlaceError: no such folder can be used.
    """
    path = _runtime()
    short = _short(path)
    if short and (problem := _make_shared(short)):
        raise PlaceError(problem, "set ATTEND_HOME to a shorter path of your own")
    return short or path


def known_runtime_dir() -> str:
    """Return the folder of sockets for those who only look; it may be missing.

    Raises:
        PlaceError: ``$ATTEND_HOME`` is not an absolute path.
    """
    own, session = _own_home(), env("XDG_RUNTIME_DIR")
    path = f"{session}/attend"
    if own or not session.startswith("/") or not folders.ours(path):
        path = f"{own or known_state_dir()}/run"
    return _short(path) or path


def spools(workdir: str) -> list[str]:
    """Name the folders in which messages may have been left by sandboxed senders.

    A client's sandbox has its temporary folder inside the one that is seen outside.
    """
    temporary, name = env("TMPDIR").rstrip("/") or TMP, f"attend-{posix.geteuid()}.spool"
    inside = f"{temporary}/claude-{posix.geteuid()}"
    return [f"{temporary}/{name}", f"{inside}/{name}", f"{workdir.rstrip('/')}/.{name}"]


def digest(text: str) -> str:
    """Give a text a short name for files, 16 hex digits, the same in every process.

    Source:
        FNV-1a, 64 bits. It tells texts of our own apart; it is no defence against anybody.
    """
    value = 0xCBF29CE484222325
    for byte in text.encode("utf-8", "surrogateescape"):
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def sandboxed() -> bool:
    """Tell whether our session's client runs where we can't see it, so sees more than we."""
    pid = env("CLAUDE_PID")
    return pid.isdecimal() and not folders.exists(f"/proc/{pid}") and folders.exists("/proc/1")


def _state() -> tuple[str, str]:
    """Decide on the state folder; say why it is not the usual one."""
    own = _own_home()
    path = _usual_state()
    begun = folders.exists(f"{path}/attend.db")
    reason = _unfit(path, begun=begun, given=bool(own))
    if reason and begun and (own or sandboxed()) and not folders.writable(path):
        return path, ""  # meant to be read only, or written from outside our sandbox
    if reason and own:
        raise PlaceError(reason)
    other = _other_state(path)
    if not reason and (begun or not _stands_for(other, path)):
        return path, ""
    if problem := _make_shared(other):
        raise PlaceError(f"{reason}, and {problem}" if reason else problem)
    if not reason:
        return other, f"it was begun here when {path} could not be used"
    _note(f"{other}/{_STANDS_FOR}", path)
    return other, reason


def _usual_state() -> str:
    own = _own_home()
    return f"{own}/state" if own else f"{_xdg('XDG_STATE_HOME', '.local/state')}/attend"


def _other_state(path: str) -> str:
    """Name what stands for a folder that can't be used; a user may have several such homes."""
    return f"{VAR_TMP}/attend-{posix.geteuid()}/{digest(path)}"


def _stands_for(other: str, path: str) -> bool:
    """Whether the state was begun in another folder; nobody else's may claim so."""
    ours = folders.ours(other.rpartition("/")[0]) and folders.ours(other)
    return ours and folders.read(f"{other}/{_STANDS_FOR}") == path


def _make_shared(path: str) -> str:
    """Make a folder within one where anybody may make some; say why it can't be had."""
    above = path.rpartition("/")[0]
    return folders.make_private(above, strict=True) or folders.make_private(path, strict=True)


def _unfit(path: str, *, begun: bool, given: bool) -> str:
    """Make the folder; say why it can't hold a store, or nothing."""
    problem = folders.make_private(path, foreign=given)
    if problem:
        return problem
    kind = folders.network(path)
    if kind:
        return f"{path} lies on a network file system ({kind})"
    if not folders.writable(path):
        return f"{path} is read-only"
    if begun:
        return ""
    from attendd.hot import disks

    return f"{path} has no room left on its disk" if disks.room(path) < _NEEDED else ""


def _runtime() -> str:
    own = _own_home()
    session = env("XDG_RUNTIME_DIR")
    if not own and session.startswith("/") and folders.exists(session):
        path = f"{session}/attend"
        if not folders.make_private(path) and (folders.writable(path) or sandboxed()):
            return path
    path = f"{own or state_dir()}/run"
    if problem := folders.make_private(path, foreign=bool(own)):
        raise PlaceError(problem)
    return path


def _short(path: str) -> str:
    """Name the folder that stands for one whose sockets' paths would be too long."""
    if len(path.encode("utf-8", "surrogateescape")) < _SOCKET_PATH - NAME_ROOM:
        return ""
    return f"{TMP}/attend-{posix.geteuid()}/{digest(path)[:8]}"


def _own_home() -> str:
    path = env("ATTEND_HOME")
    if path and not path.startswith("/"):
        raise PlaceError(f"ATTEND_HOME is {path!r}", "set it to an absolute path")
    return path.rstrip("/") or path


def _xdg(name: str, default: str) -> str:
    path = env(name)  # the specification: a path that is not absolute is to be ignored
    return path.rstrip("/") if path.startswith("/") else f"{home().rstrip('/')}/{default}"


def _note(path: str, text: str) -> None:
    if folders.read(path) == text:
        return
    try:
        with open(path, "wb", 0) as file:
            file.write(text.encode("utf-8", "surrogateescape"))
    except OSError:
        return  # only a later return to the usual place depends on it
