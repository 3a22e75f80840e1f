"""The clients that run now, as their records say, and what the ends of their transcripts show.

For commands that end at once; the host follows all of this with `attendd.harness`.
"""

import posix

from attendd.hot import folders, lite, places, process, record

_FEW = 64
_LIMIT = 1 << 18
TAIL = 1 << 18
"""Bytes read of a transcript, from its end."""
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
_LEFT = """SELECT json_extract(:text, '$.compactMetadata.postTokens') WHERE json_valid(:text)"""


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
        edited: paths of the files edited last, the latest first.
    """

    __slots__ = ("edited", "model", "requested", "tokens")

    def __init__(self) -> None:
        self.model = ""
        self.requested = ""
        self.tokens: int | None = None
        self.edited: list[str] = []


def live() -> list[Present]:
    """List the sessions whose client is known to be alive, by their processes' age.

    Records left behind by killed clients, however many, cost nothing but their names.
    """
    memory = lite.sqlite.connect(":memory:", isolation_level=None)
    columns = ", ".join(f"json_extract(:text, '$.{field}')" for field in _FIELDS)
    found = []
    for pid in _candidates():
        text = folders.read(record.path_of(pid), _LIMIT)
        values = _ask(memory, f"SELECT {columns} WHERE json_valid(:text)", text)
        if values is not None and _runs(pid, values):
            found.append(Present(pid, values))
    memory.close()
    return sorted(found, key=lambda each: (len(each.start), each.start, each.pid))


def look(sessions: list[Present]) -> None:
    """Fill in what the transcripts' ends show."""
    memory = lite.sqlite.connect(":memory:", isolation_level=None)
    for each in sessions:
        path = transcript(each)
        if path:
            _read_end(memory, _tail(path), each.end)
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


def _runs(pid: int, values: "tuple[object, ...]") -> bool:
    session, start, own_pid, domain = values[:4]
    if not isinstance(session, str) or not record.is_id(session) or own_pid not in (None, pid):
        return False
    pidns = None
    if isinstance(domain, str) and ":pid:" in domain:
        pidns = f"pid:{domain.partition(':pid:')[2]}"
    return process.alive(pid, str(start), pidns) is True


def _tail(path: str) -> list[bytes]:
    """Read the last whole lines of a file."""
    try:
        fd = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except OSError:
        return []
    try:
        start = max(0, posix.fstat(fd).st_size - TAIL)
        data = posix.pread(fd, TAIL, start)
    except OSError:
        return []
    finally:
        posix.close(fd)
    lines = data.split(b"\n")[:-1]
    return lines[1:] if start else lines


def _read_end(memory: lite.sqlite.Connection, lines: list[bytes], end: End) -> None:
    for line in reversed(lines):
        edits = len(end.edited) < MOST_EDITED and (b'_path"' in line)
        if b'"type":"assistant"' in line.replace(b'": "', b'":"') and (
            end.tokens is None or not end.model or edits
        ):
            _answer(memory, line, end)
        elif end.tokens is None and b"compactMetadata" in line:
            left = _ask(memory, _LEFT, line)
            if left and isinstance(left[0], int):
                end.tokens = left[0]
        if end.model and len(end.edited) >= MOST_EDITED:
            return


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
    blocks = row[4 + len(_USAGE) :]
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


def _row() -> str:
    paths = ["type", "isSidechain", "message.model", "requestedModel"]
    paths += [f"message.usage.{each}" for each in _USAGE]
    columns = [f"json_extract(:text, '$.{path}')" for path in paths]
    for at in range(_BLOCKS):
        block = f"$.message.content[{at}]"
        columns.append(f"json_extract(:text, '{block}.name')")
        columns.append(
            f"coalesce(json_extract(:text, '{block}.input.file_path'),"
            f" json_extract(:text, '{block}.input.notebook_path'))"
        )
    return f"SELECT {', '.join(columns)} WHERE json_valid(:text)"


_ROW = _row()
