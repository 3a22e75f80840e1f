"""Follows builds as stories, one for a tree of children, for all sessions of a host at once.

A look reads the list of pids, and of those only what is new since the look before. What neither
descends from an attended client nor works in an attended project is passed over: its command
line is not read, and nobody holds on to it.
"""

import asyncio
import functools
import itertools
from collections import Counter
from collections.abc import Callable, Collection, Sequence

import anyio
import anyio.to_thread
import msgspec

from sensors.processes.ending import Ending, Hearing, Outcome
from sensors.processes.known import Known
from sensors.processes.parties import Concern, Parties, Party, Present
from sensors.processes.rest import Rest, Watch
from sensors.processes.source import Source, Stat, here
from sensors.processes.story import Story

FRESH_S = 4.0
"""How old a look may be that is shared."""
KEPT_S = 900.0
"""How long a story is kept after its end."""
MOST = 200
"""So many builds are followed at once for each session; further ones are passed over."""
SETTLES_S = 5.0
"""For how long after its end a process is asked how it ended."""

HANGS_S = 5.0
"""After so long a look hangs: nobody else waits for it."""

_OWNER = "CLAUDE_PID"
_GATHER_S = 0.1
"""So long after an end those look whom it concerns: often more than one process ends."""

Key = tuple[int, str]


class Table:
    """The processes of this machine, as far as they are builds that concern somebody."""

    def __init__(self, source: Source, watched: Sequence[str]) -> None:
        """Begin without having looked.

        Args:
            source: reads processes.
            watched: what counts as a build; see `naming.WATCHED`.
        """
        self._source = source
        self._asking = anyio.Lock()
        self._looking_since: float | None = None
        self._looked_at = float("-inf")
        self._parties = Parties()
        self._newcomers = False
        self._clients: set[int] = set()
        self._known = Known(source, tuple(watched))
        self._passed: dict[int, Stat] = {}
        self._stories: dict[Key, Story] = {}
        self._endings: dict[Key, Ending] = {}
        self._heard: dict[Key, tuple[float, Outcome]] = {}
        self._hearing = Hearing(self._has_ended)
        self._crowded: Concern = frozenset()
        self._rest = Rest()
        self._watch = Watch(self._parties.wake_one)

    def take(self, asker: object, party: Party, every_s: float | None = None) -> None:
        """Take note of a session, so that what concerns it is followed.

        Args:
            asker: its sensor.
            party: what concerns it.
            every_s: how often is looked while it is at work; ``None`` while it is not.
        """
        self._newcomers |= self._parties.take(asker, party)
        self._watch.take(asker, None if every_s is None else max(every_s, FRESH_S))

    def idle(self, now: float) -> bool:
        """Tell whether it is known at ``now``, without a look, that there are no builds."""
        return self._fresh(now) and not self._newcomers and not self._stories

    def crowded(self, asker: object) -> bool:
        """Tell whether more builds concern a session than are followed."""
        return bool(self._parties.of(asker) & self._crowded)

    def outdated(self) -> None:
        """Have the next look be a new one."""
        self._looked_at = float("-inf")

    async def shared_look(
        self, asker: object, now: float, clients: Collection[int] = ()
    ) -> list[Story]:
        """Return all builds that run, and those that ended lately.

        Looks once for all who ask together, and in a thread: it reads much of ``/proc``.

        Args:
            asker: whose sensor it is.
            now: seconds on the clock that counts suspend.
            clients: processes of sessions. What these run is no part of what runs them.

        Raises:
            TimeoutError: an earlier look hangs; there is no other while it does.
        """
        if self._looking_since is not None and now - self._looking_since > HANGS_S:
            raise TimeoutError("an earlier look at the processes has not ended")
        async with self._asking:
            self._clients |= set(clients)
            if not self._fresh(now) or self._newcomers:
                if not self._fresh(now):
                    self._watch.looked()
                again, self._newcomers = self._newcomers, False
                look = functools.partial(self._look, now, self._parties.now(), again=again)
                began = await self._in_thread(look, now)
                self._rest.looked(asker, lambda each: bool(self._parties.of(each) & began))
            self._take_in_ends(now)
            self._hearing.follow(self._endings)
            return [msgspec.structs.replace(each) for each in self._stories.values()]

    async def _in_thread(self, look: Callable[[], Concern], now: float) -> Concern:
        """Look, and let others know since when; the lock is held until the thread has ended."""
        self._looking_since = now
        try:
            return await anyio.to_thread.run_sync(look)
        finally:
            self._looking_since = None

    def may_rest(self, asker: object, wake: Callable[[], None], every_s: float) -> bool:
        """Tell whether somebody who follows no build may rest until another begins."""
        return self._rest.may(asker, wake, every_s)

    def _fresh(self, now: float) -> bool:
        return 0 <= now - self._looked_at < FRESH_S

    # -- one look ------------------------------------------------------------------------

    def _look(self, now: float, present: Present, *, again: bool) -> Concern:
        """Look at what is new; return whom that concerns.

        Args:
            now: seconds on the clock that counts suspend.
            present: the attended sessions.
            again: whether there is one more, whom something known may concern.
        """
        before = set(self._stories)
        found = list(self._passed.values()) if again else []
        if not self._fresh(now):
            self._known.look()
            self._looked_at = now
            self._clients &= self._known.pids
            for gone in self._passed.keys() - self._known.pids:
                del self._passed[gone]
            self._follow(now, present)
            found += self._known.new()
        if again:
            for story in self._stories.values():
                story.concern |= present.concerned(story.folder, story.above)
        self._crowded = self._full(self._crowded)
        for stat in found:
            self._judge(stat, now, present)
        began = (self._stories[key].concern for key in self._stories.keys() - before)
        return frozenset(itertools.chain.from_iterable(began))

    def _judge(self, stat: Stat, now: float, present: Present) -> None:
        """Follow a process from now on if it is a build and concerns somebody."""
        key = (stat.pid, stat.start)
        if key in self._stories:
            return
        folder, above = self._source.folder(stat.pid), self._known.above(stat)
        concern = present.concerned(folder, above)
        if concern or present.clients:
            owner = self._source.variable(stat.pid, _OWNER)
            above = (*above, int(owner)) if owner.isdecimal() else above
            concern |= present.clients.intersection(above)
        if not concern:
            self._passed[stat.pid] = stat
            return
        self._passed.pop(stat.pid, None)
        called = self._known.called(stat.pid)
        if not called or self._within(above):
            return
        self._take_in(stat.pid)
        if concern <= self._full(concern):
            self._crowded |= concern
            return
        self._endings[key] = self._source.hold(stat)
        self._stories[key] = Story(
            pid=stat.pid,
            start=stat.start,
            called=called,
            folder=folder,
            above=above,
            terminal=stat.terminal,
            began=now - self._source.age_s(stat, now),
            seen=now,
            concern=concern,
        )

    def _full(self, concern: Concern) -> Concern:
        """Return those of whom no more builds are followed."""
        running = (each.concern for each in self._stories.values() if each.ended is None)
        count = Counter(itertools.chain.from_iterable(running)) if concern else Counter()
        return frozenset(each for each in concern if count[each] >= MOST)

    def _within(self, above: Sequence[int]) -> bool:
        """Whether it is part of another build, be that followed or not."""
        near = self._up_to_client(above)
        running = {each.pid for each in self._stories.values() if each.ended is None}
        return not running.isdisjoint(near) or any(self._known.called(pid) for pid in near)

    def _up_to_client(self, above: Sequence[int]) -> Sequence[int]:
        return tuple(itertools.takewhile(lambda pid: pid not in self._clients, above))

    def _take_in(self, pid: int) -> None:
        """Let builds that turn out to be parts of this one be no stories of their own."""
        for key, story in list(self._stories.items()):
            if story.ended is None and pid in self._up_to_client(story.above):
                del self._stories[key]
                del self._endings[key]

    # -- ends ----------------------------------------------------------------------------

    def _follow(self, now: float, present: Present) -> None:
        """See which of the builds still run, and forget those that concern nobody any more."""
        for key, story in list(self._stories.items()):
            old = story.ended is not None and now - story.ended > KEPT_S
            if old or story.concern.isdisjoint(present.concern):
                del self._stories[key]
                self._endings.pop(key, None)
            elif story.ended is not None:
                continue
            elif self._runs(key, story):
                story.seen = now
            else:
                self._end(story, now, self._endings[key].outcome())

    def _runs(self, key: Key, story: Story) -> bool:
        if self._endings[key].heard:
            return True  # its end will be taken in with the moment at which it was heard
        stat = self._source.stat(story.pid)
        return stat is not None and stat.start == story.start

    def _has_ended(self, key: Key, when: float, outcome: Outcome) -> None:
        """Hear from the event loop that a process has ended."""
        self._heard[key] = (when, outcome)
        if (story := self._stories.get(key)) is not None:
            loop = asyncio.get_running_loop()
            loop.call_later(_GATHER_S, self._parties.wake, story.concern)

    def _take_in_ends(self, now: float) -> None:
        """Take in the ends that were heard, and ask again for what is not known of others."""
        heard, self._heard = self._heard, {}
        for key, (when, outcome) in heard.items():
            if key in self._endings and self._stories[key].ended is None:
                self._stories[key].seen = when
                self._end(self._stories[key], when, outcome)
        for key, ending in list(self._endings.items()):
            story = self._stories[key]
            if story.ended is None:
                story.seen = now if ending.heard else story.seen
                continue
            if not story.final:
                story.code, story.final = ending.outcome()
            if story.final or now - story.ended >= SETTLES_S:
                story.final = True
                del self._endings[key]

    def _end(self, story: Story, when: float, outcome: Outcome) -> None:
        story.ended = when
        story.code, story.final = outcome
        self._known.forget(story.pid)


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
