"""What a transcript's row brought into the conversation for us, if anything. Pure.

A message is proved by its line, header and id in their place, in a row that stands for
delivery: an event that became a turn of its own or was attached to one, or what a hook said.
Prompts, tool calls, results and summaries bring nothing, whatever they quote.

Source:
    Rows of 2.1.197 and 2.1.328, for each way into a session; ``docs/claude-code.md``.
"""

import datetime
import math
import re

import msgspec

from attendd.harness.rows import Origin, lenient, text
from attendd.hot import digest, letter

_TASK = re.compile(r"<task-id>([^<]*)</task-id>")
_EVENT = re.compile(r"<event>(.*?)</event>", re.DOTALL)
_FEEDBACK = "Stop hook feedback:\n"
_NOTIFIED = "task-notification"
_SYNTHETIC = "<synthetic>"


class _Said(msgspec.Struct):
    content: msgspec.Raw = msgspec.Raw(b"null")
    model: str = ""


class _Blocked(msgspec.Struct, rename="camel"):
    blocking_error: msgspec.Raw = msgspec.Raw(b"null")


class _Attached(msgspec.Struct, rename="camel"):
    type: str = ""
    prompt: msgspec.Raw = msgspec.Raw(b"null")
    content: msgspec.Raw = msgspec.Raw(b"null")
    command_mode: str = ""
    blocking_error: _Blocked | None = None


class Notice(msgspec.Struct, frozen=True):
    """What a client says for one of its tasks.

    Attributes:
        task: the client's name for the task.
        event: its lines, as they were before the client escaped them.
    """

    task: str
    event: str


class Entry(msgspec.Struct, rename="camel"):
    """A row, as far as proof goes."""

    type: str = ""
    uuid: str = ""
    parent_uuid: str | None = None
    logical_parent_uuid: str | None = None
    is_sidechain: bool = False
    timestamp: datetime.datetime | None = None
    operation: str = ""
    content: msgspec.Raw = msgspec.Raw(b"null")
    is_meta: bool = False
    origin: Origin | None = None
    message: _Said | None = None
    attachment: _Attached | None = None

    @property
    def at(self) -> float:
        """When it was made, wall clock; minus infinity where it doesn't say."""
        return self.timestamp.timestamp() if self.timestamp else -math.inf

    @property
    def parent(self) -> str:
        """The row it follows, over a compaction too; empty at the root."""
        return self.parent_uuid or self.logical_parent_uuid or ""

    @property
    def answers(self) -> bool:
        """Whether it is the model's own: not what a client says in its name."""
        said = self.message
        return self.type == "assistant" and said is not None and said.model != _SYNTHETIC

    @property
    def queued(self) -> str:
        """The notification that it puts into the client's queue; empty if none."""
        if self.type != "queue-operation" or self.operation != "enqueue":
            return ""
        said = text(self.content) or ""
        return said if said.startswith(f"<{_NOTIFIED}>") else ""

    @property
    def delivered(self) -> str:
        """What it brings into the conversation for us; empty if it is of no such kind."""
        if self.type == "user" and self.message is not None:
            return self._prompted(text(self.message.content) or "")
        if self.type == "attachment" and self.attachment is not None:
            return _attached(self.attachment)
        return ""

    def _prompted(self, said: str) -> str:
        if self.is_meta and said.startswith(_FEEDBACK):
            return said.removeprefix(_FEEDBACK)
        notified = self.origin is not None and self.origin.kind == _NOTIFIED
        return said if notified else ""


_decode = msgspec.json.Decoder(Entry).decode


def parse(line: bytes) -> Entry | None:
    """Read a line; ``None`` for one that is not as any row is."""
    try:
        return _decode(line)
    except msgspec.MsgspecError:
        whole = lenient(line)
    try:
        return None if whole is None else _decode(whole)
    except msgspec.MsgspecError:
        return None


def ids(said: str) -> tuple[str, ...]:
    """Return the ids of the messages whose lines are in what was delivered.

    A line that only tells of several has a key in their place; see `attendd.hot.digest`.
    """
    lines = (event(said) if said.startswith(f"<{_NOTIFIED}>") else said).split("\n")
    return tuple(filter(None, (letter.id_of(each) or digest.key_of(each) for each in lines)))


def event(said: str) -> str:
    """Return what a notification's events say, as it was before the client escaped it."""
    return "\n".join(_unescaped(each) for each in _EVENT.findall(said))


def _unescaped(said: str) -> str:
    """Undo what the client does to the three characters of markup, and to no others."""
    return said.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def notice(said: str) -> Notice | None:
    """Take a notification apart; ``None`` if it is none, or names no task."""
    task = _TASK.search(said) if said.startswith(f"<{_NOTIFIED}>") else None
    return Notice(task[1], event(said)) if task else None


def _attached(attached: _Attached) -> str:
    if attached.type == "queued_command" and attached.command_mode == _NOTIFIED:
        return text(attached.prompt) or ""
    if attached.type == "hook_additional_context":
        return "\n".join(_texts(attached.content))
    if attached.type == "hook_blocking_error" and attached.blocking_error is not None:
        return text(attached.blocking_error.blocking_error) or ""
    return ""


def _texts(content: msgspec.Raw) -> list[str]:
    try:
        return msgspec.json.decode(bytes(content), type=list[str])
    except msgspec.MsgspecError:
        return [text(content) or ""]
