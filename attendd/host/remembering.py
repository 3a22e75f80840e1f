"""What the host does for memory: who takes part, who has ended, what was made use of."""

from collections.abc import Callable, Iterable
from pathlib import Path

import anyio.to_thread
import msgspec

from attendd import log
from attendd.config import Loaded
from attendd.errors import StoreError
from attendd.harness import speech
from attendd.harness.tail import Tail
from attendd.host.configured import Configured
from attendd.host.parts import Parts
from attendd.host.roster import Member
from attendd.hot import identity, memory_settings, process
from attendd.memory import ending, use, vetted, vetting
from attendd.store import Attachment
from attendd.store.memories import Part

LOOK_S = 60.0
SETTLED_S = 10.0
"""So long after a session is over its last words have been taken down."""
PART = "memory"
"""What it is called among the parts of attend that are in use."""
SILENT_S = 24 * 3600.0
"""A session of no known client has ended after so long without a sign of life."""

_log = log.get_logger("memory")


class Remembering:
    """Keeps memory in step with sessions and configuration."""

    def __init__(
        self,
        parts: Parts,
        members: Callable[[], Iterable[Member]],
        behind: Callable[[], bool] = lambda: False,
    ) -> None:
        """Take what it works with.

        Args:
            parts: store, configuration and time.
            members: returns the attended sessions.
            behind: tells whether something that was said may not be recorded yet.
        """
        self._behind = behind
        self._store = parts.store
        self._config = parts.config
        self._clock = parts.clock
        self._members = members
        self._user: Loaded | None = None
        self._loaded: dict[str, tuple[Loaded, Path]] = {}
        self._tails: dict[str, Tail] = {}
        self._gone: dict[str, float] = {}
        self._configured = Configured(parts.config)
        self._configured_at = float("-inf")
        self._troubled = False

    async def look(self, now: float) -> float:
        """Do what there is to do; return when to look again."""
        try:
            await self._look(now)
        except (StoreError, vetting.VettingError) as error:
            if not self._troubled:
                _log.warning("memory can't be looked after", why=str(error))
            self._troubled = True
        else:
            self._troubled = False
        return now + (SETTLED_S if self._gone else LOOK_S)

    async def _look(self, now: float) -> None:
        members = {each.attended.client.session: each for each in self._members()}
        if {each.row.id for each in members.values()} != self._loaded.keys() or not (
            0 <= now - self._configured_at < LOOK_S
        ):
            self._configure(members.values())
            self._configured_at = now
        enabled = {each.id for each in self._store.memories.projects() if each.enabled}
        parts = {each.session: each for each in self._store.memories.parts()} if enabled else {}
        for session, member in members.items():
            part = parts.get(session)
            on = part is not None and part.project in enabled
            member.attended.parts = {PART} if on else set()
            if on and part is not None:
                await self._know_distance(member, part)
        for session in parts:
            await self._use(session, members.get(session))
        self._end([each for each in parts.values() if each.session not in members], now)
        self._tails = {name: tail for name, tail in self._tails.items() if name in parts}
        if enabled:
            await self._vet()

    def _configure(self, members: Iterable[Member]) -> None:
        """Keep what is set where hooks find it, whenever it may have changed."""
        user = self._config.current()
        known = {}
        for member in members:
            folder = member.attended.client.workdir
            loaded = self._configured.of(str(folder))
            known[member.row.id] = (loaded, folder)
            if self._loaded.get(member.row.id) != known[member.row.id]:
                self._set(str(folder), on=loaded.config.memory.enabled)
        self._loaded = known
        if user is not self._user:
            settings = memory_settings.Settings(msgspec.to_builtins(user.config.memory))
            self._store.call(lambda db: memory_settings.keep(db, settings))
            self._user = user

    def _set(self, workdir: str, *, on: bool) -> None:
        memories, place = self._store.memories, identity.project_of(workdir)
        known = memories.project_at(place)
        if known is None and not on:
            return
        project = known.id if known else memories.settle(place, self._clock.wall())
        memories.configure(project, self._clock.wall(), configured=on)

    async def _know_distance(self, member: Member, part: Part) -> None:
        """Keep whether the disclosure sensor can tell how far back the last teaching is."""
        loaded = self._loaded[member.row.id][0]
        known = await member.attended.client.gauge(loaded.config.context) is not None
        if known != part.gauge:
            self._store.memories.know_distance(part.session, known=known)

    async def _use(self, session: str, member: Member | None) -> None:
        """Note what a session has made use of since the last look."""
        row = self._store.sessions.get(session)
        path = (member.attended.client.transcript if member else "") or (
            row.transcript if row else ""
        )
        if not path:
            return
        tail = self._tails.get(session)
        if tail is None or str(tail.path) != path:
            tail = self._tails[session] = Tail(Path(path))
        answers = await anyio.to_thread.run_sync(_answers, tail)
        if answers:
            use.note(self._store, session, answers, self._clock.wall())

    async def _vet(self) -> None:
        """Have looked at what other detectors than those in use have let pass."""
        detectors = vetting.detectors_in_use()
        while facts := vetted.waiting(self._store, detectors):
            objections = await vetting.ask([each.text for each in facts])
            withheld = vetted.settle(self._store, facts, objections, self._clock.wall())
            _log.info("facts were vetted anew", facts=len(facts), withheld=withheld)

    def _has_ended(self, part: Part) -> bool:
        """Tell whether a session that nobody reads for is over, until somebody resumes it."""
        session = self._store.sessions.get(part.session)
        if session is not None and session.successor:
            return True
        clients = self._store.sessions.attachments(part.session)
        if clients:
            return not any(map(_may_live, clients))
        seen_at = max(session.seen_at if session else 0.0, part.began_at)
        return self._clock.wall() - seen_at > SILENT_S

    def _end(self, parts: list[Part], now: float) -> None:
        """Reckon with the end of sessions, once what they said last was surely taken down."""
        over = [each.session for each in parts if self._has_ended(each)]
        self._gone = {session: self._gone.get(session, now) for session in over}
        if self._behind():
            return
        for session in [each for each in over if now - self._gone[each] >= SETTLED_S]:
            settings = self._config.current().config.memory
            ending.end_session(
                self._store,
                session,
                self._clock.wall(),
                kept=settings.kept_facts,
                after=settings.archive_after,
            )
            del self._gone[session]


def _answers(tail: Tail) -> list[str]:
    """Return what the model has said since the last look, oldest first."""
    lines = [line for line in tail.look().lines if b'"assistant"' in line]
    return [text for each in map(speech.parse, lines) if each for text in each.said]


def _may_live(row: Attachment) -> bool:
    if row.client_pid is None:
        return row.ended_at is None
    return process.alive(row.client_pid, row.client_start, row.pidns, row.boot) is not False
