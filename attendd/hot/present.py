"""The clients that run now, as their records say, and what the ends of their transcripts show.

For commands that end at once; the host follows all of this with `attendd.harness`.
"""

import posix
import time

from attendd.hot import ends, folders, lite, places, process, record

_FEW = 64
_TORN_S = 1.0
_LIMIT = 1 << 18
_FIELDS = (
    "sessionId", "procStart", "pid", "pidDomain", "cwd", "name", "entrypoint", "version",
    "status", "statusUpdatedAt", "waitingFor",
)  # fmt: skip


class Present:
    """A session that a client runs now.

    Attributes:
        session: its id.
        pid: the client's process.
        start: when that started.
        cwd: the session's directory; it may have been deleted.
        name: the client's name for it.
        entrypoint: how the client was started: ``cli``, ``sdk-cli``, …
        version: the client's release.
        status: what it does, in the client's word; ``''`` if it doesn't say.
        since: since when, wall clock; ``None`` if it doesn't say.
        waits_for: what it waits for, in the client's words, or ``''``.
        end: what its transcript ends in.
    """

    __slots__ = (
        "cwd", "end", "entrypoint", "name", "pid", "session", "since", "start", "status",
        "version", "waits_for",
    )  # fmt: skip

    def __init__(self, pid: int, values: "tuple[object, ...]") -> None:
        """Take the values of `_FIELDS`."""
        texts = [value if isinstance(value, str) else "" for value in values]
        self.pid = pid
        self.session, _, _, _, self.cwd, self.name, self.entrypoint, self.version = texts[:8]
        self.start = str(values[1])
        self.status, self.waits_for = texts[8], texts[10]
        self.since = values[9] / 1000 if isinstance(values[9], (int, float)) else None
        self.end = ends.End()


def live(strange: "list[int] | None" = None) -> list[Present]:
    """List the sessions whose client is known to be alive, by their processes' age.

    Records left behind by killed clients, however many, cost nothing but their names.

    Args:
        strange: gets the pids of running clients whose records are not as known.
    """
    memory = lite.sqlite.connect(":memory:", isolation_level=None)
    columns = ", ".join(f"json_extract(:text, '$.{field}')" for field in _FIELDS)
    found = []
    for pid in _candidates():
        text = folders.read(record.path_of(pid), _LIMIT)
        values = ends.ask(memory, f"SELECT {columns} WHERE json_valid(:text)", text)
        if values is not None and _runs(pid, values):
            found.append(Present(pid, values))
        elif strange is not None and not _known(values) and _writes(pid):
            strange.append(pid)
    memory.close()
    return sorted(found, key=lambda each: (len(each.start), each.start, each.pid))


def look(sessions: list[Present]) -> None:
    """Fill in what the transcripts' ends show."""
    memory = lite.sqlite.connect(":memory:", isolation_level=None)
    for each in sessions:
        path = transcript(each)
        if path:
            ends.read(memory, path, each.end)
    memory.close()


def transcript(session: Present) -> str:
    """Find a session's transcript; ``''`` while there is none."""
    projects = f"{places.client_dir()}/projects"
    folder = record.folder_of(session.cwd)
    path = f"{projects}/{folder}/{session.session}.jsonl"
    if len(folder) <= record.LONGEST_FOLDER and folders.exists(path):
        return path
    try:
        names = posix.listdir(projects)
    except OSError:
        return ""
    found = (f"{projects}/{name}/{session.session}.jsonl" for name in names)
    return next((path for path in found if folders.exists(path)), "")


def _candidates() -> list[int]:
    """List the pids that have a record and may exist."""
    try:
        names = posix.listdir(f"{places.client_dir()}/sessions")
    except OSError:
        return []
    stems = {name[:-5] for name in names if name.endswith(".json")}
    if len(stems) > _FEW:
        stems &= _pids() or stems
    return sorted(int(stem) for stem in stems if stem.isascii() and stem.isdigit())


def _pids() -> set[str]:
    """Name what is in ``/proc``; nothing where there is none."""
    try:
        return set(posix.listdir(process.PROC))
    except OSError:
        return set()


def _known(values: "tuple[object, ...] | None") -> bool:
    """Tell whether a record says which session runs, and since when its process does."""
    named = values is not None and isinstance(values[0], str) and record.is_id(values[0])
    return named and values is not None and isinstance(values[1], (str, int))


def _writes(pid: int) -> bool:
    """Tell whether a record is its process's, and not half written at this moment."""
    try:
        written = posix.stat(record.path_of(pid)).st_mtime
    except OSError:
        return False
    return not 0 <= time.time() - written < _TORN_S and process.ran_at(pid, written)


def _runs(pid: int, values: "tuple[object, ...]") -> bool:
    session, start, own_pid, domain = values[:4]
    if not isinstance(session, str) or not record.is_id(session) or own_pid not in (None, pid):
        return False
    pidns = None
    if isinstance(domain, str) and ":pid:" in domain:
        pidns = f"pid:{domain.partition(':pid:')[2]}"
    return process.alive(pid, str(start), pidns) is True
