"""What the rows of a transcript prove of our messages. Pure.

A row that delivers a message proves that it was seen only while it lies on the branch that the
conversation is on; an answer of the model further down proves that it was answered. What only
stands in the client's queue is queued.
"""

import math
import re
from collections.abc import Iterable, Mapping

import msgspec

from attendd.harness.delivered import Entry, ids, notice, parse

MOST = 2_000
"""Messages of which is remembered what is known; the oldest go first."""

_MARK = b"[attend sensor="
_SUPPRESSED = b"suppressed"
_CHAIN = b'"uuid"'
_OURS = "[attend sensor="
_DROPPED = re.compile(
    r"\[(?:plugin monitor .* suppressed \d|\d+ events? suppressed|Monitor stop)"
)
_MOST_ROWS = 20_000


class Trace(msgspec.Struct):
    """What is known of one message. Times are wall clock.

    Attributes:
        queued_at: when a client last took it into its queue; ``None``: it was not seen to.
        seen_at: when it came into the conversation.
        row: uuid of the row that proves it; empty before that.
        answered_at: when the model had answered with it in view.
        answer: uuid of that answer; empty before it.
    """

    queued_at: float | None = None
    seen_at: float | None = None
    row: str = ""
    answered_at: float | None = None
    answer: str = ""


class Traces(msgspec.Struct, frozen=True):
    """What a transcript shows of our messages.

    Attributes:
        since: from when on nothing that was written is missing, wall clock.
        messages: what is known, by a message's id; of a line that told of several, by its key.
        suppressed_at: when the client last said that it dropped lines of ours; minus infinity
            if it never did.
    """

    since: float = math.inf
    messages: Mapping[str, Trace] = {}
    suppressed_at: float = -math.inf


class _Sighting(msgspec.Struct):
    ids: tuple[str, ...]
    row: str
    at: float
    answer: str = ""
    answered_at: float = -math.inf


_Known = frozenset[int]
_NOTHING: _Known = frozenset()


class Evidence:
    """Takes rows in the order of the file and remembers what they prove.

    Only what lies below a sighting that was not answered yet is kept of the tree.

    Attributes:
        since: see `Traces.since`.
    """

    def __init__(self, *, whole: bool = False) -> None:
        """Begin.

        Args:
            whole: whether the first row to come is the first of the file.
        """
        self.since = -math.inf if whole else math.inf
        self._traces: dict[str, Trace] = {}
        self._suppressed_at = -math.inf
        self._latest = -math.inf
        self._tasks: set[str] = set()
        self._sightings: dict[int, _Sighting] = {}
        self._count = 0
        self._below: dict[str, _Known] = {}
        self._leaf = _NOTHING

    def traces(self) -> Traces:
        """Return what is known now."""
        return Traces(self.since, self._traces, self._suppressed_at)

    def read(self, lines: Iterable[bytes]) -> None:
        """Take what one look at the file found; an empty line stands for what was missed."""
        piece: list[bytes] = []
        for line in lines:
            if line:
                piece.append(line)
                continue
            self._read(piece)
            piece = []
            self._lose()
        self._read(piece)

    def _read(self, lines: list[bytes]) -> None:
        if self.since == math.inf:
            self.since = next((at for at in map(_time, lines) if at is not None), math.inf)
        all_count = bool(self._below) or any(_MARK in line for line in lines)
        wanted = [
            line
            for line in lines
            if _MARK in line or _SUPPRESSED in line or (all_count and _CHAIN in line)
        ]
        rows = [row for row in map(parse, wanted) if row is not None]
        self._place([row for row in rows if not row.is_sidechain])
        self._conclude()

    def _lose(self) -> None:
        """Take note that rows were missed: from here on it is as at the beginning."""
        self.since = math.inf
        self._sightings.clear()
        self._below.clear()
        self._leaf = _NOTHING

    # -- rows -------------------------------------------------------------------

    def _place(self, rows: list[Entry]) -> None:
        """Take rows, each after the one it follows, wherever in the file that stands."""
        to_come = {row.uuid: row for row in rows if row.uuid}
        for row in rows:
            chain = []
            at: Entry | None = row
            while at is not None and to_come.pop(at.uuid, None) is not None:
                chain.append(at)
                at = to_come.get(at.parent)
            for each in reversed(chain):
                self._take(each)
            self._latest = max(self._latest, row.at)
            if row.uuid:
                self._leaf = self._below.get(row.uuid, _NOTHING)
            else:
                self._note(row)

    def _take(self, row: Entry) -> None:
        known = self._below.get(row.parent, _NOTHING)
        said = row.delivered
        if found := ids(said):
            self._count += 1
            # What was queued bears the time at which that was; it comes in behind later rows.
            self._sightings[self._count] = _Sighting(found, row.uuid, max(row.at, self._latest))
            known |= {self._count}
        self._hear(said, row.at)
        if row.answers:
            for number in known:
                sighting = self._sightings[number]
                if not sighting.answer:
                    sighting.answer, sighting.answered_at = row.uuid, row.at
        if known:
            if len(self._below) > _MOST_ROWS:  # something writes on without any answer
                self._below.clear()
            self._below[row.uuid] = known

    def _note(self, row: Entry) -> None:
        """Take a row that is in no tree: what the client does with its queue."""
        self._hear(row.queued, row.at)
        for each in ids(row.queued):
            trace = self._trace(each)
            trace.queued_at = row.at

    def _hear(self, said: str, at: float) -> None:
        """Remember which of the client's tasks is ours, and hear what it says of its output."""
        found = notice(said)
        if found is None:
            return
        lines = found.event.split("\n")
        if any(line.startswith(_OURS) for line in lines):
            self._tasks.add(found.task)
        if found.task in self._tasks and any(map(_DROPPED.match, lines)):
            self._suppressed_at = max(self._suppressed_at, at)

    # -- what it comes to -------------------------------------------------------

    def _conclude(self) -> None:
        """Write down what is proved on the branch that the conversation is on now."""
        over: set[int] = set()
        for number in sorted(self._leaf):
            sighting = self._sightings[number]
            for each in sighting.ids:
                trace = self._trace(each)
                if trace.seen_at is None:
                    trace.seen_at, trace.row = sighting.at, sighting.row
                if sighting.answer and trace.answered_at is None:
                    trace.answered_at, trace.answer = sighting.answered_at, sighting.answer
            if sighting.answer:
                over.add(number)
        if over:
            self._forget(over)

    def _forget(self, over: set[int]) -> None:
        for number in over:
            del self._sightings[number]
        left = ((uuid, known - over) for uuid, known in self._below.items())
        self._below = {uuid: known for uuid, known in left if known}
        self._leaf -= over

    def _trace(self, message: str) -> Trace:
        trace = self._traces.get(message)
        if trace is None:
            trace = self._traces[message] = Trace()
            if len(self._traces) > MOST:
                del self._traces[next(iter(self._traces))]
        return trace


def _time(line: bytes) -> float | None:
    row = parse(line) if line else None
    return row.at if row is not None and row.timestamp is not None else None
