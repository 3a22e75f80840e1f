"""Rows of a transcript: which kinds count, and the few fields of them that are read.

Source:
    Transcripts written by Claude Code 2.1.197 and 2.1.328, kept in
    ``tests/contract/fixtures/claude-code``. A kind of row that is not listed here is skipped;
    so is every field that is not.
"""

import datetime
import json
from typing import Annotated

import msgspec

Tokens = Annotated[int, msgspec.Meta(ge=0)]


class Usage(msgspec.Struct, frozen=True):
    """What one request and its answer took, in tokens; the caches may be ``null``."""

    input_tokens: Tokens
    output_tokens: Tokens
    cache_creation_input_tokens: Tokens | None = None
    cache_read_input_tokens: Tokens | None = None

    @property
    def total(self) -> int:
        """All of it: what the conversation held when the answer was complete."""
        return (
            self.input_tokens
            + self.output_tokens
            + (self.cache_creation_input_tokens or 0)
            + (self.cache_read_input_tokens or 0)
        )


class Block(msgspec.Struct, frozen=True):
    """One block of a message's content, as far as tool calls go."""

    type: str = ""
    id: str = ""
    name: str = ""
    tool_use_id: str = ""
    is_error: bool | None = None
    input: msgspec.Raw = msgspec.Raw(b"{}")
    content: msgspec.Raw = msgspec.Raw(b"")


class Answer(msgspec.Struct, frozen=True):
    """The message of an assistant row: one row for each block, all with one id and usage."""

    id: str
    model: str
    usage: Usage
    content: msgspec.Raw = msgspec.Raw(b"[]")


class Said(msgspec.Struct, frozen=True):
    """The message of a user row: a text, or blocks."""

    content: msgspec.Raw


class Origin(msgspec.Struct, frozen=True):
    """Who is behind a prompt: ``human``, ``task-notification`` and others."""

    kind: str = ""


class Position(msgspec.Struct, frozen=True):
    """Which of its conversation's human prompts a row belongs to, from 1."""

    promptIndex: Tokens = 0  # noqa: N815 - the client's spelling


class Compaction(msgspec.Struct, frozen=True, rename="camel"):
    """What a compaction left, and which earlier messages it kept."""

    post_tokens: Tokens | None = None
    preserved_messages: "Preserved | None" = None


class Preserved(msgspec.Struct, frozen=True, rename="camel"):
    """Uuids of the messages that a compaction kept."""

    all_uuids: tuple[str, ...] = ()


class Attached(msgspec.Struct, frozen=True):
    """What an attachment row holds; a prompt typed in mid-turn comes as one."""

    type: str = ""
    origin: Origin | None = None
    prompt: msgspec.Raw = msgspec.Raw(b"")


class Row(msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag_field="type"):
    """What the rows of a conversation have in common: they form a tree, leaf to root.

    Attributes:
        uuid: names the row.
        parent_uuid: the row it follows; ``None`` at the root and after a compaction.
        is_sidechain: whether it belongs to a subagent.
        timestamp: when it was made, some of them earlier than they were written.
    """

    uuid: str
    timestamp: datetime.datetime
    parent_uuid: str | None = None
    is_sidechain: bool = False

    @property
    def at(self) -> float:
        """When it was made, in seconds since 1970."""
        return self.timestamp.timestamp()


class AssistantRow(Row, frozen=True, kw_only=True, tag="assistant"):
    """One block of an answer, or an error in the shape of one."""

    message: Answer
    requested_model: str | None = None


class UserRow(Row, frozen=True, kw_only=True, tag="user"):
    """A prompt, tool results, or something the client says in the user's name."""

    message: Said
    is_meta: bool = False
    is_compact_summary: bool = False
    origin: Origin | None = None
    prompt_source: str | None = None
    turn_position: Position | None = None


class SystemRow(Row, frozen=True, kw_only=True, tag="system"):
    """Something the client notes: the end of a turn, a compaction."""

    subtype: str = ""
    compact_metadata: Compaction | None = None
    logical_parent_uuid: str | None = None


class AttachmentRow(Row, frozen=True, kw_only=True, tag="attachment"):
    """Something the client adds to a prompt or a tool result."""

    attachment: Attached


AnyRow = AssistantRow | UserRow | SystemRow | AttachmentRow

KINDS = frozenset({"assistant", "user", "system", "attachment"})


class LinkRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A row of a kind we don't know: all that counts is its place in the tree."""

    uuid: str
    parent_uuid: str | None = None
    is_sidechain: bool = False


class Fault(msgspec.Struct, frozen=True):
    """A row of a kind we know that doesn't look as we know it.

    Attributes:
        kind: the row's type.
        problem: what is wrong with it, and where.
    """

    kind: str
    problem: str


class Damaged(msgspec.Struct, frozen=True):
    """A line that is no JSON: a client or machine died in mid-write, or it was passed over."""


DAMAGED = Damaged()


class _Head(msgspec.Struct):
    type: str = ""


_decode = msgspec.json.Decoder(AnyRow).decode
_decode_head = msgspec.json.Decoder(_Head).decode
_decode_link = msgspec.json.Decoder(LinkRow).decode
_decode_blocks = msgspec.json.Decoder(list[Block]).decode
_decode_text = msgspec.json.Decoder(str).decode
_FIRST = b'{"type":"'
_LINK = b'"parentUuid":'


def parse(line: bytes) -> AnyRow | LinkRow | Fault | Damaged | None:
    """Read one complete line of a transcript.

    Returns:
        ``None`` for a row that is no part of the conversation and so doesn't count.
    """
    if line.startswith(_FIRST) and _LINK not in line:  # most that don't count begin so
        kind = line[len(_FIRST) : line.find(b'"', len(_FIRST))]
        if kind.decode("utf-8", "replace") not in KINDS:
            return None
    try:
        return _decode(line)
    except msgspec.ValidationError as error:
        return _other(line, error)
    except (msgspec.DecodeError, RecursionError):
        return _second_try(line)


def blocks(content: msgspec.Raw) -> list[Block]:
    """Return the blocks of a message; none if it is a plain text, or not as known."""
    raw = bytes(content)
    if not raw.startswith(b"["):
        return []
    try:
        return _decode_blocks(raw)
    except msgspec.MsgspecError:
        return []


def text(content: msgspec.Raw) -> str | None:
    """Return a message that is a plain text; ``None`` if it is not one."""
    raw = bytes(content)
    if not raw.startswith(b'"'):
        return None
    try:
        return _decode_text(raw)
    except msgspec.MsgspecError:
        return None


def _other(line: bytes, error: msgspec.ValidationError) -> LinkRow | Fault | None:
    """Tell a kind that we don't know from one that has changed."""
    try:
        kind = _decode_head(line).type
        return Fault(kind, str(error)) if kind in KINDS else _decode_link(line)
    except (msgspec.MsgspecError, RecursionError):
        return None


def lenient(line: bytes) -> bytes | None:
    """Put right what only a lenient parser takes: half a surrogate pair, control characters.

    Returns:
        The same as JSON that any parser takes; ``None`` where it is none at all.
    """
    try:
        loose = json.loads(line.decode("utf-8", "replace"), strict=False)
        return json.dumps(loose, ensure_ascii=False).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        return None


def _second_try(line: bytes) -> AnyRow | LinkRow | Fault | Damaged | None:
    whole = lenient(line)
    if whole is None:
        return DAMAGED
    try:
        return _decode(whole)
    except msgspec.ValidationError as error:
        return _other(whole, error)
    except (msgspec.DecodeError, RecursionError):
        return DAMAGED
