"""Says how builds began and ended. Pure."""

import os
from collections.abc import Sequence

import msgspec

from attendd.api import Magnitude, Neighbour, Observation

STARTED: Magnitude = 2
ENDED: Magnitude = 3
FAILED: Magnitude = 4

_VAGUE = 3
_EXACT_S = 1.0
"""So much more or less is not worth a word."""
_LONGEST = 60
_MINUTE = 60
_HOUR = 3600


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One build, however it is known.

    Attributes:
        key: names it.
        called: its command line in brief.
        where: its directory, as `where` names it.
        by: who started it, in words.
        mine: whether that is the session being attended.
        wished: whether who started it wants its end told, however soon that comes.
        began: when it was started, on the focus' clock.
        seen: when it was last known to run.
        ended: when it was found to have ended; ``None`` while it runs.
        began_at: what the wall clock showed when it was started.
        seen_at: what it showed when it was last known to run.
        code: its exit code, negative for a signal; ``None``: not known.
        final: whether nothing more will be known of its end.
    """

    key: str
    called: str
    by: str
    mine: bool
    where: str = ""
    wished: bool = False
    began: float
    seen: float
    ended: float | None = None
    began_at: float
    seen_at: float
    code: int | None = None
    final: bool = True

    @property
    def lasted_s(self) -> float:
        """For how long it has run, as far as that is known."""
        return max(0.0, self.seen - self.began)

    @property
    def longest_s(self) -> float:
        """For how long it may have run: its end comes before the look that found it."""
        return self.lasted_s if self.ended is None else max(0.0, self.ended - self.began)


def started(run: Run, among: int = 1) -> Observation:
    """Say that a build began.

    Args:
        run: the build.
        among: how many are told of together; they weigh as much as one.
    """
    text = f"{_name(run)} was started by {run.by}"
    weight = STARTED if run.mine else STARTED / among
    return Observation(topic="processes.started", text=text, magnitude=weight, own=run.mine)


def ended(run: Run, *, own: bool, wakes: bool) -> Observation:
    """Say how a build ended.

    Args:
        run: the build.
        own: whether the session knows it already.
        wakes: whether it is worth waking the session.
    """
    how = _how(run.code)
    text = f"{_name(run)}, started by {run.by}, {how} after {_spans(run)}"
    failed = run.code not in (None, 0)
    topic = "processes.failed" if failed else "processes.ended"
    magnitude = FAILED if failed else ENDED
    return Observation(topic=topic, text=text, magnitude=magnitude, own=own, wakes=wakes)


def crowded(most: int) -> Observation:
    """Say that there are more builds than are followed."""
    text = f"more than {most} builds run here at once; those beyond are not followed"
    return Observation(topic="processes.crowded", text=text, magnitude=STARTED)


def who(neighbours: Sequence[Neighbour], session: str) -> str:
    """Name a session of others."""
    for each in neighbours:
        if each.session == session and each.name:
            return f"{each.name} (session {session[:8]})"
    return f"session {session[:8]}"


def where(folder: str, home: str) -> str:
    """Name a directory in short; ``''`` if it is none, or is the session's own.

    Args:
        folder: absolute.
        home: the session's own directory.
    """
    if not folder.startswith("/") or folder == home:
        return ""
    short = min(os.path.relpath(folder, home), folder, key=len)
    named = os.fsencode(short).decode("utf-8", "replace")
    return named if len(named) <= _LONGEST else f"…{named[1 - _LONGEST :]}"


def _name(run: Run) -> str:
    return f"`{run.called}` in {run.where}" if run.where else f"`{run.called}`"


def _how(code: int | None) -> str:
    if code is None:
        return "ended, exit code not known,"
    if code < 0:
        return f"was ended by signal {-code}"
    return "failed with exit code " + str(code) if code else "ended with exit code 0"


def _spans(run: Run) -> str:
    """Say how long it ran: as exactly as that is known, and no more."""
    least, most = run.lasted_s, run.longest_s
    if most - least <= _EXACT_S:
        return _span(most)
    if most > _VAGUE * max(least, 1.0):
        return f"at most {_span(most)}"
    if most < _MINUTE:
        return f"{round(least)}–{_span(most)}"  # noqa: RUF001 - a span of numbers
    return f"{_span(least)} to {_span(most)}"


def _span(seconds: float) -> str:
    left = round(seconds)
    if left < _MINUTE:
        return f"{left} s"
    if left < _HOUR:
        return f"{left // _MINUTE} min {left % _MINUTE} s"
    return f"{left // _HOUR} h {left % _HOUR // _MINUTE} min"
