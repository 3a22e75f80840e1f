"""What `attend build` reports, read from the files that it writes; see `attendd.hot.builds`."""

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from attendd.hot import builds, moment, process
from attendd.hot.moment import Moment
from attendd.model import Report

_LARGEST = 65_536


class _Written(msgspec.Struct, frozen=True):
    """A file's content; what else it holds is for people. Earlier releases wrote less."""

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
    began_bt: float | None = None
    ended_at: float | None = None
    ended_bt: float | None = None
    code: int | None = None

    def gone(self) -> bool:
        """Tell whether command and reporter surely ended without having said so."""
        return self.ended_at is None and not (
            _may_live(self.pid, self.start, self.boot)
            or (self.child_start and _may_live(self.child, self.child_start, self.boot))
        )


class _Read(NamedTuple):
    """A file as it was read: its time stamp, and what it says if that is anything."""

    stamp: int
    written: _Written | None
    report: Report | None

    def now(self) -> Report | None:
        """Return the report, and whether more will be said, as of now."""
        if self.written is None or self.report is None:
            return None
        return msgspec.structs.replace(self.report, lost=self.written.gone())


_SETTLED_S = 0.1
"""A folder untouched for so long has a time stamp that its next change will not share."""


class Reports:
    """The reports of all projects, each file read again only when it changed.

    Attributes:
        folder: where they lie.
    """

    def __init__(self, folder: Path) -> None:
        """Have the folder there, so that it can be watched."""
        self.folder = folder
        self._read: dict[str, _Read] = {}
        self._lost: dict[str, float] = {}
        self._listed: list[str] = []
        self._stamp = -1
        self._changed = self._listed_at = float("-inf")
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def of(self, project: str) -> Sequence[Report]:
        """List what was reported for a project, oldest first."""
        mine = builds.prefix(project)
        names = {
            name
            for name in self._names()
            if name.startswith(mine) and name.endswith(builds.ENDING)
        }
        found = [self._one(name) for name in names]
        for name in {name for name in self._read if name.startswith(mine)} - names:
            found.append(self._removed(name))
            if found[-1] is None:
                del self._read[name]
                self._lost.pop(name, None)
        return sorted((each for each in found if each), key=lambda each: each.began)

    def _names(self) -> list[str]:
        """List the folder, again only when something in it came or went."""
        now = moment.boot_seconds()
        try:
            stamp = os.stat(self.folder).st_mtime_ns  # noqa: PTH116 - at every poll
            if stamp != self._stamp:
                self._stamp, self._changed = stamp, now
            if self._listed_at < self._changed + _SETTLED_S:
                self._listed = os.listdir(self.folder)  # noqa: PTH208 - names are all we want
                self._listed_at = now
        except OSError:
            return []
        return self._listed

    def _one(self, name: str) -> Report | None:
        path = self.folder / name
        try:
            stamp = path.stat().st_mtime_ns
            known = self._read.get(name)
            if known is None or known.stamp != stamp:
                with path.open("rb", buffering=0) as file:
                    data = file.read(_LARGEST) or b""
                known = self._read[name] = _Read(stamp, *_parsed(name, data))
        except OSError:
            return None
        return known.now()

    def _removed(self, name: str) -> Report | None:
        """Return what was known of a run whose file is gone, until its end was surely seen."""
        report = self._read[name].now()
        if report is None or report.ended is not None:
            return None
        now = moment.boot_seconds()
        if report.lost and now - self._lost.setdefault(name, now) >= builds.KEPT_S:
            return None
        return report


def _parsed(name: str, data: bytes) -> tuple[_Written | None, Report | None]:
    try:
        found = msgspec.json.decode(data, type=_Written)
    except (msgspec.MsgspecError, RecursionError):
        return None, None
    return found, _report(name, found, moment.now())


def _report(name: str, found: _Written, now: Moment) -> Report:
    """Return what a file says that was read now, most likely right after it was written."""
    began = _then(found.began_at, found.began_bt, found.boot, now)
    ended = None
    if found.ended_at is not None:
        ended = max(began, _then(found.ended_at, found.ended_bt, found.boot, now))
    return Report(
        key=name,
        command=found.command,
        session=found.session,
        folder=found.folder,
        pid=found.pid,
        child=found.child,
        child_start=found.child_start,
        above=found.above,
        terminal=found.terminal,
        began=began,
        ended=ended,
        began_at=found.began_at,
        ended_at=found.ended_at,
        code=found.code,
    )


def _then(wall: float, bt: float | None, boot: str, now: Moment) -> float:
    """Return a moment on the clock that counts suspend; see `Report.began`."""
    if bt is not None and boot == now.boot and bt <= now.bt:
        return bt
    return now.bt - max(0.0, now.wall - wall)


def _may_live(pid: int, start: str, boot: str) -> bool:
    return process.alive(pid, start, None, boot) is not False
