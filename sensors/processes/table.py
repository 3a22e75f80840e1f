"""Follows builds as stories, one for a tree of children, for all sessions of a host at once.

A look reads the list of pids, and of those only what is new since the look before. So processes
that have nothing to do with us cost one number each.
"""

import itertools
import threading
from collections.abc import Callable, Collection, Iterable, Sequence

import anyio
import anyio.to_thread
import msgspec

from sensors.processes import naming
from sensors.processes.ending import Ending
from sensors.processes.rest import Rest
from sensors.processes.source import Source, Stat, here

FRESH_S = 4.0
"""How old a look may be that is shared."""
KEPT_S = 900.0
"""How long a story is kept after its end."""
MOST = 200
"""So many stories are followed at once; further builds are passed over."""

_YOUNG = 2
"""At so many looks a process is read: between fork and exec it has its parent's name."""
_FARTHEST = 64
_OWNER = "CLAUDE_PID"


class Story(msgspec.Struct, kw_only=True):
    """A build.

    Attributes:
        pid: its topmost process.
        start: when that started, as the system counts it.
        called: its command line in brief.
        folder: where it works.
        above: pids of its ancestors, nearest first, and last of the client that its
            environment names.
        terminal: whether it belongs to a terminal.
        began: when it started, on the clock that counts suspend.
        seen: when it was last seen to run.
        ended: when it was first seen to have ended; ``None`` while it runs.
        code: its exit code, negative for a signal; ``None``: not known.
    """

    pid: int
    start: str
    called: str
    folder: str
    above: tuple[int, ...]
    terminal: bool
    began: float
    seen: float
    ended: float | None = None
    code: int | None = None


class Table:
    """The processes of this machine, as far as they are builds."""

    def __init__(self, source: Source, watched: Sequence[str]) -> None:
        """Begin without having looked.

        Args:
            source: reads processes.
            watched: what counts as a build; see `naming.WATCHED`.
        """
        self._source = source
        self._watched = tuple(watched)
        self._lock = threading.Lock()
        self._asking = anyio.Lock()
        self._looked_at = float("-inf")
        self._clients: set[int] = set()
        self._known: dict[int, tuple[Stat, int]] = {}
        self._stories: dict[tuple[int, str], Story] = {}
        self._endings: dict[tuple[int, str], Ending] = {}
        self._begun = 0
        self._rest = Rest()

    def idle(self, now: float) -> bool:
        """Tell whether it is known at ``now``, without a look, that there are no builds."""
        return self._fresh(now) and not self._stories

    def outdated(self) -> None:
        """Have the next look be a new one."""
        self._looked_at = float("-inf")

    async def shared_look(
        self, asker: object, now: float, clients: Collection[int] = ()
    ) -> list[Story]:
        """Do as `look`, once for all who ask together, and in a thread if there is to read."""
        async with self._asking:
            if self._fresh(now):
                return self.look(now, clients)
            before = self._begun
            found = await anyio.to_thread.run_sync(self.look, now, clients)
            self._rest.looked(asker, found=self._begun > before)
            return found

    def may_rest(self, asker: object, wake: Callable[[], None]) -> bool:
        """Tell whether somebody who follows no build may rest until another begins."""
        return self._rest.may(asker, wake)

    def look(self, now: float, clients: Collection[int] = ()) -> list[Story]:
        """Return all builds that run, and those that ended lately; reads much of ``/proc``.

        Args:
            now: seconds on the clock that counts suspend.
            clients: processes of sessions. What these run is no part of what runs them.
        """
        with self._lock:
            self._clients |= set(clients)
            if not self._fresh(now):
                self._look(now)
                self._looked_at = now
            return [msgspec.structs.replace(each) for each in self._stories.values()]

    def _fresh(self, now: float) -> bool:
        return 0 <= now - self._looked_at < FRESH_S

    def _look(self, now: float) -> None:
        pids = self._source.pids()
        self._clients &= pids
        for gone in self._known.keys() - pids:
            del self._known[gone]
        self._follow(now)
        for stat in self._read_new(pids):
            if naming.may_interest(stat.name, self._watched):
                self._begin(stat, now)

    def _read_new(self, pids: Iterable[int]) -> list[Stat]:
        fresh = []
        for pid in sorted(pids):
            times = self._known[pid][1] if pid in self._known else 0
            if times >= _YOUNG:
                continue
            stat = self._source.stat(pid)
            if stat is not None:
                self._known[pid] = (stat, times + 1)
                fresh.append(stat)
        return fresh

    def _follow(self, now: float) -> None:
        """See which of the builds still run."""
        for key, story in list(self._stories.items()):
            if story.ended is None:
                stat = self._source.stat(story.pid)
                if stat is not None and stat.start == story.start:
                    story.seen = now
                else:
                    self._end(key, story, now)
            elif now - story.ended > KEPT_S:
                del self._stories[key]

    def _end(self, key: tuple[int, str], story: Story, now: float) -> None:
        story.ended = now
        ending = self._endings.pop(key)
        story.code = ending.code()
        ending.let_go()
        self._known.pop(story.pid, None)  # the pid may have been used again

    def _begin(self, stat: Stat, now: float) -> None:
        key = (stat.pid, stat.start)
        if key in self._stories or len(self._endings) >= MOST:
            return
        called = naming.called(self._source.words(stat.pid), self._watched)
        above = self._above(stat)
        if not called or self._within(above):
            return
        self._take_in(stat.pid)
        owner = self._source.variable(stat.pid, _OWNER)
        self._begun += 1
        self._endings[key] = Ending(stat.pid)
        self._stories[key] = Story(
            pid=stat.pid,
            start=stat.start,
            called=called,
            folder=self._source.folder(stat.pid),
            above=(*above, *([int(owner)] if owner.isdecimal() else [])),
            terminal=stat.terminal,
            began=now - self._source.age_s(stat, now),
            seen=now,
        )

    def _within(self, above: Sequence[int]) -> bool:
        """Whether it is part of a build that is followed already."""
        near = self._up_to_client(above)
        return any(each.ended is None and each.pid in near for each in self._stories.values())

    def _up_to_client(self, above: Sequence[int]) -> Sequence[int]:
        return tuple(itertools.takewhile(lambda pid: pid not in self._clients, above))

    def _take_in(self, pid: int) -> None:
        """Let builds that turn out to be parts of this one be no stories of their own."""
        for key, story in list(self._stories.items()):
            if story.ended is None and pid in self._up_to_client(story.above):
                del self._stories[key]
                self._endings.pop(key).let_go()

    def _above(self, stat: Stat) -> list[int]:
        found: list[int] = []
        at = stat.parent
        while at > 1 and at not in found and len(found) < _FARTHEST:
            found.append(at)
            known = self._known.get(at)
            above = known[0] if known else self._source.stat(at)
            at = above.parent if above else 0
        return found


_tables: dict[tuple[str, ...], Table] = {}


def shared(watched: Sequence[str]) -> Table:
    """Return the table of this process for what is watched.

    Raises:
        RuntimeError: processes can't be read on this system.
    """
    key = tuple(watched)
    if key not in _tables:
        _tables[key] = Table(here(), key)
    return _tables[key]
