"""The record a Claude Code client keeps of each of its processes, as far as identity needs it.

Source:
    ``sessions/<pid>.json`` in the client's folder, as 2.1.197 and 2.1.328 write it. It is
    rewritten in place at every change of status, and left behind by a client that was killed.
"""

import posix
import time

from attendd.hot import db, folders, places

_WANTED = ("sessionId", "procStart", "pidDomain", "cwd", "pid")
_TRIES = 5
_PAUSE_S = 0.002
_LIMIT = 1 << 16
_LONGEST_ID = 128
LONGEST_FOLDER = 200
_SETTLED_NS = 100_000_000
"""A file untouched for so long has a time stamp that its next change will not share."""


class Record:
    """What a client wrote about one of its processes.

    Attributes:
        path: the file.
        session: the session it runs now.
        start: when it says the process started, as `process.start_time` would.
        pidns: the pid namespace its pid counts in; ``''`` where it doesn't say.
        machine: the id of its machine; ``''`` where it doesn't say.
        cwd: the session's directory; it may have been deleted.
        problem: what is not as this release knows it; then the rest is not to be believed.
    """

    __slots__ = ("cwd", "machine", "path", "pidns", "problem", "session", "start")

    def __init__(self, path: str) -> None:
        self.path = path
        self.session = ""
        self.start = ""
        self.pidns = ""
        self.machine = ""
        self.cwd = ""
        self.problem = ""


def path_of(pid: int) -> str:
    """Name the file in which a client describes the process with that pid."""
    return f"{places.client_dir()}/sessions/{pid}.json"


def described() -> "set[str] | None":
    """Name the processes of which there are records, by pid; ``None`` if that can't be told."""
    try:
        names = posix.listdir(f"{places.client_dir()}/sessions")
    except (FileNotFoundError, NotADirectoryError):
        return set()
    except OSError:
        return None
    return {name.removesuffix(".json") for name in names}


def read(pid: int) -> Record | None:
    """Read a record; ``None`` if there is none.

    One that is just being rewritten is read again, for some milliseconds.
    """
    record = Record(path_of(pid))
    for tried in range(_TRIES):
        if tried:
            time.sleep(_PAUSE_S)
        try:
            data = _read(record.path)
        except FileNotFoundError:
            return None
        except OSError as error:
            record.problem = f"{record.path} cannot be read: {error.strerror}"
            return record
        found = members(data.decode("utf-8", "replace"))
        if found is not None:
            _fill(record, pid, found)
            return record
    record.problem = f"{record.path} is not JSON"
    return record


def members(text: str) -> "tuple[object, ...] | None":
    """Take what is `_WANTED` out of a record; ``None`` if it is not JSON.

    A record is one object in which mostly nothing is escaped: that needs no parser, which would
    take longer than all else that is asked about a caller.
    """
    plain = text.startswith("{") and text.endswith("}") and text.count("{") == 1
    found = tuple(_member(text, key) for key in _WANTED) if plain and "\\" not in text else ()
    if found and None not in found:
        return found
    return db.json_get(text, *(f"$.{key}" for key in _WANTED))


def read_again(pid: int) -> Record | None:
    """Read a record that is read often: an unchanged file is only looked at."""
    path = path_of(pid)
    try:
        look = posix.stat(path)
    except OSError:
        _kept.pop(path, None)
        return None
    stamp = (look.st_ino, look.st_size, look.st_mtime_ns)
    kept = _kept.get(path)
    if kept is not None and kept[0] == stamp:
        return kept[1]
    settled = 0 <= look.st_mtime_ns < time.time_ns() - _SETTLED_NS
    record = read(pid)
    if record is not None and settled:
        _kept[path] = (stamp, record)
    return record


def is_id(text: str) -> bool:
    """Tell whether a text can be a client's session id: it is used in names and lines."""
    plain = text.replace("-", "").replace("_", "").replace(".", "")
    return len(text) <= _LONGEST_ID and plain.isascii() and plain.isalnum()


def transcript(record: Record) -> str:
    """Name the transcript of a session; ``''`` while there is none where it should be."""
    folder = folder_of(record.cwd)
    path = f"{places.client_dir()}/projects/{folder}/{record.session}.jsonl"
    return path if len(folder) <= LONGEST_FOLDER and folders.exists(path) else ""


def folder_of(cwd: str) -> str:
    """Name the folder for a directory's transcripts, right up to `LONGEST_FOLDER` characters.

    Source:
        The client writes each UTF-16 unit but ASCII letters and digits as ``-``. A longer name
        it cuts there, and adds ``-`` and a hash of its own.
    """
    return "".join(
        c if c.isascii() and c.isalnum() else "--" if c > "\uffff" else "-" for c in cwd
    )


_kept: dict[str, tuple[tuple[int, int, int], Record]] = {}


def _read(path: str) -> bytes:
    fd = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    try:
        return posix.read(fd, _LIMIT)
    finally:
        posix.close(fd)


def _member(text: str, key: str) -> "str | int | None":
    value = text.partition(f'"{key}":')[2].lstrip()
    if value.startswith('"'):
        return value[1:].partition('"')[0]
    number = value.partition(",")[0].rstrip(" }")
    return int(number) if number.isascii() and number.isdecimal() else None


def _fill(record: Record, pid: int, found: tuple[object, ...]) -> None:
    session, start, domain, cwd, own_pid = found
    if isinstance(start, (str, int)):
        record.start = str(start)
    if isinstance(cwd, str):
        record.cwd = cwd
    if isinstance(domain, str) and ":pid:" in domain:
        head, _, tail = domain.partition(":pid:")
        record.machine = head.partition(":")[2]
        record.pidns = f"pid:{tail}"
    if isinstance(session, str) and is_id(session):
        record.session = session
    else:
        record.problem = f"{record.path} names no session as this release knows it"
    if not record.start:
        record.problem = f"{record.path} does not say when its process started"
    if own_pid is not None and own_pid != pid:
        record.problem = f"{record.path} is about process {own_pid}"
