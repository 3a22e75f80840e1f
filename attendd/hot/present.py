"""The clients that run now, as their records say, and what the ends of their transcripts show.

For commands that end at once; the host follows all of this with `attendd.harness`.
"""

import posix
import time

from attendd.hot import folders, lite, places, process, record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_FEW = 64
_TORN_S = 1.0
_LIMIT = 1 << 18
TAIL = 1 << 18
"""Bytes read of a transcript, from its end. Further back each step reads as much again."""
EDITS_WITHIN = 1 << 20
"""Bytes from the end in which edited files are looked for."""
FARTHEST = 1 << 23
"""Bytes from the end in which the last figure is looked for: one row may be megabytes long."""
MOST_EDITED = 5
_EDITS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_FIELDS = (
    "sessionId", "procStart", "pid", "pidDomain", "cwd", "name", "entrypoint", "version",
    "status", "statusUpdatedAt", "waitingFor",
)  # fmt: skip
_USAGE = (
    "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens",
)  # fmt: skip
_BLOCKS = 4
_NEVER = float("-inf")
_AT = "(julianday(json_extract(:text, '$.timestamp')) - 2440587.5) * 86400.0"
_LEFT = f"""SELECT json_extract(:text, '$.compactMetadata.postTokens'), {_AT}
    WHERE json_valid(:text)"""


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
        self.end = End()


class End:
    """What the end of a transcript shows.

    Attributes:
        model: the model of the last answer; ``''`` where none is there.
        requested: as that was asked for.
        tokens: how full the context is; ``None`` where that is not known.
        measured_at: when the row that says so was made, wall clock; minus infinity without one.
        edited: paths of the files edited last, the latest first.
    """

    __slots__ = ("edited", "measured_at", "model", "requested", "tokens")

    def __init__(self) -> None:
        self.model = ""
        self.requested = ""
        self.tokens: int | None = None
        self.measured_at = _NEVER
        self.edited: list[str] = []


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
        values = _ask(memory, f"SELECT {columns} WHERE json_valid(:text)", text)
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
            _read_end(memory, path, each.end)
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


def _read_end(memory: lite.sqlite.Connection, path: str, end: End) -> None:
    """Read a transcript backwards, until what is wanted is found or too far back."""
    try:
        fd = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except OSError:
        return
    try:
        for lines, reach in _pieces(fd):
            _take(memory, lines, end)
            known = end.tokens is not None and end.model
            if known and (len(end.edited) >= MOST_EDITED or reach >= EDITS_WITHIN):
                return
    except OSError:
        return
    finally:
        posix.close(fd)


def _pieces(fd: int) -> "Iterator[tuple[list[bytes], int]]":
    """Yield the whole lines of ever earlier pieces of a file, and how far back each reaches.

    Raises:
        OSError: it can't be read.
    """
    size = end = posix.fstat(fd).st_size
    reach, head, written = TAIL, b"", False
    while end > 0 and reach <= FARTHEST:
        start = max(0, size - reach)
        lines = (posix.pread(fd, end - start, start) + head).split(b"\n")
        if not written:  # what follows the last newline waits until it is complete
            written = len(lines) > 1
            lines = lines[:-1] or [b""]
        head = lines.pop(0) if start else b""
        yield lines, reach
        end, reach = start, reach * 2


def _take(memory: lite.sqlite.Connection, lines: list[bytes], end: End) -> None:
    for line in reversed(lines):
        wanted = end.tokens is None or not end.model
        if not wanted and (len(end.edited) >= MOST_EDITED or b'_path"' not in line):
            continue
        if b'"type":"assistant"' in line.replace(b'": "', b'":"'):
            _answer(memory, line, end)
        elif end.tokens is None and b"compactMetadata" in line:
            left = _ask(memory, _LEFT, line)
            if left and isinstance(left[0], int):
                end.tokens = left[0]
                end.measured_at = _moment(left[1])


def _answer(memory: lite.sqlite.Connection, line: bytes, end: End) -> None:
    row = _ask(memory, _ROW, line)
    if row is None or row[0] != "assistant" or row[1]:
        return
    model, requested, usage = row[2], row[3], row[4 : 4 + len(_USAGE)]
    tokens = sum(each for each in usage if isinstance(each, int))
    if isinstance(model, str) and model != "<synthetic>" and tokens:
        if not end.model:
            end.model = model
            end.requested = requested if isinstance(requested, str) else ""
        if end.tokens is None:
            end.tokens = tokens
            end.measured_at = _moment(row[4 + len(_USAGE)])
    blocks = row[5 + len(_USAGE) :]
    for tool, path in zip(blocks[::2], blocks[1::2], strict=True):
        new = isinstance(path, str) and path not in end.edited
        if tool in _EDITS and new and len(end.edited) < MOST_EDITED:
            end.edited.append(str(path))


def _ask(
    memory: lite.sqlite.Connection, sql: str, text: "str | bytes"
) -> "tuple[object, ...] | None":
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    try:
        row = memory.execute(sql, {"text": text}).fetchone()
    except (lite.sqlite.Error, UnicodeError):
        return None
    return None if row is None else tuple(row)


def _moment(value: object) -> float:
    return value if isinstance(value, float) else _NEVER


def _row() -> str:
    paths = ["type", "isSidechain", "message.model", "requestedModel"]
    paths += [f"message.usage.{each}" for each in _USAGE]
    columns = [*(f"json_extract(:text, '$.{path}')" for path in paths), _AT]
    for at in range(_BLOCKS):
        block = f"$.message.content[{at}]"
        columns.append(f"json_extract(:text, '{block}.name')")
        columns.append(
            f"coalesce(json_extract(:text, '{block}.input.file_path'),"
            f" json_extract(:text, '{block}.input.notebook_path'))"
        )
    return f"SELECT {', '.join(columns)} WHERE json_valid(:text)"


_ROW = _row()
