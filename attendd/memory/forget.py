"""How a fact is forgotten: everywhere, and what could not be reached is said."""

from contextlib import ExitStack, closing
from pathlib import Path

import msgspec

from attendd.memory import residue
from attendd.store import Store
from attendd.store.fact_book import FactBook
from attendd.store.fact_rows import Fact
from attendd.store.journal import SCHEMA
from attendd.store.link import Link
from attendd.store.scrub import Scrub

_ELSEWHERE = {
    "message": ("messages", "`attend sent` and `attend inbox` show them"),
    "fact": ("other facts", "`attend memory list --everywhere` shows them"),
}
"""What has its own reason to hold the same words: it is left as it is, and named."""


class Forgotten(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it.

    Attributes:
        facts: ids of those whose text is gone: the one that was meant, and all in the same
            words.
        left: where the text still stands, in sentences; none: nowhere below the state folder.
    """

    facts: list[str]
    left: list[str]


def forget(store: Store, fact: Fact, folder: Path, wall: float, actor: str) -> Forgotten:
    """Take the text of a fact out of everything that attend keeps, and leave a tombstone.

    Args:
        store: where it is.
        fact: which.
        folder: the state folder.
        wall: now.
        actor: who wishes it: ``user`` or a session.

    Raises:
        StoreError: the store can't be used; nothing was forgotten.
    """

    def work(book: FactBook) -> tuple[list[str], set[str]]:
        same = {each.id: each for each in book.marked(fact.project, fact.text)}
        same[fact.id] = fact
        texts = {text for each in same for text in book.texts_of(each)}
        for each in same.values():
            book.blank(each)
        return [fact.id, *sorted(same.keys() - {fact.id})], texts | {fact.text}

    facts, texts = store.facts.change(work, wall, actor)
    return Forgotten(facts=facts, left=_clear(store, folder, sorted(texts - {""})))


def _clear(store: Store, folder: Path, texts: list[str]) -> list[str]:
    """Take texts out of all files; return where they still stand."""
    databases = {"attend.db": store.scrub}
    with ExitStack() as opened:
        if (folder / "journal.db").exists():
            journal = opened.enter_context(closing(Link(f"{folder}/journal.db", schema=SCHEMA)))
            databases["journal.db"] = Scrub(journal)
        left = [said for name in databases for said in _scrubbed(name, databases[name], texts)]
        for path in residue.remaining(folder, texts):
            name = path.name.removesuffix("-wal")
            if name in databases and path.parent == folder:
                left += _in_database(path, databases[name], texts)
            elif not _overwritten(path, texts):
                left.append(f"it stands in {path}, which attend does not change")
    return left


def _scrubbed(name: str, database: Scrub, texts: list[str]) -> list[str]:
    database.repeated(texts)
    if database.emptied():
        return []
    return [f"another process still reads {name}: what is in its log goes once that has ended"]


def _in_database(path: Path, database: Scrub, texts: list[str]) -> list[str]:
    """Say why a text is still in a database, or write that anew without it."""
    left = []
    for text in texts:
        for table in database.rows_with(text):
            what, how = _ELSEWHERE.get(table, (f"the table {table!r}", "it is not known why"))
            left.append(f"the same words stand in {what}: {how}")
    if not left and not (database.compacted() and not residue.holds(path, texts)):
        left.append(f"it is still in unused space of {path}")
    return left


def _overwritten(path: Path, texts: list[str]) -> bool:
    try:
        return residue.overwrite(path, texts)
    except OSError:
        return False
