"""Facts: how they are looked up, and the transaction in which they change."""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from attendd.hot import db as hot
from attendd.hot import terms
from attendd.store.fact_audit import Audit, audit
from attendd.store.fact_book import FactBook
from attendd.store.fact_rows import Entry, Fact, entry
from attendd.store.link import Link
from attendd.store.rows import rows

T = TypeVar("T")


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A fact with what is known of its use.

    Attributes:
        fact: the fact.
        hits: how many sessions made use of it.
        injected: how often it was put before a model.
        injected_at: when it was last, wall clock; ``None``: never.
    """

    fact: Fact
    hits: int
    injected: int
    injected_at: float | None


_PLACES = ", ".join(f"fact.{name}" for name in Fact.__struct_fields__)
_USE = f"""SELECT {_PLACES}, (SELECT count(*) FROM fact_hit WHERE fact_hit.fact = fact.id),
    (SELECT count(*) FROM injected WHERE injected.fact = fact.id),
    (SELECT max(at) FROM injected JOIN injection ON injection.id = injected.injection
        WHERE injected.fact = fact.id) FROM fact"""
_ORDER = "ORDER BY weight DESC, updated_at DESC, id"
_ENTRY = ", ".join(Entry.__struct_fields__)
_DETECTORS = "memory:detectors"


class Facts:
    """The facts of all projects. Every method can raise `attendd.errors.StoreError`."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def change(self, work: Callable[[FactBook], T], wall: float, actor: str) -> T:
        """Change facts in one transaction: all of it happens, or nothing.

        Args:
            work: makes the changes; may be run again where the store was replaced.
            wall: the time they are given.
            actor: who makes them: ``user``, ``host``, or a session.
        """
        return self._link.write(lambda db: work(FactBook(db, wall, actor)))

    def all(self, project: int | None, *statuses: str) -> list[Found]:
        """Return the facts of a project, or of all, with one of these statuses, best first."""
        marks = ", ".join("?" * len(statuses))
        sql = f"{_USE} WHERE ifnull(project = ?, 1) AND status IN ({marks}) {_ORDER}"
        return self._found(sql, (project, *statuses))

    def search(self, project: int | None, query: str, *statuses: str) -> list[Found]:
        """Return facts that share words with a question, those that share most first.

        They are active ones, unless other statuses are named. Of those that share equally many
        the one that says least besides is the first. A question without a word that counts
        finds those that have it as a part.
        """
        wanted = terms.terms(query)
        facts = self.all(project, *(statuses or ("active",)))
        if not wanted:
            part = terms.folded(query)
            return [each for each in facts if part and part in terms.folded(each.fact.text)]
        known = [(terms.terms(each.fact.text), each) for each in facts]
        known.sort(key=lambda pair: (-len(pair[0] & wanted), len(pair[0])))
        return [each for words, each in known if words & wanted]

    def by_prefix(self, project: int | None, prefix: str) -> list[Found]:
        """Return the facts whose id begins so, in any case, however they fare."""
        prefix = prefix.removeprefix("#").lower()
        if not prefix or not set(prefix) <= set("0123456789abcdef"):
            return []
        sql = f"{_USE} WHERE ifnull(project = ?, 1) AND id >= ? AND id < ? {_ORDER}"
        return self._found(sql, (project, prefix, prefix + "g"))

    def superseder(self, fact: str) -> str:
        """Return the id of the fact that replaced one; empty: none did."""
        sql = "SELECT id FROM fact WHERE supersedes = ? ORDER BY created_at DESC LIMIT 1"
        found = self._link.read(sql, (fact,))
        return str(found[0][0]) if found else ""

    def log(self, project: int | None, fact: str | None = None, limit: int = -1) -> list[Entry]:
        """Return entries of the log, the latest last.

        Args:
            project: of one project; ``None``: of all.
            fact: of one fact; ``None``: of all.
            limit: so many of the latest at most; -1: all.
        """
        sql = f"""SELECT {_ENTRY} FROM fact_log WHERE ifnull(project = ?, 1)
            AND ifnull(fact = ?, 1) ORDER BY id DESC LIMIT ?"""
        return [entry(row) for row in reversed(self._link.read(sql, (project, fact, limit)))]

    def vet_with(self, detectors: str) -> None:
        """Have all facts count as not vetted, if that was by other detectors than these."""
        known = self._link.read("SELECT value FROM meta WHERE key = ?", (_DETECTORS,))
        if known == [(detectors,)]:
            return

        def work(db: hot.Connection) -> None:
            if known:
                db.execute("UPDATE fact SET vetted = 0 WHERE vetted")
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_DETECTORS, detectors))

        self._link.write(work)

    def unvetted(self, most: int) -> list[Fact]:
        """Return active facts that were not vetted by the detectors in use."""
        sql = f"""SELECT {_PLACES} FROM fact WHERE NOT vetted AND status = 'active' LIMIT ?"""
        return rows(Fact, self._link.read(sql, (most,)))

    def audit(self, *, rebuild: bool = False) -> Audit:
        """Compare what there is with what the log adds up to; see `fact_audit.audit`."""
        return audit(self._link, rebuild=rebuild)

    def _found(self, sql: str, args: Any) -> list[Found]:  # noqa: ANN401 - what SQLite takes
        many = len(Fact.__struct_fields__)
        found = self._link.read(sql, args)
        facts = rows(Fact, [row[:many] for row in found])
        return [
            Found(fact=fact, hits=row[many], injected=row[many + 1], injected_at=row[many + 2])
            for fact, row in zip(facts, found, strict=True)
        ]
