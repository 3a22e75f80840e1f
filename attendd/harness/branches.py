"""The tree that a transcript's rows form, followed at its growing ends only.

A conversation is a chain of rows, each naming the one it follows. After a rewind the next
prompt follows an earlier row; where two processes run one session, two chains grow in one file.
All that need be known of a chain is its tip: the last answer and what follows it.
"""

import math
from collections import deque

import msgspec

_KEPT = 4
_LONGEST_TIP = 4096
_MARKS = 16


class Figure(msgspec.Struct, frozen=True):
    """How much a conversation holds.

    Attributes:
        tokens: the count.
        method: ``usage`` or ``compaction``, as in `attendd.model.Gauge`.
    """

    tokens: int
    method: str


class Branch:
    """One chain of rows, from where it left another.

    Attributes:
        number: names it; later ones are higher.
        figure: what it holds; ``None`` while that is not known.
        measured_at: when the row was made that says so, or that it is not known any more;
            wall clock, minus infinity before any.
        model: of its last answer; empty before it.
        requested: the model as it was asked for, where that is noted.
        cut: uuid of the row with which something of what it held was lost; empty if never.
        turns: prompts by people.
        prompted_at: the last of them, wall clock; minus infinity before any.
        alone: turns since then that nobody prompted.
        worked_at: the last tool call that was more than talk; minus infinity before any.
        marks: when its last turns began and ended, wall clock, oldest first.
        tip: uuids of its last answer and of all rows after it.
        answer: the message id of that answer; empty if there is none, or none since a cut.
        answered_at: when it was given, wall clock; minus infinity before any.
        settled: whether a row whose predecessor is unknown can't be of this branch.
        comparable: whether a lower figure means that something was lost since this one.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.figure: Figure | None = None
        self.measured_at = -math.inf
        self.model = ""
        self.requested = ""
        self.cut = ""
        self.turns = 0
        self.prompted_at = -math.inf
        self.alone = 0
        self.worked_at = -math.inf
        self.marks: deque[float] = deque(maxlen=_MARKS)
        self.tip: set[str] = set()
        self.answer = ""
        self.answered_at = -math.inf
        self.settled = False
        self.comparable = False

    def fork(self, number: int, uuid: str) -> "Branch":
        """Return the branch that a row begins which follows an earlier one than the tip."""
        other = Branch(number)
        other.figure, other.measured_at = self.figure, self.measured_at
        other.turns = self.turns
        other.prompted_at, other.alone = self.prompted_at, self.alone
        other.worked_at = self.worked_at
        other.model, other.requested = self.model, self.requested
        other.cut = uuid
        other.answered_at = self.answered_at
        other.settled = True
        return other

    def prompted(self, at: float) -> None:
        """Take a person's prompt."""
        self.turns += 1
        self.prompted_at = max(self.prompted_at, at)
        self.alone = 0

    def extend(self, uuid: str) -> None:
        """Add a row to the tip."""
        if len(self.tip) >= _LONGEST_TIP:  # something writes on without any answer
            self.tip.clear()
            self.settled = False
        self.tip.add(uuid)

    def answered(self, message: str, uuid: str, parent: str | None, at: float) -> None:
        """Take a row of an answer: all rows of one share the message's id."""
        self.answered_at = at
        if message == self.answer:
            self.extend(uuid)
            return
        # An answer that a crash cut short is dropped: what comes then follows what it followed.
        self.tip = {uuid} if parent is None else {uuid, parent}
        self.answer = message
        self.settled = True

    def compacted(self, uuid: str, kept: tuple[str, ...]) -> None:
        """Take a compaction: it begins a chain of its own, with a few earlier messages."""
        self.cut = uuid
        self.tip = {uuid, *kept}
        self.answer = ""
        self.settled = True


class Branches:
    """The ends that lately grew.

    Attributes:
        kept: the branches, the one written to last at the end.
        interleaved: whether a branch that another had left behind went on: then more than one
            process writes.
    """

    def __init__(self) -> None:
        self.kept = [Branch(0)]
        self.interleaved = False
        self._count = 1

    @property
    def latest(self) -> Branch:
        """The branch that was written to last."""
        return self.kept[-1]

    def find(self, parent: str | None) -> Branch | None:
        """Return the branch whose tip holds a row."""
        if parent is None:
            return None
        return next((b for b in reversed(self.kept) if parent in b.tip), None)

    def write(self, branch: Branch) -> None:
        """Note that a prompt or an answer was added to a branch."""
        if branch is not self.kept[-1]:
            self.interleaved = True
            self.kept.remove(branch)
            self.kept.append(branch)

    def fork(self, uuid: str) -> Branch:
        """Begin a branch with a row that follows none of the tips."""
        branch = self.latest.fork(self._count, uuid)
        self._count += 1
        self.kept = [*self.kept[1 - _KEPT :], branch]
        return branch

    def unsettle(self) -> None:
        """Note that rows were missed: the next one's predecessor may be among them."""
        self.latest.settled = False
