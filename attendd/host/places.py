"""Where directories lie: looked up once a minute for all who ask."""

import msgspec

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


class Places:
    """The places of directories, by their paths."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: dict[str, tuple[float, Place]] = {}

    def of(self, workdir: str) -> Place:
        """Tell where a directory lies; what is no absolute path lies nowhere."""
        now = self._clock.now()
        found = self._known.get(workdir)
        if found is not None and 0 <= now - found[0] < _KEPT_S:
            return found[1]
        if workdir.startswith("/"):
            place = Place(identity.project_of(workdir), *worktree.of(workdir))
        else:
            place = Place("", "", "")
        self._known[workdir] = (now, place)
        return place

    def forget(self) -> None:
        """Let go of what nobody has asked about for long."""
        now = self._clock.now()
        known = list(self._known.items())  # in one step: others ask in threads of their own
        self._known = {k: v for k, v in known if now - v[0] < _FORGOTTEN_S}
