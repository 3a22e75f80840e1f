"""The adapter for Claude Code: its folder, and which of its processes run."""

import math
import os
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from attendd.clock import Clock, SystemClock
from attendd.harness import copies
from attendd.harness.base import LiveSession
from attendd.harness.places import find_transcript
from attendd.harness.records import Record, RecordFile
from attendd.harness.session import ClaudeView
from attendd.hot import process

_PROC = Path("/proc")
_FEW = 64
"""Up to so many records are all looked at; of more, those of processes that run."""
_SETTLED_NS = 100_000_000
"""A folder untouched for so long has a time stamp that its next change will not share."""
_MOMENT_S = 2.0


class ClaudeHarness:
    """The `attendd.harness.Harness` of Claude Code.

    Records left behind by killed clients, however many, cost nothing but their names: only
    those of pids that exist are read.
    """

    def __init__(self, client_dir: Path, clock: Clock | None = None) -> None:
        self._client_dir = client_dir
        self._clock = clock or SystemClock()
        self._lock = threading.Lock()
        self._files: dict[int, RecordFile] = {}
        self._listed: tuple[int, list[int]] | None = None
        self._running: tuple[float, list[Record]] | None = None

    @property
    def client_dir(self) -> Path:
        """The client's folder."""
        return self._client_dir

    def wall(self) -> float:
        """Return the time now, in seconds since 1970."""
        return self._clock.wall()

    def watch_paths(self) -> Sequence[Path]:
        """See `Harness.watch_paths`: the folder of the records."""
        return (self._client_dir / "sessions",)

    def origin(self, copy: str, began: float, among: Mapping[str, str]) -> str | None:
        """See `Harness.origin`."""
        found = {id_: find_transcript(self._client_dir, id_, cwd) for id_, cwd in among.items()}
        written = {id_: path for id_, path in found.items() if path}
        return copies.origin(Path(copy), began, written)

    def view(
        self,
        session: str,
        client_pid: int | None,
        client_start: str,
        workdir: str,
        transcript: str = "",
    ) -> ClaudeView:
        """See `Harness.view`."""
        view = ClaudeView(self, session, pid=client_pid, start=client_start, workdir=workdir)
        view.open_transcript(transcript)
        return view

    def live(self, *, find: bool = True) -> Sequence[LiveSession]:
        """See `Harness.live`."""
        with self._lock:
            records = self._look()
            return [self._session(record, find=find) for record in records]

    def ended(self, session: LiveSession) -> bool:
        """See `Harness.ended`: a client removes its record just before it ends."""
        alive = process.alive(session.pid, session.start)
        if alive is not True:
            return alive is False
        return not self._file(session.pid).path.exists()

    def strange(self) -> Sequence[tuple[int, str]]:
        """Name the clients that run and whose records are not as known, by pid, and why."""
        with self._lock:
            self._look()
            return [
                (pid, file.problem)
                for pid, file in self._files.items()
                if file.problem and process.ran_at(pid, _written_at(file.path))
            ]

    def running(self) -> Sequence[Record]:
        """Return the records of all live processes, at most two seconds old."""
        with self._lock:
            now = self._clock.now()
            if self._running is not None and 0 <= now - self._running[0] < _MOMENT_S:
                return self._running[1]
            return self._look()

    def _look(self) -> list[Record]:
        wall = self._clock.wall()
        pids = self._candidates()
        self._files = {pid: self._files.get(pid) or self._file(pid) for pid in pids}
        found: list[Record] = []
        for pid, file in self._files.items():
            file.refresh(wall)
            record = file.record
            if record is not None and record.pid == pid and _alive(record):
                found.append(record)
        self._running = (self._clock.now(), found)
        return found

    def _file(self, pid: int) -> RecordFile:
        return RecordFile(self._client_dir / "sessions" / f"{pid}.json")

    def _candidates(self) -> list[int]:
        """List the pids that have a record and may exist."""
        pids = self._pids()
        if len(pids) <= _FEW:
            return pids
        try:
            existing = set(os.listdir(_PROC))  # noqa: PTH208 - names are all we want of it
        except OSError:
            return pids
        return [pid for pid in pids if str(pid) in existing]

    def _pids(self) -> list[int]:
        folder = self._client_dir / "sessions"
        try:
            stamp = folder.stat().st_mtime_ns
            if self._listed is not None and self._listed[0] == stamp:
                return self._listed[1]
            names = os.listdir(folder)  # noqa: PTH208 - names are all we want of it
        except OSError:
            return []
        stems = (name.removesuffix(".json") for name in names if name.endswith(".json"))
        pids = sorted(int(stem) for stem in stems if stem.isascii() and stem.isdigit())
        settled = 0 <= stamp < time.time_ns() - _SETTLED_NS
        self._listed = (stamp, pids) if settled else None
        return pids

    def _session(self, record: Record, *, find: bool) -> LiveSession:
        cwd = record.cwd or ""
        found = find_transcript(self._client_dir, record.session_id, cwd) if find else None
        return LiveSession(
            session=record.session_id,
            pid=record.pid,
            start=record.start,
            cwd=cwd,
            status=record.doing,
            since=record.since,
            name=record.name or "",
            version=record.version or "",
            entrypoint=record.entrypoint or "",
            kind=record.kind or "",
            transcript="" if found is None else str(found),
        )


def _alive(record: Record) -> bool:
    """Whether the process is known to live; what can't be known doesn't count as live."""
    return process.alive(record.pid, record.start, record.namespace) is True


def _written_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return -math.inf
