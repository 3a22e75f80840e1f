"""Where directories lie: looked up once a minute for all who ask."""

from collections.abc import Callable

import msgspec

from attendd.asking import Asking
from attendd.clock import Clock
from attendd.hot import identity, worktree

_KEPT_S = 60.0
"""How long a directory is taken to stay in its project and on its branch."""
_FORGOTTEN_S = 600.0


class Place(msgspec.Struct, frozen=True):
    """Where a directory lies.

    Attributes:
        project: the key of its project.
        worktree: the top of its work tree, or itself.
        branch: what is checked out there.
    """

    project: str
    worktree: str
    branch: str


_NOWHERE = Place("", "", "")


def find(workdir: str) -> Place:
    """Tell where a directory lies now."""
    return Place(identity.project_of(workdir), *worktree.of(workdir))


class Places:
    """The places of directories, by their paths.

    Where a file system does not answer, a directory lies where it lay before, or nowhere.
    """

    def __init__(self, clock: Clock, find: Callable[[str], Place] = find) -> None:
        """Look nowhere yet.

        Args:
            clock: the time.
            find: tells where a directory lies; may take for ever.
        """
        self._clock = clock
        self._find = find
        self._known: dict[str, tuple[float, Place]] = {}
        self._asking = Asking(self._look)

    def of(self, workdir: str) -> Place:
        """Tell where a directory lies; what is no absolute path lies nowhere."""
        if not workdir.startswith("/"):
            return _NOWHERE
        found = self._known.get(workdir)
        if found is not None and 0 <= self._clock.now() - found[0] < _KEPT_S:
            return found[1]
        try:
            return self._asking.ask(workdir)
        except TimeoutError:
            return _NOWHERE if found is None else found[1]

    def forget(self) -> None:
        """Let go of what nobody has asked about for long."""
        now = self._clock.now()
        known = list(self._known.items())  # in one step: others ask in threads of their own
        self._known = {
            path: found
            for path, found in known
            if now - found[0] < _FORGOTTEN_S or self._asking.waits(path)
        }

    def _look(self, workdir: str) -> Place:
        """Look where it lies, and keep that, also if nobody waits for it any more."""
        place = self._find(workdir)
        self._known[workdir] = (self._clock.now(), place)
        return place
