"""What a host can be asked, and its answers: from memory, as of this very moment."""

import os
from collections.abc import Iterator
from typing import Any

import msgspec

from attendd.clock import Clock
from attendd.control import Ask
from attendd.engine.outlook import Hold
from attendd.host.attended import Attended
from attendd.host.door import UnknownError
from attendd.host.roster import Member, Roster
from attendd.hot import attach


class Questions:
    """Answers for one host."""

    def __init__(self, kind: str, roster: Roster, clock: Clock) -> None:
        """Take what kind of host it is, whom it attends, and the time."""
        self._roster = roster
        self._clock = clock
        self._self = {
            "pid": os.getpid(),
            "kind": kind,
            "version": attach.VERSION,
            "since_at": clock.wall(),
        }

    def answer(self, asked: Ask) -> dict[str, Any]:
        """Answer.

        Raises:
            UnknownError: there is no such question, session or sensor.
        """
        known = {"status": self._status, "top": self._top, "why": self._why}
        if asked.ask not in known:
            raise UnknownError(f"there is no question {asked.ask!r}; ask {', '.join(known)}")
        return {"host": self._self, "at": self._clock.wall(), **known[asked.ask](asked)}

    def summary(self) -> str:
        """Say in one line what is attended, how many sensors look, and how many fail."""
        counts = self._counts()
        failing = f", {counts['failing']} failing" if counts["failing"] else ""
        sessions = _many(counts["sessions"], "session")
        return f"{sessions}, {_many(counts['sensors'], 'sensor')}{failing}"

    def _counts(self) -> dict[str, int]:
        members = self._roster.reading()
        sensings = [each for m in members for each in m.attended.sensings.values()]
        return {
            "sessions": len(members),
            "sensors": len(sensings),
            "failing": sum(each.health.failures > 0 for each in sensings),
        }

    def _status(self, _asked: Ask) -> dict[str, Any]:
        return {**self._counts(), "said": self.summary()}

    def _top(self, _asked: Ask) -> dict[str, Any]:
        """Return how every sensor of every session fares, as the store would have it."""
        return {
            "attended": {
                member.row.id: member.attended.health() for member in self._roster.reading()
            }
        }

    def _why(self, asked: Ask) -> dict[str, Any]:
        """Return of each sensor what it holds back, by which rule, and when it looks again."""
        members = [
            member
            for member in self._roster.reading()
            if asked.session in ("", member.attended.client.session)
        ]
        if not members:
            raise UnknownError(f"session {asked.session!r} is not attended")
        sessions = [_session(member, asked.sensor, self._clock) for member in members]
        if asked.sensor and not any(session["sensors"] for session in sessions):
            raise UnknownError(f"there is no sensor {asked.sensor!r}")
        return {"sessions": sessions}


def _session(member: Member, sensor: str, clock: Clock) -> dict[str, Any]:
    return {
        "attachment": member.row.id,
        "session": member.attended.client.session,
        "workdir": member.row.workdir,
        "sensors": list(_sensors(member.attended, sensor, clock)),
    }


def _sensors(attended: Attended, sensor: str, clock: Clock) -> Iterator[dict[str, Any]]:
    held = attended.attention.held(clock.now(), attended.mood())
    ahead = clock.wall() - clock.now()
    for row in attended.health():
        if sensor in ("", row.sensor):
            yield {
                **msgspec.structs.asdict(row),
                "holds": [_hold(each, ahead) for each in held if each.slot == row.sensor],
            }


def _hold(hold: Hold, ahead_s: float) -> dict[str, Any]:
    opens_at = None if hold.opens_at is None else hold.opens_at + ahead_s
    return {**msgspec.structs.asdict(hold), "opens_at": opens_at}


def _many(count: int, one: str) -> str:
    return f"{count} {one if count == 1 else one + 's'}"
