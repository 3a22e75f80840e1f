"""From decisions to the store: what is told is committed, all of it is journalled."""

import base64
import math
import os
from collections.abc import Callable, Sequence

import msgspec

from attendd import log
from attendd.clock import Clock
from attendd.engine.batch import Batch as Lines
from attendd.engine.batch import Code, Decision
from attendd.engine.render import render
from attendd.errors import StoreError
from attendd.host.attended import Attended
from attendd.host.client import FRESH_S
from attendd.host.listeners import Listeners
from attendd.host.ration import Rations
from attendd.host.sensing import Sensing
from attendd.host.told import Told
from attendd.hot import bell, process
from attendd.model import Observation, Telling
from attendd.registry import Registry
from attendd.store import Batch, JournalRow, Store
from attendd.store.journal import Journal

MOST_WAITING = 2
"""So many batches may wait for a reader that shows nothing; the rest stays where it is."""

STALE = "stale"
"""Why a batch expired that nobody has claimed."""

_LOGGED = ("correlation", "batch", "session", "sensor", "detail")
_OBSERVATIONS = (Code.OBSERVED, Code.OWN, Code.MERGED)
_log = log.get_logger("outlet")


class StoreOutlet:
    """The `attendd.host.told.Outlet` of the host.

    Attributes:
        listeners: plugins that hear what is told.
        rewatch: whether what is to be watched has changed since it was last looked at.
        emptied: attachments to which a batch went, so that what was held may be told by now.
    """

    def __init__(
        self,
        store: Store,
        journal: Journal,
        registry: Registry,
        clock: Clock,
        later: Callable[[], None],
    ) -> None:
        """Take where things go, and whom to ask for a `flush` soon."""
        self.rewatch = False
        self.emptied: set[str] = set()
        self._later = later
        self._store = store
        self._journal = journal
        self._registry = registry
        self.listeners = Listeners(registry, store, clock)
        self._clock = clock
        self._boot = process.boot_id()
        self._bells: dict[str, str] = {}
        self._rows: list[JournalRow] = []
        self._rations = Rations()
        self._troubled = False
        self._newest = 0
        self._newest_at = -math.inf

    def reads(self, key: str, bell_path: str) -> None:
        """Take note of how the reader of an attachment is rung."""
        self._bells[key] = bell_path

    def watched(self) -> None:
        """See `Outlet.watched`."""
        self.rewatch = True
        self._later()

    def decided(
        self, attended: Attended, decisions: Sequence[Decision], batch: Lines | None = None
    ) -> str:
        """See `Outlet.decided`."""
        correlation = (attended.trail.of(batch.opener) or _new_id()) if batch else ""
        items = {item for line in batch.lines for item in line.items} if batch else set()
        taken = attended.desk.taken if attended.desk else {}
        lag = self._clock.wall() - self._clock.now()
        for each in decisions:
            told = each.code in (Code.FIRED, Code.RODE)
            row = JournalRow(
                at=each.at + lag,
                kind="observation" if each.code in _OBSERVATIONS else "gate",
                code=str(each.code),
                session=attended.client.session,
                attachment=attended.key,
                sensor=each.slot,
                text=each.text,
                magnitude=each.magnitude,
                batch=(correlation if each.item in items else taken.get(each.item, "")) * told,
                detail=_detail(each),
                correlation=attended.trail.of(each.item),
            )
            self._note(row, written=self._rations.decided(row, each))
        return correlation

    def untold(self, attended: Attended, batch: Lines) -> Lines | None:
        """See `Outlet.untold`."""
        if attended.desk is None:
            return batch
        try:
            return attended.desk.without_told(batch, attended.attention)
        except StoreError as error:
            self._trouble(error)
            return None

    def open(self, attended: Attended) -> bool:
        """See `Outlet.open`."""
        given = attended.out.given
        if not given:
            return True
        try:
            waiting = self._store.outbox.waiting(attended.client.session, attended.key)
            for correlation in sorted(given.keys() - {each.correlation for each in waiting}):
                self._delivered(attended, correlation)
        except StoreError as error:
            self._trouble(error)
            return False
        return len(waiting) < MOST_WAITING

    def emit(self, attended: Attended, told: Told) -> bool:
        """See `Outlet.emit`."""
        lines = self.untold(attended, told.batch)
        if lines is None:
            return False
        told = msgspec.structs.replace(told, batch=lines)
        if not lines.lines:  # hooks have told all of it
            attended.out.unsent = None
            return True
        batch = Batch(
            attachment=attended.key,
            session=attended.client.session,
            lane=str(told.batch.lane),
            text=render(told.batch, attended.lines),
            correlation=told.correlation,
            wall=self._clock.wall(),
            boot=self._boot,
            bt=self._clock.now(),
        )
        attended.out.give(told)
        try:
            self._store.outbox.put(batch, attended.checkpoint())
        except StoreError as error:
            attended.out.take_back(told)
            self._trouble(error)
            return False
        self._troubled = False
        attended.changed = False
        bell.ring(self._bells[attended.key])
        self.emptied.add(attended.key)
        self._later()
        self.tell_plugins(told.batch, attended.client.session)
        return True

    def tellings(self, attended: Attended, sensing: Sensing) -> Sequence[Telling]:
        """See `Outlet.tellings`."""
        session, now = attended.client.session, self._clock.now()
        if not 0 <= now - self._newest_at < FRESH_S:  # once for all polls that are due together
            self._newest, self._newest_at = self._store.sessions.newest_telling(), now
        as_of = (session, self._newest)
        if sensing.tellings_as_of == as_of:
            return ()
        told, sensing.telling_cursor = self._store.sessions.tellings(
            session, sensing.kind.name, sensing.telling_cursor
        )
        sensing.tellings_as_of = as_of
        return told

    def asked(
        self, attended: Attended, sensor: str, seen: Sequence[Observation]
    ) -> Sequence[Observation]:
        """See `Outlet.asked`: a hook finds it with the session's next prompt."""
        texts = {each.text for each in self._registry.components if each.hooks}
        for_hooks = [each for each in seen if each.text in texts]
        for each in for_hooks:
            try:
                self._store.memories.due(attended.client.session, "distance")
            except StoreError as error:
                self._trouble(error)
                attended.out.miss(sensor, each.topic)
        return [each for each in seen if each not in for_hooks]

    def fared(self, attended: Attended, sensing: Sensing, text: str, trace: str = "") -> None:
        """See `Outlet.fared`."""
        row = JournalRow(
            at=self._clock.wall(),
            kind="health",
            code=sensing.health.state,
            session=attended.client.session,
            attachment=attended.key,
            sensor=sensing.kind.name,
            text=text,
            detail=trace,
        )
        self._note(row, written=self._rations.fared(row, self._clock.now()))

    def note(self, code: str, text: str, attended: Attended | None = None) -> None:
        """Journal something about the host itself."""
        self._note(
            JournalRow(
                at=self._clock.wall(),
                kind="host",
                code=code,
                session=attended.client.session if attended else "",
                attachment=attended.key if attended else "",
                text=text,
            )
        )

    def fate(self, code: str, session: str, text: str) -> None:
        """Journal what became of a message."""
        row = JournalRow(
            at=self._clock.wall(), kind="delivery", code=code, session=session, text=text
        )
        self._note(row)

    def _delivered(self, attended: Attended, correlation: str) -> None:
        """Journal what became of a batch that waits no more."""
        found = self._store.outbox.find(correlation)
        attended.out.ended(correlation, shown=all(each.reason != STALE for each in found))
        attended.changed = True
        for each in found:
            took = (
                ""
                if each.latency_ms is None
                else f", {each.latency_ms:.0f} ms after it was stored"
            )
            row = JournalRow(
                at=each.offered_at or self._clock.wall(),
                kind="delivery",
                code=each.state,
                session=each.session,
                attachment=attended.key,
                batch=correlation,
                detail=each.reason or f"{each.conduit}{took}",
                correlation=correlation,
            )
            self._note(row)

    def flush(self, now: float = math.inf) -> float:
        """Write what was journalled since the last time; of what is counted what is due.

        Args:
            now: the present; infinity writes all.

        Returns:
            When more of it is due; infinite where nothing is.
        """
        rows, self._rows = [*self._rows, *self._rations.due(now)], []
        if said := self._journal.append(rows):
            _log.warning("journal", what=said)
            self.note("journal", said)
        return self._rations.due_at

    def _note(self, row: JournalRow, *, written: bool = True) -> None:
        """Have an entry written, unless it is only counted."""
        if written:
            self._rows.append(row)
        self._later()
        about = {name: value for name in _LOGGED if (value := getattr(row, name))}
        _log.debug(row.code, at=row.kind, **about)

    def tell_plugins(self, told: Lines, session: str) -> None:
        """Have plugins hear what was told to a session, by its reader or by a hook."""
        for row in self.listeners.hear(session, told.observations):
            self._note(row)

    def _trouble(self, error: StoreError) -> None:
        if not self._troubled:
            _log.error("nothing can be told: the store can't be used", why=str(error))
        self._troubled = True


def _detail(decision: Decision) -> str:
    words = [f"item {decision.item}"] if decision.item else []
    if decision.count > 1:
        words.append(f"count {decision.count}")
    if decision.detail:
        words.append(decision.detail)
    return ", ".join(words)


def _new_id() -> str:
    return base64.b32encode(os.urandom(5)).decode().lower()
