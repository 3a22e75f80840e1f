"""When a session's tool calls ran, as far back as anybody may ask."""

from collections import deque
from collections.abc import Collection

import msgspec

KEPT_S = 600.0
"""How long after its end a call is remembered."""

LOOKING = frozenset(
    {
        "AskUserQuestion",
        "BashOutput",
        "EnterPlanMode",
        "ExitPlanMode",
        "Glob",
        "Grep",
        "LS",
        "ListAgents",
        "ListMcpResourcesTool",
        "Monitor",
        "NotebookRead",
        "Read",
        "ReadMcpResourceTool",
        "TaskGet",
        "TaskList",
        "TaskOutput",
        "TaskStop",
        "TodoRead",
        "TodoWrite",
        "ToolSearch",
        "WebFetch",
        "WebSearch",
    }
)
"""Tools that change nothing in a project, or only wait for a person.

Whatever is not here may change something: Bash, Edit, Write, an agent, any MCP tool, and any
tool that a later client brings.
"""

PERSON = "!"
"""Stands for the name of a tool where a person ran a command in the session's own prompt."""


class Call(msgspec.Struct):
    """One tool call that can change things.

    Attributes:
        branch: number of the conversation's branch it belongs to.
        start: when it was asked for, wall clock.
        end: when its result came; ``None`` while it runs.
    """

    branch: int
    start: float
    end: float | None = None


class Calls:
    """The calls of one transcript, those that only look left out."""

    def __init__(self) -> None:
        self._running: dict[str, Call] = {}
        self._over: deque[Call] = deque()

    def start(self, key: str, tool: str, at: float, branch: int) -> None:
        """Note a call.

        Args:
            key: names the call in its result.
            tool: the tool's name.
            at: wall clock.
            branch: number of its branch.
        """
        if tool not in LOOKING:
            self._running.setdefault(key, Call(branch, at))

    def end(self, key: str, at: float) -> None:
        """Note the result of a call; unknown ones don't matter."""
        call = self._running.pop(key, None)
        if call is not None:
            self._close(call, at)

    def settle(self, branch: int, at: float) -> None:
        """End what still runs in a branch: it went on, which it can't with calls open."""
        for key in [key for key, call in self._running.items() if call.branch == branch]:
            self._close(self._running.pop(key), at)

    def running(self, without: Collection[int] = ()) -> int:
        """Count the calls that run, but for those of some branches."""
        return sum(call.branch not in without for call in self._running.values())

    def ran(
        self, since: float, until: float, *, without: Collection[int] = (), stopped: float
    ) -> bool:
        """Tell whether a call ran at some moment of an interval.

        Args:
            since: its start, wall clock.
            until: its end.
            without: numbers of branches that don't count.
            stopped: when what has no result must have ended; infinite if it may run on.
        """
        running = any(
            call.branch not in without and call.start <= until and since <= stopped
            for call in self._running.values()
        )
        return running or any(
            call.branch not in without
            and call.start <= until
            and call.end is not None
            and since <= call.end
            for call in self._over
        )

    def _close(self, call: Call, at: float) -> None:
        call.end = max(at, call.start)
        self._over.append(call)
        while self._over and (self._over[0].end or 0.0) < at - KEPT_S:
            self._over.popleft()
