"""Which messages stand in a session's conversation at the moment at which it makes a call.

Read from the end of its transcript, which the client writes a moment later than it acts. Rows
stand there in order: once the call itself does, so does all that came before it.

Source:
    Rows of 2.1.197 and 2.1.328; ``docs/claude-code.md``. `attendd.harness.delivered` knows the
    same rows for the host, and which branch they are on.
"""

import posix

from attendd.hot import letter, lite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TAIL = 1 << 21
"""Bytes read of a transcript, from its end."""
_NOTIFIED = "task-notification"
_FEEDBACK = "Stop hook feedback:\n"
_FIELDS = (
    "type", "isSidechain", "isMeta", "origin.kind", "message.content", "attachment.type",
    "attachment.commandMode", "attachment.prompt", "attachment.content",
    "attachment.blockingError.blockingError",
)  # fmt: skip
_ROW = f"""SELECT coalesce((julianday(json_extract(:text, '$.timestamp')) - 2440587.5) * 86400,
    0), {", ".join(f"json_extract(:text, '$.{field}')" for field in _FIELDS)}
    WHERE json_valid(:text)"""
_TEXTS = """SELECT json_extract(value, '$.text') FROM json_each(:text) WHERE type = 'object'
    UNION ALL SELECT value FROM json_each(:text) WHERE type = 'text'"""
_CALLS = """SELECT json_extract(value, '$.id'), json_extract(value, '$.tool_use_id')
    FROM json_each(:text) WHERE type = 'object'"""


class View:
    """What the end of a transcript shows.

    Attributes:
        since: from when on, wall clock; infinity where there is nothing to read.
        messages: those that came in: when each did, wall clock.
        calls: whether a call is under way, so that all which came before it is there.
    """

    __slots__ = ("calls", "messages", "since")

    def __init__(self) -> None:
        self.since = float("inf")
        self.messages: dict[str, float] = {}
        self.calls = False


def look(path: str) -> View:
    """Read the end of a transcript."""
    view = View()
    lines, whole = _tail(path)
    memory = lite.sqlite.connect(":memory:", isolation_level=None)
    latest = 0.0
    calls: set[object] = set()
    for line in lines:
        row = _first(memory, _ROW, line.decode("utf-8", "replace"))
        if row is None:
            continue
        at, kind, aside, *rest = row
        latest = max(latest, at)
        view.since = min(view.since, at or view.since)
        if aside:
            continue
        for said in _delivered(memory, kind, rest).replace("<event>", "\n").split("\n"):
            if message := letter.id_of(said):
                view.messages[message] = latest
        if kind in ("user", "assistant"):
            _follow(memory, kind, str(rest[2]), calls)
    memory.close()
    view.calls = bool(calls)
    if whole and lines:
        view.since = 0.0
    return view


def _delivered(memory: "lite.sqlite.Connection", kind: object, rest: "list[Any]") -> str:
    """Return what a row brought into the conversation for us; ``''`` for nothing."""
    is_meta, origin, content, attached, mode, prompt, context, error = rest
    if kind == "user":
        said = _text(memory, content)
        if is_meta and said.startswith(_FEEDBACK):
            return said.removeprefix(_FEEDBACK)
        return said if origin == _NOTIFIED else ""
    if kind != "attachment":
        return ""
    if attached == "queued_command" and mode == _NOTIFIED:
        return _text(memory, prompt)
    if attached == "hook_additional_context":
        return _text(memory, context)
    return _text(memory, error) if attached == "hook_blocking_error" else ""


def _follow(
    memory: "lite.sqlite.Connection", kind: str, content: str, calls: "set[object]"
) -> None:
    """Keep in mind which calls are under way. A prompt ends what was left of earlier ones."""
    rows = _all(memory, _CALLS, content)
    answered = {result for _, result in rows if result}
    if kind == "user" and not answered:
        calls.clear()
    calls -= answered
    calls |= {call for call, _ in rows if call and kind == "assistant"}


def _text(memory: "lite.sqlite.Connection", value: object) -> str:
    """Return a text, or the texts of a list of them."""
    if not isinstance(value, str):
        return ""
    found = _all(memory, _TEXTS, value) if value.startswith("[") else []
    return "\n".join(str(row[0]) for row in found if row[0]) if found else value


def _first(memory: "lite.sqlite.Connection", sql: str, text: str) -> "tuple[Any, ...] | None":
    found = _all(memory, sql, text)
    return found[0] if found else None


def _all(memory: "lite.sqlite.Connection", sql: str, text: str) -> "list[tuple[Any, ...]]":
    try:
        return memory.execute(sql, {"text": text}).fetchall()
    except (lite.sqlite.Error, UnicodeError):
        return []


def _tail(path: str) -> tuple[list[bytes], bool]:
    """Read the last whole lines of a file; tell whether they are all of it."""
    try:
        fd = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except OSError:
        return [], False
    try:
        start = max(0, posix.fstat(fd).st_size - TAIL)
        data = posix.pread(fd, TAIL, start)
    except OSError:
        return [], False
    finally:
        posix.close(fd)
    lines = data.split(b"\n")[:-1]
    return (lines[1:], False) if start else (lines, True)
