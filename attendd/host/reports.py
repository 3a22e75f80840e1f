"""What `attend build` reports, read from the files that it writes; see `attendd.hot.builds`."""

import contextlib
import os
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from attendd.hot import builds, process
from attendd.model import Report

_LARGEST = 65_536


class _Written(msgspec.Struct, frozen=True):
    """A file's content; what else it holds is for people."""

    command: str
    began_at: float
    session: str = ""
    folder: str = ""
    pid: int = 0
    start: str = ""
    child: int = 0
    child_start: str = ""
    above: tuple[int, ...] = ()
    terminal: bool = False
    boot: str = ""
    ended_at: float | None = None
    code: int | None = None


_SETTLED_NS = 100_000_000
"""A folder untouched for so long has a time stamp that its next change will not share."""


class Reports:
    """The reports of all projects, each file read again only when it changed.

    Attributes:
        folder: where they lie.
    """

    def __init__(self, folder: Path) -> None:
        """Have the folder there, so that it can be watched."""
        self.folder = folder
        self._read: dict[str, tuple[int, _Written | None]] = {}
        self._listed: list[str] = []
        self._stamp = -1
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def of(self, project: str) -> Sequence[Report]:
        """List what was reported for a project, oldest first."""
        mine = builds.prefix(project)
        names = sorted(name for name in self._names() if name.startswith(mine))
        self._read = {
            name: seen
            for name, seen in self._read.items()
            if not name.startswith(mine) or name in names
        }
        found = [self._one(name) for name in names if name.endswith(builds.ENDING)]
        return sorted((each for each in found if each), key=lambda each: each.began_at)

    def _names(self) -> list[str]:
        """List the folder, again only when something in it came or went."""
        try:
            stamp = os.stat(self.folder).st_mtime_ns  # noqa: PTH116 - at every poll
            if stamp != self._stamp or time.time_ns() - stamp < _SETTLED_NS:
                self._listed = os.listdir(self.folder)  # noqa: PTH208 - names are all we want
                self._stamp = stamp
        except OSError:
            return []
        return self._listed

    def _one(self, name: str) -> Report | None:
        path = self.folder / name
        try:
            stamp = path.stat().st_mtime_ns
            known = self._read.get(name)
            if known is None or known[0] != stamp:
                with path.open("rb", buffering=0) as file:
                    data = file.read(_LARGEST) or b""
                self._read[name] = (stamp, _parsed(data))
        except OSError:
            return None
        written = self._read[name][1]
        return None if written is None else _report(name, written)


def _parsed(data: bytes) -> _Written | None:
    try:
        return msgspec.json.decode(data, type=_Written)
    except (msgspec.MsgspecError, RecursionError):
        return None


def _report(name: str, found: _Written) -> Report:
    gone = found.ended_at is None and not (
        _may_live(found.pid, found.start, found.boot)
        or (found.child_start and _may_live(found.child, found.child_start, found.boot))
    )
    return Report(
        key=name,
        command=found.command,
        session=found.session,
        folder=found.folder,
        pid=found.pid,
        child=found.child,
        above=found.above,
        terminal=found.terminal,
        began_at=found.began_at,
        ended_at=found.ended_at,
        code=found.code,
        lost=gone,
    )


def _may_live(pid: int, start: str, boot: str) -> bool:
    return process.alive(pid, start, None, boot) is not False
