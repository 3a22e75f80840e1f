"""What a transcript's row says, and who says it: the model, or somebody to the model. Pure.

Source:
    Rows of 2.1.197 and 2.1.328: one assistant row for each block of an answer, rows of
    subagents in files of their own with the agent's kind; ``docs/claude-code.md``.
"""

import datetime
import math
from typing import Any

import msgspec

from attendd.harness.rows import lenient

PROMPT, RESULT, INPUT, SUMMARY, CONTEXT = (
    "a prompt", "a tool's result", "a tool's input", "a summary", "added context",
)  # fmt: skip
"""What a model may have been told something in, besides what it says itself."""

_SYNTHETIC = "<synthetic>"
_OF_HOOKS = ("hook_success", "hook_additional_context")


class Speech(msgspec.Struct, frozen=True, kw_only=True):
    """A row, as far as it holds words.

    Attributes:
        row: its uuid.
        at: when it was made, wall clock; minus infinity where it doesn't say.
        agent: the subagent whose row it is, by its kind or id; empty for the main chain.
        said: each text block of an answer of the model.
        heard: what else is in it: in what, and the words, in JSON where they are no text.
    """

    row: str
    at: float = -math.inf
    agent: str = ""
    said: tuple[str, ...] = ()
    heard: tuple[tuple[str, str], ...] = ()


class _Block(msgspec.Struct):
    type: str = ""
    text: str = ""
    input: msgspec.Raw = msgspec.Raw(b"")
    content: msgspec.Raw = msgspec.Raw(b"")


class _Message(msgspec.Struct):
    content: str | list[_Block] = ""
    model: str = ""


class _Attached(msgspec.Struct):
    type: str = ""
    content: Any = None
    prompt: Any = None


class _Row(msgspec.Struct, rename="camel"):
    type: str = ""
    uuid: str = ""
    timestamp: datetime.datetime | None = None
    is_sidechain: bool = False
    agent_id: str = ""
    attribution_agent: str = ""
    is_compact_summary: bool = False
    message: _Message = msgspec.field(default_factory=_Message)
    attachment: _Attached | None = None


_decode = msgspec.json.Decoder(_Row).decode


def parse(line: bytes) -> Speech | None:
    """Read a line; ``None`` for one that holds no words, or is not as any row is."""
    row = _row(line)
    if row is None or not row.uuid or row.type not in ("assistant", "user", "attachment"):
        return None
    blocks = row.message.content
    if isinstance(blocks, str):
        blocks = [_Block(type="text", text=blocks)]
    said: tuple[str, ...] = ()
    if row.type == "assistant":
        if row.message.model == _SYNTHETIC:
            return None
        said = tuple(each.text for each in blocks if each.type == "text")
        heard = [(INPUT, _text(each.input)) for each in blocks if each.type == "tool_use"]
    else:
        heard = _attached(row.attachment) if row.attachment else _told(row, blocks)
    agent = row.attribution_agent or row.agent_id or "subagent" if row.is_sidechain else ""
    at = row.timestamp.timestamp() if row.timestamp else -math.inf
    return Speech(row=row.uuid, at=at, agent=agent, said=said, heard=tuple(heard))


def is_known(line: bytes) -> bool:
    """Tell whether a line is as rows are known to be, whatever is in it."""
    return _row(line) is not None


def _row(line: bytes) -> _Row | None:
    try:
        return _decode(line)
    except (msgspec.MsgspecError, RecursionError):
        whole = lenient(line)
    try:
        return None if whole is None else _decode(whole)
    except (msgspec.MsgspecError, RecursionError):
        return None


def _told(row: _Row, blocks: list[_Block]) -> list[tuple[str, str]]:
    place = SUMMARY if row.is_compact_summary else PROMPT
    return [
        (RESULT, _text(each.content)) if each.type == "tool_result" else (place, each.text)
        for each in blocks
    ]


def _attached(attached: _Attached) -> list[tuple[str, str]]:
    if attached.type == "hook_success":
        return []  # what came of it is in a row of its own
    words = attached.content if attached.type in _OF_HOOKS else attached.prompt
    texts = words if isinstance(words, list) else [words]
    return [(CONTEXT, each) for each in texts if isinstance(each, str)]


def _text(raw: msgspec.Raw) -> str:
    """Return a text in JSON as it is, and all else as JSON."""
    data = bytes(raw)
    try:
        found = msgspec.json.decode(data) if data else ""
    except (msgspec.MsgspecError, RecursionError):
        return data.decode("utf-8", "replace")
    return found if isinstance(found, str) else data.decode("utf-8", "replace")
