"""Whether facts are what their log says: it is read from its beginning, and adds up to them."""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from attendd.hot import db as hot
from attendd.store.fact_book import TERM_COLUMNS, term_rows
from attendd.store.fact_rows import Entry, Fact, entry
from attendd.store.link import Link
from attendd.store.rows import columns, rows

_ENTRIES = f"SELECT {columns(Entry)} FROM fact_log ORDER BY id"
_TABLES = {
    "fact": columns(Fact),
    "fact_hit": "fact, session, at",
    "fact_term": TERM_COLUMNS,
}


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """What was found.

    Attributes:
        entries: of the log.
        facts: that it adds up to, tombstones included.
        differences: rows that the log gives otherwise, or not at all, by table; none where all
            is well.
    """

    entries: int
    facts: int
    differences: dict[str, int]


def replay(entries: Iterable[Entry]) -> tuple[dict[str, Fact], list[tuple[str, str, float]]]:
    """Return the facts that a log adds up to, and the sessions each was of use to. Pure."""
    facts: dict[str, dict[str, Any]] = {}
    hits: list[tuple[str, str, float]] = []
    for each in entries:
        if each.action == "hit":
            hits.append((each.fact, each.session, each.at))
        elif each.action != "refused":
            known = facts.setdefault(each.fact, {"id": each.fact})
            known |= {name: to for name, to in each.changes.items() if name[0] != "_"}
    return {name: msgspec.convert(known, Fact) for name, known in facts.items()}, hits


def audit(link: Link, *, rebuild: bool = False) -> Audit:
    """Compare what there is with what the log adds up to.

    Args:
        link: the store.
        rebuild: whether to put what the log gives in the place of what differs.

    Raises:
        StoreError: the store can't be read, or changed.
    """

    def work(db: hot.Connection) -> Audit:
        entries = [entry(row) for row in db.execute(_ENTRIES).fetchall()]
        facts, hits = replay(entries)
        wanted = {
            "fact": {msgspec.structs.astuple(fact) for fact in facts.values()},
            "fact_hit": set(hits),
            "fact_term": {row for fact in facts.values() for row in term_rows(fact)},
        }
        there = {table: _rows(db, table) for table in _TABLES}
        wrong = {table: len(wanted[table] ^ there[table]) for table in _TABLES}
        if rebuild:
            for table in (table for table, count in wrong.items() if count):
                _rewrite(db, table, wanted[table], there[table])
        differences = {table: count for table, count in wrong.items() if count}
        return Audit(entries=len(entries), facts=len(facts), differences=differences)

    return link.write(work) if rebuild else link.call(lambda db: _at_one_moment(db, work))


def _at_one_moment(db: hot.Connection, work: Callable[[hot.Connection], Audit]) -> Audit:
    """Read in one transaction, so that what others write meanwhile makes no difference."""
    hot.read(db, "BEGIN")
    try:
        return work(db)
    finally:
        hot.read(db, "ROLLBACK")


def _rows(db: hot.Connection, table: str) -> set[tuple[Any, ...]]:
    found = db.execute(f"SELECT {_TABLES[table]} FROM {table}").fetchall()
    if table == "fact":
        return {msgspec.structs.astuple(fact) for fact in rows(Fact, found)}
    return set(found)


def _rewrite(
    db: hot.Connection, table: str, wanted: set[tuple[Any, ...]], there: set[tuple[Any, ...]]
) -> None:
    db.execute("PRAGMA secure_delete=ON")
    names = _TABLES[table].split(", ")
    same = " AND ".join(f"{name} = ?" for name in names)
    db.executemany(f"DELETE FROM {table} WHERE {same}", there - wanted)
    marks = ", ".join("?" * len(names))
    sql = f"INSERT OR REPLACE INTO {table} ({_TABLES[table]}) VALUES ({marks})"
    db.executemany(sql, wanted - there)
