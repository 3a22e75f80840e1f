"""What `attend top` shows, looked up: again only where something has changed."""

import time
from pathlib import Path

import msgspec

from attendd.cli import now as host_now
from attendd.cli import troubles, words
from attendd.cli.state import Host, State, running
from attendd.errors import AttendError
from attendd.harness import ClaudeHarness, SessionView, attached, stated
from attendd.hot import moment, places
from attendd.hot.db import Connection
from attendd.model import Activity, Gauge
from attendd.store import Attachment, Conduit, Delivery, Health, Stated

MOST_LINES = 5
"""The last batches that are shown of each session."""


class Attended(msgspec.Struct, frozen=True, kw_only=True):
    """One reader, and the session it reads for.

    Attributes:
        reader: its attachment.
        alive: whether its process runs; ``None`` if that can't be known.
        called: the session's name for display.
        unread: messages that it was not shown yet.
        activity: what it is doing.
        gauge: how full its context window is; ``None`` where there is no figure.
        figures: what its client stated last; ``None``: nothing.
        slots: its sensors.
        ways: the conduits into it.
        told: the last batches, oldest first.
    """

    reader: Attachment
    alive: bool | None
    called: str
    unread: int
    activity: Activity
    gauge: Gauge | None
    figures: Stated | None
    slots: list[Health]
    ways: list[Conduit]
    told: list[Delivery]


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """Everything at one moment.

    Attributes:
        at: the moment, wall clock.
        host: who runs the loop; ``None``: nobody.
        attended: every reader, the one attached first first.
        problems: what is wrong, in sentences.
    """

    at: float
    host: Host | None = None
    attended: list[Attended] = []
    problems: list[str] = []


class Looker:
    """Looks again and again, each time as cheaply as what has changed allows.

    Between two commits to the store nothing of it is read but its number of changes; of a
    client's files only their stamps.
    """

    def __init__(self) -> None:
        """Open the store.

        Raises:
            StoreError: it is there and can't be read.
            PlaceError: there is no place where it could be.
        """
        self._state = State()
        self._version = -1
        self._rows: list[Attended] = []
        self._views: dict[str, SessionView] = {}
        self._harness = ClaudeHarness(Path(places.client_dir()))

    def look(self) -> Look:
        """Look; where the store can't be read now, say so beside what was seen last."""
        now = time.time()
        try:
            return self._look(now)
        except AttendError as error:
            self._version = -1
            return Look(at=now, attended=self._rows, problems=[str(error)])

    def _look(self, now: float) -> Look:
        version = self._state.store.call(_changes)
        if version is None:  # what is open can't change: it is missing, older, or walled off
            self._state.store.close()
            self._state = State()
        if version is None or version != self._version:
            live = self._state.store.sessions.live()
            unread = {
                each.session: each.directed + each.grouped
                for each in self._state.store.mail.unread()
            }
            self._rows = [self._read(reader, unread) for reader in live]
            self._version = -1 if version is None else version
        host = self._state.host()
        said = host_now.asked(host, "top", host_now.BRIEFLY_S)
        slots = host_now.sensors(said)
        self._rows = [self._now(each, slots) for each in self._rows]
        readers = [each.reader for each in self._rows]
        found = list(troubles.found(self._state, host, readers))
        if said.problem and not troubles.stopped_host(host):
            found.append(said.problem)
        return Look(at=now, host=host, attended=self._rows, problems=found)

    def _read(self, reader: Attachment, unread: dict[str, int]) -> Attended:
        store = self._state.store
        return Attended(
            reader=reader,
            alive=None,
            called=store.mail.name(reader.session, moment.now()),
            unread=unread.get(reader.session, 0),
            activity=Activity(),
            gauge=None,
            figures=store.figures.of(reader.session),
            slots=store.health.of(reader.id),
            ways=store.outbox.conduits(reader.session),
            told=store.outbox.recent(reader.session, MOST_LINES)[::-1],
        )

    def _now(self, known: Attended, slots: dict[str, list[Health]]) -> Attended:
        """Add what the store doesn't know, or knows as of a minute ago."""
        view = self._view(known.reader)
        view.refresh()
        return msgspec.structs.replace(
            known,
            alive=running(known.reader),
            slots=slots.get(known.reader.id, known.slots),
            activity=view.activity(),
            gauge=stated.gauge(view, lambda _session: known.figures),
        )

    def _view(self, reader: Attachment) -> SessionView:
        key = f"{reader.id} {reader.session}"
        if key not in self._views:
            self._views[key] = attached.view(self._harness, self._state.store, reader)
        return self._views[key]


def short(reader: Attachment) -> str:
    """Name a reader's session in brief."""
    return words.short(reader.session)


def _changes(db: Connection) -> int | None:
    """Return a number that another process's commit changes; ``None``: nothing can."""
    if not db.path or db.notice:
        return None
    return int(db.execute("PRAGMA data_version").fetchone()[0])
