"""Finds out when something changed, from time stamps: who did it is decided by that."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from sensors.git.model import Stamps
from sensors.git.refs import log_times

Span = tuple[float, float]
"""Start and end on the wall clock."""

_TICK_S = 0.012
"""Kernels stamp files by a clock that ticks every 1 to 10 ms: a change comes up to so much
later than its stamp."""

_SLACK_S = 0.002

_LOOK_S = 6.0
"""A look sees what happens until it ends."""

_SPANS = 16
_FILES = 64
_SOURCES = {
    "head": ("logs/HEAD",),
    "branch": ("@branch", "HEAD", "packed-refs", "reftable/tables.list"),
    "operation": (
        "MERGE_HEAD",
        "CHERRY_PICK_HEAD",
        "REVERT_HEAD",
        "BISECT_LOG",
        "rebase-merge",
        "rebase-apply",
        "sequencer",
        "logs/HEAD",
        "HEAD",
        "index",
    ),
    "upstream": ("@upstream", "packed-refs", "reftable/tables.list"),
    "stash": ("refs/stash", "logs/refs/stash", "refs", "reftable/tables.list"),
    "worktrees": ("worktrees",),
    "clean": ("index",),
    "place": ("HEAD", "config"),
}


class Window(msgspec.Struct, frozen=True):
    """The time between two looks, with the stamps that each began with."""

    since: float
    until: float
    before: Stamps
    after: Stamps

    @property
    def whole(self) -> list[Span]:
        """The window itself, where nothing better is known."""
        return [(min(self.since, self.until), max(self.since, self.until))]

    def holds(self, moment: float) -> bool:
        """Whether a time stamp can be that of a change in this window."""
        return self.since - _SLACK_S <= moment <= self.until + _LOOK_S


def spans(window: Window, about: str, gitdir: Path) -> list[Span]:
    """Return the moments at which something changed.

    Reads the reflog, so that two moves of HEAD between two looks are told apart.

    Args:
        window: between which looks.
        about: see `Change`.
        gitdir: of the work tree.
    """
    if about == "head":
        last = _last(window, _SOURCES["head"])
        if last is not None:
            return [*_earlier(window, gitdir, last), around(last)]
        about = "branch"
    last = _last(window, _SOURCES.get(about, ()))
    return [around(last)] if last is not None else window.whole


def file_spans(window: Window, top: Path, paths: Sequence[bytes]) -> list[list[Span]]:
    """Return for each file when it became different; the later ones share a verdict.

    Args:
        window: between which looks.
        top: what `paths` are relative to.
        paths: as git names them.
    """
    found = [_file_span(window, os.fsencode(top) + b"/" + path) for path in paths[:_FILES]]
    return found + [found[-1]] * (len(paths) - len(found))


def merged(times: Iterable[Span]) -> list[Span]:
    """Join spans that begin at practically the same time, and bound their number."""
    joined: list[Span] = []
    for start, end in sorted(times):
        if joined and start <= joined[-1][0] + _SLACK_S:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    if len(joined) > _SPANS:
        rest = joined[_SPANS - 1 :]
        joined[_SPANS - 1 :] = [(rest[0][0], max(end for _, end in rest))]
    return joined


def around(moment: float) -> Span:
    """Return when something happened that left this stamp."""
    return (moment - _SLACK_S, moment + _TICK_S)


def _last(window: Window, names: Iterable[str]) -> float | None:
    """Return the latest stamp that changed within the window."""
    changed = [
        window.after[name][0] / 1e9
        for name in names
        if name in window.after and window.after[name] != window.before.get(name)
    ]
    return max((moment for moment in changed if window.holds(moment)), default=None)


def _earlier(window: Window, gitdir: Path, last: float) -> list[Span]:
    """Return when HEAD moved before it last did; the reflog has whole seconds."""
    old, new = window.before.get("logs/HEAD"), window.after["logs/HEAD"]
    if old is None or old[1] > new[1]:
        return []
    times = log_times(gitdir, old[1])[:-1]
    return [(t, min(t + 1.0, last)) for t in times if window.since - 1 <= t <= last]


def _file_span(window: Window, path: bytes) -> list[Span]:
    for source, gone in ((path.rstrip(b"/"), False), (path.rpartition(b"/")[0], True)):
        try:
            status = os.lstat(source)
        except OSError:
            continue
        # only a deletion leaves its mark in the folder
        moment = status.st_mtime if gone else status.st_ctime
        if window.holds(moment):
            return [around(moment)]
        break
    last = _last(window, _SOURCES["clean"])
    return [around(last)] if last is not None else window.whole
