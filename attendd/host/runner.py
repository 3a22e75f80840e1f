"""The host itself: puts the parts together and keeps them in step with the world."""

import contextlib
import math
from collections.abc import Callable
from pathlib import Path

import anyio
import anyio.to_thread

from attendd import log
from attendd.errors import StoreError
from attendd.host.around import Around
from attendd.host.attended import Attended
from attendd.host.books import FIRST_SWEEP_S, Books
from attendd.host.capturing import Capturing
from attendd.host.client import Client
from attendd.host.configured import Configured
from attendd.host.desk import Desk
from attendd.host.doorbell import Doorbell
from attendd.host.following import Following
from attendd.host.front import Front
from attendd.host.letters import Letters
from attendd.host.mailroom import Mailroom
from attendd.host.neighbours import Neighbourhood
from attendd.host.outlet import StoreOutlet
from attendd.host.parts import Parts
from attendd.host.pauses import Pauses
from attendd.host.remarks import Remarks
from attendd.host.reports import Reports
from attendd.host.roster import REMIND_S, Member, Roster
from attendd.host.watching import Watching
from attendd.hot import builds, hooked
from attendd.hot.upgrade import Upgrade
from attendd.loop import Loop
from attendd.store import Attachment

SCAN_S = 45.0
"""How often the store is looked at without having been rung for."""
CHECKPOINT_S = 30.0
"""How old a checkpoint may grow while there is news."""
FIRST_CHECKPOINT_S = 2.0
"""When the first looks are written down, for a later host to compare with."""
WRITE_S = 0.2
"""How long the journal and the sensors' health are gathered before they are written."""
THREADS = 16
"""How many threads polls have; one that is given up has its own beside them."""
AGAIN_S = 1.0
"""How soon the store is tried again that can't be read."""

_log = log.get_logger("host")


class Host:
    """Runs the attention of every session of this user."""

    def __init__(
        self,
        parts: Parts,
        bell_path: str,
        *,
        wants_out: Callable[[], bool],
        front: Front | None = None,
        newer: Upgrade | None = None,
    ) -> None:
        """Put it together.

        Args:
            parts: what it is made of.
            bell_path: where it is rung when there is something to look at.
            wants_out: tells, when rung, whether another host waits to take over.
            front: what it shows of itself.
            newer: watches over the code, for which it makes way when that was replaced.
        """
        self._parts = parts
        self._configured = Configured(parts.config)
        self._wants_out = wants_out
        self._bell = Doorbell(bell_path, self._rung)
        self._outlet = StoreOutlet(
            parts.store, parts.journal, parts.registry, parts.clock, self._to_write
        )
        self._remarks = Remarks(parts, self._outlet)
        self._loop = Loop(parts.clock, parts.wait)
        self._hood = Neighbourhood(
            parts.harness, parts.store, parts.clock, lambda: self._loop.wake("neighbours")
        )
        self._reports = Reports(Path(builds.folder(make=True)))
        self._roster = Roster(
            parts.store,
            parts.clock,
            self._adopt,
            came=self._came,
            went=self._went,
            rescan=lambda: self._loop.wake("scan"),
        )
        self._letters = Letters(
            bell_path, self._roster.reading, lambda: self._loop.wake("letters")
        )
        self._watching = Watching(
            self._loop, self._roster, parts.harness, self._hood, self._watched
        )
        self._mailroom = Mailroom(
            parts.store,
            parts.harness,
            parts.config,
            parts.clock,
            lambda: list(self._roster.members.values()),
            self._outlet.fate,
        )
        self._mailroom.certain = self._loop.look
        self._books = Books(parts.store, parts.clock, self._mailroom.sweep)
        self._capturing = Capturing(parts, self._roster.members.values, note=self._outlet.note)
        self._loop.lost = Pauses(
            parts.clock,
            self._remarks,
            self._outlet,
            self._mailroom,
            self._roster.reading,
            self._books.save,
        ).lost
        self._following = Following(
            parts, self._loop, self._roster, self._outlet, lambda: self._capturing.behind
        )
        self._front = front or Front()
        self._newer = newer
        self.yielded = False

    async def run(self) -> None:
        """Run until `stop`, or until another host wants to take over; then `yielded` is set."""
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        now = self._parts.clock.now()
        self._hear()
        self._remarks.look()
        self._outlet.listeners.begin()
        try:
            await self._front.begin(self._roster, self._loop, self._parts.clock)
            self._loop.every("scan", self._scan, now)
            self._loop.every("clients", self._following.look, now)
            self._loop.every("neighbours", self._following.look_around, now)
            self._loop.every("remind", self._roster.remind, now + REMIND_S)
            self._loop.every("write", self._write, now + WRITE_S)
            self._loop.every("checkpoint", self._checkpoint, now + CHECKPOINT_S)
            self._loop.every("sweep", self._books.sweep, now + FIRST_SWEEP_S)
            self._loop.every("mail", self._mailroom.look, now)
            self._loop.every("letters", self._letters.look, now)
            self._loop.every("memory", self._capturing.look, now)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._watching.run)
                await self._loop.run()
                tasks.cancel_scope.cancel()
        except Exception as error:
            self._remarks.failed(error)
            raise
        finally:
            self._close()

    def stop(self) -> None:
        """End `run`; state is written down first."""
        self._loop.stop()

    def make_way(self) -> None:
        """End `run` for another host."""
        self.yielded = True
        self.stop()

    def reload(self) -> None:
        """Read the configuration again, whether its files seem to have changed or not."""
        self._front.reloading()
        self._parts.config.reread()
        for member in self._roster.reading():
            self._configure(member.attended)
            self._loop.wake(member.row.id)
        self._remarks.look()
        _log.info("the configuration was read again")
        self._front.reloaded()

    # -- who is here -------------------------------------------------------------

    async def _scan(self, now: float) -> float:
        if self._wants_out():
            self.make_way()
        self._hear()
        await self._front.renew()
        try:
            self._roster.scan()
        except StoreError as error:
            _log.warning("the store can't be read", why=str(error))
            return now + AGAIN_S
        finally:
            self._front.tell()
        self._outlet.watched()
        return now + min(SCAN_S, self._newer_in())

    def _hear(self) -> None:
        self._bell.hear()
        self._letters.hear()

    def _newer_in(self) -> float:
        """Make way for newer code once it has passed its trial; return when to look again."""
        pause = math.inf if self._newer is None else self._newer.look()
        if self._newer is not None and self._newer.ready:
            self._outlet.note("host.upgrading", "newer code takes over")
            self.make_way()
        return pause

    def _adopt(self, row: Attachment) -> Attended:
        attended = Attended(
            row.id,
            Client(
                Path(row.workdir),
                self._parts.view(row),
                self._parts.clock,
                self._parts.store.figures.of,
            ),
            self._parts.clock,
            self._outlet,
            self._parts.registry.components,
        )
        attended.wake = lambda: self._loop.wake(row.id)
        client = None if row.client_pid is None else (row.client_pid, row.client_start)
        attended.client.around = Around(self._hood, self._reports, client)
        self._configure(attended)
        taught = [each.id for each in self._parts.registry.components]
        attended.desk = Desk(self._parts.store, self._parts.clock, row.id, taught)
        attended.desk.heard = self._outlet.tell_plugins
        self._books.restore(attended)
        return attended

    def _came(self, member: Member) -> None:
        if member.attended.desk is not None:
            member.attended.desk.only = member.row.conduit == hooked.CONDUIT
        member.attended.sensings.unwatched = not self._following.watched
        self._outlet.reads(member.row.id, member.row.bell)
        self._outlet.note("reader.came", "this host attends it from now on", member.attended)
        self._loop.add(member.row.id, member.attended)
        self._loop.wake("letters")  # something may have been left where it works
        self._loop.plan("checkpoint", self._parts.clock.now() + FIRST_CHECKPOINT_S)

    def _went(self, member: Member) -> None:
        self._outlet.note("reader.went", "this host attends it no more", member.attended)
        self._loop.remove(member.row.id)
        self._books.save(member.attended)
        self._mailroom.somebody_left()
        self._loop.wake("mail")

    # -- what changed ------------------------------------------------------------

    def _rung(self) -> None:
        self._loop.wake("scan")
        self._loop.wake("mail")

    def _watched(self, failed: str) -> None:
        """Go by whether a change is told of; ``failed`` says why not."""
        self._hood.watched = not failed
        self._following.hears(changes=not failed)
        self._remarks.watched(failed)

    def _configure(self, attended: Attended) -> None:
        loaded = self._configured.of(str(attended.client.workdir))
        attended.configure(loaded, self._parts.registry.sensors)

    # -- what is written down ------------------------------------------------------

    def _to_write(self) -> None:
        """Have the outlet's notes written soon, together with what comes meanwhile."""
        self._loop.plan("write", self._parts.clock.now() + WRITE_S)

    async def _write(self, now: float) -> float | None:
        due_at = self._outlet.flush(now)
        self._front.tell()
        emptied, self._outlet.emptied = self._outlet.emptied, set()
        reading = [each.attended for each in self._roster.reading()]
        busy = [each for each in reading if each.changed or each.key in emptied]
        with contextlib.suppress(StoreError):  # a checkpoint says so, if it lasts
            self._parts.store.health.put(row for each in busy for row in each.health())
        if self._outlet.rewatch:
            self._outlet.rewatch = False
            self._watching.renew()
        return due_at if math.isfinite(due_at) else None

    async def _checkpoint(self, now: float) -> float:
        self._remarks.look()
        self._watching.look()
        for member in self._roster.reading():
            self._configure(member.attended)
            self._books.save(member.attended)
        return now + CHECKPOINT_S

    def _close(self) -> None:
        self._front.close()
        for member in self._roster.reading():
            self._books.save(member.attended)
        self._outlet.note("host.stopped", "this host has ended")
        self._outlet.flush()
        self._roster.close()
        self._hood.close()
        self._letters.close()
        self._bell.close()
