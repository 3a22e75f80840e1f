"""Tool calls of a session's subagents, each of which has a transcript of its own."""

import os
from pathlib import Path

from attendd.harness.transcript import Transcript

LONGEST_CALL_S = 600.0
"""A call of a subagent without a result counts for no longer: the agent may have been stopped,
and the client ends its own commands after ten minutes."""

_LATE_S = 1.0


class Agents:
    """The subagents of one session, looked at only when it is asked what they did."""

    def __init__(self, transcript: Path) -> None:
        self._folder = transcript.with_suffix("") / "subagents"
        self._known: dict[str, Transcript] = {}

    def ran(self, since: float, until: float) -> bool:
        """Tell whether a call of one that can change things ran in an interval."""
        return any(
            agent.conversation.calls.ran(since, until, stopped=_stopped(agent))
            for agent in self._recent(since)
        )

    def at_work(self, since: float) -> bool:
        """Tell whether one has written something since a moment."""
        return any((agent.mtime or 0.0) >= since - _LATE_S for agent in self._known.values())

    def _recent(self, since: float) -> list[Transcript]:
        """Read on those that may have had a call running since a moment."""
        found: dict[str, Transcript] = {}
        try:
            with os.scandir(self._folder) as entries:
                for entry in entries:
                    if entry.name.endswith(".jsonl") and (
                        entry.stat().st_mtime >= since - LONGEST_CALL_S
                    ):
                        known = self._known.get(entry.name)
                        found[entry.name] = known or Transcript(self._folder / entry.name)
        except OSError:
            return []
        self._known = found
        for agent in found.values():
            agent.refresh()
        return list(found.values())


def _stopped(agent: Transcript) -> float:
    return (agent.mtime or 0.0) + LONGEST_CALL_S
