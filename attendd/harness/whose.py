"""Which branch of a transcript is ours, where two processes run one session.

Nothing in the rows names a process. But a client notes in the record of its own process when
its turn began and when it ended, within a moment of the rows that begin and end it.
"""

from collections import deque
from collections.abc import Iterable

from attendd.harness.branches import Branch, Branches

_BEFORE_S = 0.5
_AFTER_S = 0.05
"""How long before and after a row the status changes that goes with it; measured: 5-110 ms
after a prompt, 5-40 ms after the end of a turn."""

_REMEMBERED = 32


class Whose:
    """Tells the branches of one transcript apart.

    Attributes:
        theirs: numbers of the branches that another process writes.
        sure: whether it is known which branch is ours.
    """

    def __init__(self) -> None:
        self.theirs: set[int] = set()
        self.sure = True
        self._own: int | None = None
        self._own_turns: deque[float] = deque(maxlen=_REMEMBERED)
        self._other_turns: deque[float] = deque(maxlen=_REMEMBERED)

    def note(self, own: float | None, others: Iterable[float | None]) -> None:
        """Note since when the statuses hold that the processes of this session name.

        Args:
            own: of our process, wall clock.
            others: of the others.
        """
        if own is not None and own not in self._own_turns:
            self._own_turns.append(own)
        for turn in others:
            if turn is not None and turn not in self._other_turns:
                self._other_turns.append(turn)

    def alone(self, branches: Branches) -> Branch:
        """Return our branch where no other process writes: the one written last.

        Where another has written, and is gone, it is the one we wrote last, if that shows.
        """
        self.theirs.clear()
        self.sure = True
        own = branches.latest
        if branches.interleaved:
            met = (b for b in reversed(branches.kept) if _meets(b, self._own_turns))
            own = next(met, own)
        self._own = own.number
        return own

    def among(self, branches: Branches) -> Branch:
        """Return our branch where others write as well, or the one written last; see `sure`."""
        for branch in branches.kept:
            ours = _meets(branch, self._own_turns)
            if ours == _meets(branch, self._other_turns):
                continue  # no evidence, or as much for the one as for the other
            if ours:
                self._own = branch.number
                self.theirs.discard(branch.number)
            else:
                self.theirs.add(branch.number)
        rest = [b for b in branches.kept if b.number not in self.theirs]
        # Ours is theirs as long as we have written nothing since the ways parted.
        self.sure = [b.number for b in rest] == [self._own]
        return next((b for b in rest if b.number == self._own), branches.latest)


def _meets(branch: Branch, turns: Iterable[float]) -> bool:
    return any(
        mark - _AFTER_S <= turn <= mark + _BEFORE_S for turn in turns for mark in branch.marks
    )
