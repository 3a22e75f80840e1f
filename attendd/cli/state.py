"""What a command that only looks can see: store, journal and host, read and left alone.

Works where the state folder is read-only or missing and no host runs; nothing is ever written.
"""

import posix
import sys
from pathlib import Path
from typing import NamedTuple

from attendd.cli import output
from attendd.errors import UnresolvedSessionError
from attendd.hot import identity, locks, moment, places, process
from attendd.hot.address import RecipientError
from attendd.hot.who import Directory, begins
from attendd.store import Attachment, Session, Store
from attendd.store.journal import JournalReader

_LOCKS = "/proc/locks"


class Host(NamedTuple):
    """The one process that runs the loop for this user.

    Attributes:
        pid: its process.
        kind: ``embedded`` in a session's `attend run`, or ``daemon``.
        version: its release.
        since_at: since when it is the host, wall clock.
    """

    pid: int
    kind: str
    version: str
    since_at: float


class State:
    """A look at everything that attend keeps.

    Attributes:
        folder: where it is kept; may be missing.
        store: the store; one that does not exist reads as an empty one.
    """

    def __init__(self) -> None:
        """Open the store.

        Raises:
            StoreError: it is there and cannot be read.
            PlaceError: ``$ATTEND_HOME`` is no absolute path.
        """
        self.folder = places.known_state_dir()
        self.store = Store(self.store_path, readonly=True)

    @property
    def store_path(self) -> str:
        """The file of the store."""
        return f"{self.folder}/attend.db"

    @property
    def journal_path(self) -> str:
        """The file of the journal."""
        return f"{self.folder}/journal.db"

    def journal(self) -> JournalReader:
        """Open the journal.

        Raises:
            StoreError: it is there and cannot be read.
        """
        return JournalReader(self.journal_path)

    @property
    def host_lock(self) -> str:
        """The file of the lock that the host holds."""
        return f"{self.folder}/host.lock"

    def host(self) -> Host | None:
        """Return who runs the loop; ``None`` if nobody does."""
        path = self.host_lock
        match locks.holder(path):
            case [pid, start, kind, version, *_] if pid.isdecimal():
                gone = process.alive(int(pid), start) is False or _is_free(path)
                return None if gone else Host(int(pid), kind, version, _changed_at(path))
        return None

    def set_aside(self) -> list[str]:
        """Return the damaged files that were set aside, the latest last."""
        try:
            names = posix.listdir(self.folder)
        except OSError:
            return []
        damaged = [n for n in names if ".damaged-" in n and not n.endswith(("-wal", "-shm"))]
        return [f"{self.folder}/{name}" for name in sorted(damaged)]

    def bell_folders(self) -> list[Path]:
        """Return the folders in which readers have bound their sockets, as far as is known."""
        known = self.store.sessions
        readers = [
            reader for session in known.all() for reader in known.attachments(session.id)
        ]
        return sorted({Path(reader.bell).parent for reader in readers})

    def spools(self) -> list[str]:
        """Return the folders in which messages may have been left, as far as is known."""
        workdirs = {session.workdir for session in self.store.sessions.all()}
        workdirs.add(identity.resolve().workdir)
        return sorted({folder for at in workdirs for folder in places.spools(at)})

    def session(self, beginning: str) -> Session:
        """Find a session by its id, enough of its beginning, or its name; see `who.begins`.

        Raises:
            UnresolvedSessionError: none begins so, or several do.
        """
        known = self.store.sessions.all()
        exact = [s for s in known if beginning in (s.id, s.id.removeprefix("as:"))]
        found = exact or [s for s in known if begins(s.id, beginning)]
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(s.id for s in found[:5])
            raise UnresolvedSessionError(
                f"{beginning!r} is the beginning of {len(found)} sessions",
                hint=f"one of {names}",
            )
        return self._named(beginning)

    def _named(self, name: str) -> Session:
        """Find a session by what it is called.

        Raises:
            UnresolvedSessionError: none is called so, or several are.
        """
        said = f"no session is known as {name!r}"
        found = None
        try:
            person = self.store.call(lambda db: Directory(db, "", "", moment.now()).one(name))
        except RecipientError as error:
            said = str(error.args[0])
        else:
            found = self.store.sessions.get(person.session)
        if found is None:
            hint = "`attend status` lists those that are attended"
            raise UnresolvedSessionError(said, hint=hint)
        return found

    def near(self, caller: identity.Caller) -> list[Attachment]:
        """Return the readers that concern a caller.

        Those of its own session; else of the sessions in its project; else all there are.
        """
        live = self.store.sessions.live()
        own = [reader for reader in live if reader.session == caller.session]
        project = identity.project_of(caller.workdir) if not own and caller.workdir else ""
        here = {s.id for s in self.store.sessions.all() if project and s.project == project}
        return own or [reader for reader in live if reader.session in here] or live


def writable(path: str | None = None) -> Store:
    """Open a store for a change; what is found wrong with its file is said to people.

    Raises:
        StoreError: it can't be opened.
    """
    return Store(path, tell=lambda said: output.problem(f"attend: {said}", sys.stderr))


def running(reader: Attachment) -> bool | None:
    """Tell whether a reader's process still runs; ``None`` if it can't be known from here."""
    return process.alive(reader.reader_pid, reader.reader_start, reader.pidns, reader.boot)


def project_file() -> Path:
    """Return where the configuration of the caller's project is, or would be."""
    workdir = identity.resolve().workdir or "/"
    return Path(identity.project_file(workdir) or f"{workdir}/.attend.toml")


def size_of(path: str) -> int:
    """Return the bytes of a file and of what SQLite keeps beside it; 0 if there is none."""
    return sum(_size(path + suffix) for suffix in ("", "-wal", "-shm"))


def _size(path: str) -> int:
    try:
        return posix.stat(path).st_size
    except OSError:
        return 0


def _changed_at(path: str) -> float:
    try:
        return posix.stat(path).st_mtime
    except OSError:
        return 0.0


def _is_free(path: str) -> bool:
    """Whether it is certain that nobody holds a lock; asks nobody and takes nothing.

    Source:
        proc_locks(5): ``1: FLOCK ADVISORY WRITE 708 08:01:131074 0 EOF``. Locks of other pid
        namespaces are left out of it.
    """
    try:
        listed = Path(_LOCKS).read_text("ascii", "replace")  # a page at a time, up to its end
    except OSError:
        listed = ""
    try:
        inode = posix.stat(path).st_ino
    except OSError:
        return True
    return bool(listed) and not any(
        f":{inode} " in line for line in listed.split("\n") if "FLOCK" in line
    )
