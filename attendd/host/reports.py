"""What `attend build` reports, read from the files that it writes; see `attendd.hot.builds`."""

import contextlib
import os
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
    pid: int = 0
    start: str = ""
    boot: str = ""
    ended_at: float | None = None
    code: int | None = None


class Reports:
    """The reports of all projects, each file read again only when it changed.

    Attributes:
        folder: where they lie.
    """

    def __init__(self, folder: Path) -> None:
        """Have the folder there, so that it can be watched."""
        self.folder = folder
        self._read: dict[str, tuple[int, _Written | None]] = {}
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def of(self, project: str) -> Sequence[Report]:
        """List what was reported for a project, oldest first."""
        mine = builds.prefix(project)
        try:
            names = sorted(name for name in os.listdir(self.folder) if name.startswith(mine))  # noqa: PTH208
        except OSError:
            return []
        self._read = {
            name: seen
            for name, seen in self._read.items()
            if not name.startswith(mine) or name in names
        }
        found = [self._one(name) for name in names if name.endswith(builds.ENDING)]
        return sorted((each for each in found if each), key=lambda each: each.began_at)

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
    gone = process.alive(found.pid, found.start, None, found.boot) is False
    return Report(
        key=name,
        command=found.command,
        session=found.session,
        pid=found.pid,
        began_at=found.began_at,
        ended_at=found.ended_at,
        code=found.code,
        lost=found.ended_at is None and gone,
    )
