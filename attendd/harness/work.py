"""Which tool calls are work, and which only talk, listen or look for a tool. Pure."""

import re

import msgspec

from attendd.harness.rows import Block

NO_WORK = frozenset(
    {"ListAgents", "Monitor", "SendMessage", "Skill", "TaskStop", "ToolSearch", "TodoWrite"}
)
"""Tools that do nothing for anybody but the talk itself, or the session's own order."""

_SHELLS = frozenset({"Bash", "BashOutput"})
_TALK = re.compile(r"\s*(?:(?:cat|echo|printf)\b.*\|\s*)?(?:\S*/)?attend(?:\s|$)", re.DOTALL)
"""A command line that calls attend, or feeds it."""


class _Input(msgspec.Struct):
    command: str = ""


def is_work(block: Block) -> bool:
    """Tell whether a tool call did something else than talk."""
    if block.name in NO_WORK:
        return False
    if block.name not in _SHELLS:
        return True
    try:
        command = msgspec.json.decode(bytes(block.input), type=_Input).command
    except msgspec.MsgspecError:
        return True
    return _TALK.match(command) is None
