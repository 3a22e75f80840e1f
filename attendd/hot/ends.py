"""What the end of a client's transcript shows, read backwards: model, tokens, files edited."""

import posix

from attendd.hot import lite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TAIL = 1 << 18
"""Bytes read of a transcript, from its end. Further back each step reads as much again."""
EDITS_WITHIN = 1 << 20
"""Bytes from the end in which edited files are looked for."""
FARTHEST = 1 << 23
"""Bytes from the end in which the last figure is looked for: one row may be megabytes long."""
MOST_EDITED = 5
_EDITS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_USAGE = (
    "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens",
)  # fmt: skip
_BLOCKS = 4
_NEVER = float("-inf")
_AT = "(julianday(json_extract(:text, '$.timestamp')) - 2440587.5) * 86400.0"
_LEFT = f"""SELECT json_extract(:text, '$.compactMetadata.postTokens'), {_AT}
    WHERE json_valid(:text)"""


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


def read(memory: lite.sqlite.Connection, path: str, end: End) -> None:
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
            left = ask(memory, _LEFT, line)
            if left and isinstance(left[0], int):
                end.tokens = left[0]
                end.measured_at = _moment(left[1])


def _answer(memory: lite.sqlite.Connection, line: bytes, end: End) -> None:
    row = ask(memory, _ROW, line)
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


def ask(
    memory: lite.sqlite.Connection, sql: str, text: "str | bytes"
) -> "tuple[object, ...] | None":
    """Have SQLite take a row of JSON, ``:text``, apart; ``None`` where it can't."""
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
