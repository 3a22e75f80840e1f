"""One session of Claude Code, followed through ``/clear``, ``/resume`` and rewinds."""

import math
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from attendd.harness import gauge as gauges
from attendd.harness.agents import Agents
from attendd.harness.base import Talk
from attendd.harness.branches import Branch
from attendd.harness.evidence import Traces
from attendd.harness.places import find_transcript
from attendd.harness.records import Record, RecordFile
from attendd.harness.transcript import Transcript
from attendd.harness.whose import Whose
from attendd.model import Activity, Command, Gauge, Status
from attendd.store.figures import Stated

WRITTEN_WITHIN_S = 0.5
"""How long after a moment the client has surely written what it did then; measured: 0.3 s."""

_LOOK_FOR_S = 10.0
"""How often a transcript is looked for that is not where it should be."""
_SILENT_S = 5.0
"""How long a turn may last before its prompt is in the transcript; measured: 0.3 s."""
_PRINT = "sdk-cli"
_NEARLY_S = 1.0
"""How far a row may be written before the status that goes with it."""


class Client(Protocol):
    """What a view asks the adapter it belongs to."""

    @property
    def client_dir(self) -> Path:
        """The client's folder."""
        ...

    def wall(self) -> float:
        """Return the time now, in seconds since 1970."""
        ...

    def running(self) -> Sequence[Record]:
        """Return the records of all live processes, as of a moment ago."""
        ...


class ClaudeView:
    """The `attendd.harness.SessionView` of a Claude Code session.

    Two views of one session, for two processes, are told apart as far as that can be known.
    """

    def __init__(
        self, client: Client, session: str, *, pid: int | None, start: str, workdir: str
    ) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._pid = pid
        self._start = start
        self._workdir = workdir
        self._session = session
        self._file = RecordFile(client.client_dir / "sessions" / f"{pid}.json") if pid else None
        self._record: Record | None = None
        self._transcript: Transcript | None = None
        self._agents: Agents | None = None
        self._whose = Whose()
        self._times_anew = 0
        self._branch: Branch | None = None
        self._apart = False  # whether another process runs this session, too
        self._searched_at = -math.inf
        self._astray = False
        self._strays: dict[Path, float] = {}

    @property
    def session(self) -> str:
        """See `SessionView.session`."""
        return self._session

    @property
    def transcript(self) -> str:
        """See `SessionView.transcript`."""
        return "" if self._transcript is None else str(self._transcript.path)

    @property
    def contract(self) -> str:
        """See `SessionView.contract`."""
        if self._file is not None and self._file.problem:
            return self._file.problem
        if self._astray:
            return "its session record names a session whose transcript no longer grows"
        if self._transcript is not None and (said := self._transcript.contract):
            return said
        if not self._whose.sure:
            return "two processes run this session, and it can't be told whose turns are whose"
        return ""

    def refresh(self) -> None:
        """See `SessionView.refresh`."""
        with self._lock:
            wall = self._client.wall()
            changed = self._follow_record(wall)
            if self._transcript is None and (
                changed or wall - self._searched_at >= _LOOK_FOR_S or wall < self._searched_at
            ):
                self._search(wall)
            grown = self._transcript is not None and self._transcript.refresh()
            if changed or grown:
                self._tell_apart()
            self._astray = self._goes_astray(wall)

    def activity(self) -> Activity:
        """See `SessionView.activity`."""
        transcript = self._transcript
        return Activity(
            status=self._status(),
            prompted=self._prompted(),
            worked_at=None if transcript is None else transcript.mtime,
            turns=0 if self._branch is None else self._branch.turns,
            bytes=0 if transcript is None else transcript.size,
            contract=self.contract,
        )

    def gauge(self, stated: Stated | None = None) -> Gauge | None:
        """See `SessionView.gauge`."""
        if self._astray or (self._transcript is None and self._record is None):
            return None
        said = stated.window_only() if stated and self._apart else stated
        return gauges.measure(self._session, self._transcript, self._branch, said)

    def talk(self) -> Talk:
        """See `SessionView.talk`."""
        own = self._branch
        if own is None:
            return Talk()
        return Talk(prompted_at=own.prompted_at, worked_at=own.worked_at, alone=own.alone)

    def traces(self) -> Traces | None:
        """See `SessionView.traces`."""
        self.refresh()
        with self._lock:
            return None if self._transcript is None else self._transcript.traces()

    def own_doing(self, since: float, until: float) -> bool | None:
        """See `SessionView.own_doing`."""
        self.refresh()
        with self._lock:
            record, transcript = self._record, self._transcript
            if record is None and transcript is None:
                return False
            began = math.inf if record is None or record.since is None else record.since
            if self._status() is Status.IDLE and began < since:
                return False
            if transcript is None or self._agents is None:
                return self._nothing_till(until)
            calls, theirs = transcript.conversation.calls, self._whose.theirs
            over = self._status() is Status.IDLE or (
                record is not None and record.asks and calls.running(theirs) == 1
            )
            ran = calls.ran(since, until, without=theirs, stopped=began if over else math.inf)
            if ran or self._agents.ran(since, until):
                return True
            if transcript.conversation.written_at >= until and not self._agents.at_work(since):
                return False
            return self._nothing_till(until)

    def commands(self) -> Sequence[Command]:
        """See `SessionView.commands`."""
        with self._lock:
            known = self._transcript and self._transcript.conversation.commands
            return known.lately(self._client.wall()) if known else ()

    # -- which session ------------------------------------------------------------

    def _follow_record(self, wall: float) -> bool:
        """Look at the record; tell whether it says anything new."""
        if self._file is None:
            return False
        before = self._record
        self._file.refresh(wall)
        record = self._file.record
        if record is not None and (record.start != self._start if self._start else False):
            record = None  # the pid was used again
        self._record = record
        if record is None or record is before:
            return record is not before
        if record.session_id != self._session:
            self._move(record.session_id)
        return True

    def _move(self, session: str) -> None:
        self._session = session
        self._transcript = self._agents = self._branch = None
        self._whose = Whose()
        self._times_anew = 0
        self._searched_at = -math.inf

    def _search(self, wall: float) -> None:
        self._searched_at = wall
        cwd = (self._record.cwd if self._record else None) or self._workdir
        found = find_transcript(self._client.client_dir, self._session, cwd)
        if found is not None:
            self._open(found)

    def _open(self, path: Path) -> None:
        self._transcript = Transcript(path)
        self._agents = Agents(path)

    def open_transcript(self, path: str) -> None:
        """Use the transcript that a hook named, if it is this session's."""
        if path and Path(path).stem == self._session:
            self._open(Path(path))

    # -- whose turns --------------------------------------------------------------

    def _tell_apart(self) -> None:
        others = [
            record
            for record in self._client.running()
            if record.session_id == self._session and record.pid != self._pid
        ]
        own = None if self._record is None else self._record.since
        self._whose.note(own, [record.since for record in others])
        if self._transcript is None:
            return
        if self._transcript.times_anew != self._times_anew:
            self._times_anew = self._transcript.times_anew
            self._whose = Whose()
        branches = self._transcript.conversation.branches
        self._apart = bool(others) and self._pid is not None
        whose = self._whose.among if self._apart else self._whose.alone
        self._branch = whose(branches)

    def _goes_astray(self, wall: float) -> bool:
        """Whether a turn is under way that goes into another transcript than this session's."""
        record, transcript = self._record, self._transcript
        if transcript is None or record is None or record.doing is not Status.BUSY:
            self._strays = {}
            return False
        since = record.since or math.inf
        if wall - since < _SILENT_S or (transcript.mtime or 0.0) >= since - _NEARLY_S:
            self._strays = {}
            return False
        claimed = {other.session_id for other in self._client.running()}
        growing = _growing(transcript.path.parent, since)
        before = self._strays
        self._strays = {path: at for path, at in growing.items() if path.stem not in claimed}
        # One that was written by a process that has just ended grows no more.
        grown = any(at > before.get(path, math.inf) for path, at in self._strays.items())
        return grown or (self._astray and bool(self._strays))

    # -- what it does -------------------------------------------------------------

    def _status(self) -> Status:
        return Status.UNKNOWN if self._record is None or self._astray else self._record.doing

    def _prompted(self) -> bool:
        if self._branch is not None and self._branch.turns:
            return True
        if self._transcript is not None:
            return not self._transcript.whole
        # One that was given its prompt on the command line may keep no transcript.
        return self._record is None or self._record.entrypoint == _PRINT

    def _nothing_till(self, until: float) -> bool | None:
        return False if self._client.wall() >= until + WRITTEN_WITHIN_S else None


def _growing(folder: Path, since: float) -> dict[Path, float]:
    try:
        found = {path: path.stat().st_mtime for path in folder.glob("*.jsonl")}
    except OSError:
        return {}
    return {path: mtime for path, mtime in found.items() if mtime > since}
