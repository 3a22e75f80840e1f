"""The record that a client keeps of each of its processes: ``sessions/<pid>.json``.

Source:
    As 2.1.197 and 2.1.328 write it: rewritten in place at every change of status, its session
    id replaced by ``/clear`` and ``/resume``, removed at the end, and left behind by a client
    that was killed.
"""

import os
import stat
from pathlib import Path

import msgspec

from attendd.hot.record import is_id
from attendd.model import Status

_LARGEST = 256 * 1024
_TORN_S = 1.0
"""How long a record may be half written; the client takes some milliseconds."""
_SETTLED_S = 0.1
"""A record untouched for so long has a time stamp that its next change will not share: the
words for two statuses may be equally long, and time stamps are coarse."""
_FRESH_S = 5.0
"""How old a record may be that names no status yet; the client takes 0.1 s."""

STATUSES = {
    "busy": Status.BUSY,
    "waiting": Status.WAITING,
    "idle": Status.IDLE,
    "shell": Status.IDLE,  # the turn is over, a command or monitor runs on
}

_ASKING = frozenset({"permission prompt", "input needed"})


_UNKNOWN = (0, 0, 0)


class Record(msgspec.Struct, frozen=True, rename="camel"):
    """What a client says of one of its processes; times are in milliseconds since 1970.

    Attributes:
        session_id: the session it runs now.
        proc_start: when it started, as `attendd.hot.process.start_time` writes it.
        pid: the process, in its own pid namespace.
        pid_domain: machine and pid namespace; 2.1.197 doesn't say.
        status: one of `STATUSES`; missing in the first moments.
        status_updated_at: when that began.
        waiting_for: what for, if it waits.
    """

    session_id: str
    proc_start: str | int
    pid: int
    cwd: str | None = None
    version: str | None = None
    name: str | None = None
    entrypoint: str | None = None
    kind: str | None = None
    pid_domain: str | None = None
    status: str | None = None
    status_updated_at: float | None = None
    waiting_for: str | None = None

    @property
    def start(self) -> str:
        """When the process started, as text."""
        return str(self.proc_start)

    @property
    def since(self) -> float | None:
        """When the status began, wall clock."""
        return None if self.status_updated_at is None else self.status_updated_at / 1000.0

    @property
    def doing(self) -> Status:
        """The status in our words."""
        return STATUSES.get(self.status or "", Status.UNKNOWN)

    @property
    def asks(self) -> bool:
        """Whether it waits for its person's word before a tool call runs or returns."""
        return self.doing is Status.WAITING and self.waiting_for in _ASKING

    @property
    def namespace(self) -> str | None:
        """The pid namespace its pid counts in; ``None`` where it doesn't say."""
        _, found, name = (self.pid_domain or "").partition(":pid:")
        return f"pid:{name}" if found else None


class RecordFile:
    """One record, read again only when it changed.

    Attributes:
        record: what it said last; ``None`` if there is none, or it is not as known.
        problem: empty, or what is not as known.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.record: Record | None = None
        self.problem = ""
        self._stamp = _UNKNOWN

    def refresh(self, wall: float) -> None:
        """Look again: one stat if nothing changed.

        Args:
            wall: the time now. A record half written keeps its last content for a moment.
        """
        try:
            seen = os.stat(self.path)  # noqa: PTH116 - twice as cheap, and called for ever
        except OSError:
            self.record, self.problem, self._stamp = None, "", _UNKNOWN
            return
        age = wall - seen.st_mtime
        stamp = (seen.st_ino, seen.st_size, seen.st_mtime_ns)
        if stamp != self._stamp and stat.S_ISREG(seen.st_mode):
            whole = self._read(torn=0 <= age < _TORN_S)
            self._stamp = stamp if whole and age > _SETTLED_S else _UNKNOWN
        if self.record is not None and not self.record.status and age > _FRESH_S:
            self.problem = "its session record names no status"

    def _read(self, *, torn: bool) -> bool:
        """Read it; tell whether this needs no second look."""
        try:
            with self.path.open("rb", buffering=0) as file:
                data = file.read(_LARGEST) or b""
            record = msgspec.json.decode(data, type=Record)
        except OSError:
            return False
        except msgspec.ValidationError as error:
            self.record, self.problem = None, f"its session record has changed: {error}"
        except (msgspec.DecodeError, RecursionError):
            if torn:
                return False
            self.record, self.problem = None, "its session record is no JSON"
        else:
            if not is_id(record.session_id):
                self.record, self.problem = None, "its session record names no session"
                return True
            if record != self.record:  # views tell by its identity whether anything is new
                self.record = record
            self.problem = _strange(record)
        return True


def _strange(record: Record) -> str:
    if record.status and record.status not in STATUSES:
        return f"its session record names a status we don't know, {record.status[:20]!r}"
    if record.status and record.status_updated_at is None:
        return "its session record doesn't say since when its status holds"
    return ""
