"""The shell commands that a session's client ran, and how they ended, from its transcript.

Source:
    Transcripts of Claude Code 2.1.328: a call of the tool ``Bash``; its result, an error that
    begins ``Exit code N`` where it failed; and for what ran in the background, whose result
    comes at once, a ``<task-notification>`` that names task and call, and how it ended:
    ``… completed (exit code 0)`` or ``… failed with exit code 137``, which is a signal's. No
    notice comes of one that was stopped by a call of the tool ``TaskStop``.
"""

import contextlib
import re
from collections.abc import Sequence

import msgspec

from attendd.harness.calls import KEPT_S
from attendd.harness.rows import Block, text
from attendd.model import Command

SHELL = "Bash"
STOP = "TaskStop"
NOTICE = "<task-notification>"
_MOST = 64
_LONGEST = 300
_TASK = re.compile(r"\bID: ?([A-Za-z0-9]+)")
_FAILED = re.compile(r"Exit code (\d{1,9})")
_ENDED = re.compile(r"exit code (\d{1,9})")
_NAMES = re.compile(r"<(?:task-id|tool-use-id)>([^<]+)<")


class _Input(msgspec.Struct):
    command: str = ""
    run_in_background: bool = False


class _Stop(msgspec.Struct):
    task_id: str = ""


class Commands:
    """The commands of one transcript, the latest of them."""

    def __init__(self) -> None:
        self._found: dict[str, Command] = {}
        self._tasks: dict[str, str] = {}

    def lately(self, now: float) -> Sequence[Command]:
        """List those without an end, and those that ended lately, oldest first.

        Args:
            now: wall clock.
        """
        return [
            each
            for each in self._found.values()
            if each.background or each.ended_at is None or now - each.ended_at < KEPT_S
        ]

    def called(self, block: Block, at: float) -> None:
        """Take in a call of a tool: of the shell, or one that stops what a shell runs."""
        if block.name == STOP:
            self._stopped(block)
        if block.name != SHELL or block.id in self._found:
            return
        try:
            given = msgspec.json.decode(block.input, type=_Input)
        except msgspec.MsgspecError:
            return
        self._found[block.id] = Command(
            text=given.command[:_LONGEST], started_at=at, background=given.run_in_background
        )
        while len(self._found) > _MOST:
            gone = next(iter(self._found))
            del self._found[gone]
            self._tasks = {task: key for task, key in self._tasks.items() if key != gone}

    def returned(self, block: Block, at: float) -> None:
        """Take in the result of a call."""
        known = self._found.get(block.tool_use_id)
        if known is None:
            return
        said = _said(block.content)
        task = _TASK.search(said)
        if known.background or (task and "background" in said):
            if task:
                self._tasks[task[1]] = block.tool_use_id
            self._change(block.tool_use_id, ended_at=at, background=True)
            return
        failed = _FAILED.match(said) if block.is_error else None
        code = int(failed[1]) if failed else (None if block.is_error else 0)
        self._change(block.tool_use_id, ended_at=at, code=code)

    def noticed(self, said: str) -> None:
        """Take in what the client tells of its background tasks."""
        if "<status>" not in said:
            return
        codes = _ENDED.findall(said)  # the last: before it stands what the model called it
        for name in _NAMES.findall(said):
            key = self._tasks.get(name, name)
            if key in self._found:
                self._change(key, announced=True, code=int(codes[-1]) if codes else None)

    def _stopped(self, block: Block) -> None:
        with contextlib.suppress(msgspec.MsgspecError):
            key = self._tasks.get(msgspec.json.decode(block.input, type=_Stop).task_id)
            if key in self._found:
                self._change(key, announced=True)

    def _change(self, key: str, **fields: object) -> None:
        self._found[key] = msgspec.structs.replace(self._found[key], **fields)


def _said(content: msgspec.Raw) -> str:
    """Return the text of a tool's result: a text, or blocks that hold it."""
    plain = text(content)
    if plain is not None:
        return plain
    try:
        parts = msgspec.json.decode(bytes(content) or b"[]", type=list[dict[str, object]])
    except msgspec.MsgspecError:
        return ""
    return "\n".join(str(part.get("text", "")) for part in parts)
