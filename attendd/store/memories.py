"""Projects with a memory, the sessions that take part in one, and what was shown to them."""

from collections.abc import Sequence
from typing import Any

import msgspec

from attendd.hot import db as hot
from attendd.hot import memory_place
from attendd.store.link import Link
from attendd.store.rows import columns, rows


class Project(msgspec.Struct, frozen=True, kw_only=True):
    """A project that has, or had, a memory.

    Attributes:
        id: its number.
        place: where it lies; begins with ``left:`` where another has taken its place.
        wish: ``on`` or ``off`` if a person said so of this project.
        enabled: whether its memory is on.
        seen_at: when a session of it was known to begin last, wall clock.
    """

    id: int
    place: str
    wish: str
    enabled: bool
    seen_at: float


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A session that takes part in a project's memory.

    Attributes:
        session: which.
        project: whose memory.
        began_at: since when, wall clock.
        ended_at: when its end was reckoned with; ``None``: it goes on.
        taught_at: when it was taught last; ``None``: not yet.
        gauge: whether its distance is known in tokens.
        due: why it is to be taught with its next prompt; empty: it is not.
    """

    session: str
    project: int
    began_at: float
    ended_at: float | None
    taught_at: float | None
    gauge: bool
    due: str


class Injection(msgspec.Struct, frozen=True, kw_only=True):
    """A block that was put before a model.

    Attributes:
        id: its number among all.
        session: to which session.
        conduit: how it went in: ``session-start`` or ``prompt``.
        reason: why then: ``startup``, ``resume``, ``clear``, ``compact`` or ``prompt``.
        at: wall clock.
        tokens: an estimate.
        taught: whether the instruction went with it.
        facts: its facts, in order, with when each was first seen to be made use of.
    """

    id: int
    session: str
    conduit: str
    reason: str
    at: float
    tokens: int
    taught: bool
    facts: list[tuple[str, float | None]] = []


_WORDS = tuple(name for name in Injection.__struct_fields__ if name != "facts")


class Memories:
    """Every method can raise `attendd.errors.StoreError`."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def projects(self) -> list[Project]:
        """Return every project, the one seen last first."""
        sql = f"SELECT {columns(Project)} FROM memory_project ORDER BY seen_at DESC, id"
        return rows(Project, self._link.read(sql))

    def project_at(self, place: str) -> Project | None:
        """Return the project that lies at a place, or has moved there; ``None``: none does."""
        found = self._link.call(lambda db: memory_place.find(db, place))
        return next((each for each in self.projects() if each.id == found), None)

    def settle(self, place: str, wall: float) -> int:
        """Return the number of the project at a place, which gets one if it has none."""
        return self._link.call(lambda db: memory_place.of(db, place, wall))

    def wish(self, project: int, wish: str, wall: float, *, configured: bool) -> bool:
        """Keep what a person says of a project's memory; tell whether it is on.

        Args:
            project: which.
            wish: ``on``, ``off``, or empty: as it is configured.
            wall: now.
            configured: what the configuration says.
        """
        sql = "UPDATE memory_project SET wish = ? WHERE id = ?"
        self._link.write(lambda db: db.execute(sql, (wish, project)))
        return self.configure(project, wall, configured=configured)

    def configure(self, project: int, wall: float, *, configured: bool) -> bool:
        """Keep whether a project's memory is on; see `memory_place.configure`."""
        return self._link.call(
            lambda db: memory_place.configure(db, project, wall, configured=configured)
        )

    def adopt(self, project: int, place: str) -> None:
        """Have a project lie at a place from now on; whoever was there has none."""

        def work(db: hot.Connection) -> None:
            leave = "UPDATE memory_project SET place = 'left:' || id WHERE place = ?"
            db.execute(leave, (place,))
            move = "UPDATE memory_project SET place = ?, birth = ?, remote = ? WHERE id = ?"
            marks = (memory_place.birth(place), memory_place.remote(place))
            db.execute(move, (place, *marks, project))

        self._link.write(work)

    def parts(self) -> list[Part]:
        """Return the sessions whose part in a memory has not ended."""
        sql = f"SELECT {columns(Part)} FROM memory_session WHERE ended_at IS NULL"
        return rows(Part, self._link.read(sql))

    def part(self, session: str) -> Part | None:
        """Return what is known of a session; ``None`` if it takes no part in any memory."""
        sql = f"SELECT {columns(Part)} FROM memory_session WHERE session = ?"
        return next(iter(rows(Part, self._link.read(sql, (session,)))), None)

    def due(self, session: str, reason: str) -> None:
        """Have a session taught with its next prompt."""
        self._set("due = ?", (reason,), session)

    def know_distance(self, session: str, *, known: bool) -> None:
        """Keep whether somebody who knows the distance in tokens says when teaching is due."""
        self._set("gauge = ?", (known,), session)

    def notify(self, session: str, text: str) -> None:
        """Have the person of a session told something with its next prompt."""
        self._set("notice = ltrim(notice || char(10) || ?, char(10))", (text,), session)

    def injections(
        self, *, session: str = "", project: int | None = None, limit: int = -1
    ) -> list[Injection]:
        """Return what was put before models, the latest last.

        Args:
            session: before one session's; empty: before any.
            project: of one project; ``None``: of any.
            limit: so many of the latest at most; -1: all.
        """
        sql = f"""SELECT {", ".join(_WORDS)} FROM injection WHERE ifnull(project = ?, 1)
            AND (session = ? OR ? = '') ORDER BY id DESC LIMIT ?"""
        found = self._link.read(sql, (project, session, session, limit))
        made = [dict(zip(_WORDS, row, strict=True)) for row in reversed(found)]
        facts = "SELECT fact, used_at FROM injected WHERE injection = ? ORDER BY position"
        return [Injection(**each, facts=self._link.read(facts, (each["id"],))) for each in made]

    def unused(self, session: str) -> list[tuple[str, str]]:
        """Return facts that a session was shown and has not been seen to use: id and text."""
        sql = """SELECT DISTINCT fact.id, fact.text FROM injected
            JOIN injection ON injection.id = injected.injection
            JOIN fact ON fact.id = injected.fact
            WHERE injection.session = ? AND used_at IS NULL AND status <> 'forgotten'"""
        return self._link.read(sql, (session,))

    def used(self, session: str, facts: Sequence[str], wall: float) -> None:
        """Note that a session made use of facts that it was shown."""
        sql = """UPDATE injected SET used_at = ? WHERE fact = ? AND used_at IS NULL
            AND injection IN (SELECT id FROM injection WHERE session = ?)"""
        self._link.write(
            lambda db: db.executemany(sql, [(wall, fact, session) for fact in facts])
        )

    def _set(self, to: str, values: tuple[Any, ...], session: str) -> None:
        sql = f"UPDATE memory_session SET {to} WHERE session = ?"
        self._link.write(lambda db: db.execute(sql, (*values, session)))
