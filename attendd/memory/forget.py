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

_FACTS = ("other facts", "`attend memory list --everywhere` shows them")
_ELSEWHERE = {
    "message": ("messages", "`attend sent` and `attend inbox` show them"),
    "fact": _FACTS,
    "fact_log": _FACTS,
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


def forget(
    store: Store, fact: Fact, folder: Path, wall: float, actor: str, shown: Path | None = None
) -> Forgotten:
    """Take the text of a fact out of everything that attend keeps, and leave a tombstone.

    Args:
        store: where it is.
        fact: which.
        folder: the state folder.
        wall: now.
        actor: who wishes it: ``user`` or a session.
        shown: the folder of answers that are being written, if there is one.

    Raises:
        StoreError: the store can't be used; nothing was forgotten.
    """

    def look(book: FactBook) -> tuple[list[Fact], list[str]]:
        others = [each for each in book.marked(fact.project, fact.text) if each.id != fact.id]
        texts = {text for each in (fact, *others) for text in book.texts_of(each.id)}
        return [fact, *others], sorted(texts | {fact.text} - {""})

    same, texts = store.facts.change(look, wall, actor)
    with ExitStack() as opened:
        databases = {folder / "attend.db": store.scrub}
        if (path := folder / "journal.db").exists():
            journal = opened.enter_context(closing(Link(str(path), schema=SCHEMA)))
            databases[path] = Scrub(journal)
        # Whoever is killed before the last of these can begin again.
        for each in databases.values():
            each.repeated(texts)
        folders = [folder, shown] if shown else [folder]
        for path in _remaining(folders, texts):
            _overwritten(path, texts)
        store.facts.change(lambda book: [book.blank(each) for each in same], wall, actor)
        left = [_held(path) for path, each in databases.items() if not each.emptied()]
        left += _where(folders, databases, texts)
    return Forgotten(facts=[each.id for each in same], left=list(dict.fromkeys(left)))


def _where(folders: list[Path], databases: dict[Path, Scrub], texts: list[str]) -> list[str]:
    """Say where texts still stand, after what has them in unused space is written anew."""
    left = []
    for path in _remaining(folders, texts):
        database = databases.get(path.with_name(path.name.removesuffix("-wal")))
        if database is None:
            left.append(f"it stands in {path}, which attend does not change")
            continue
        tables = {table for text in texts for table in database.rows_with(text)}
        unknown = (f"the tables {', '.join(sorted(tables))}", "it is not known why")
        said = {_ELSEWHERE.get(table, unknown) for table in tables}
        left += [f"the same words stand in {what}: {how}" for what, how in sorted(said)]
        if not said and not (database.compacted() and not residue.holds(path, texts)):
            left.append(_held(path))
    return left


def _remaining(folders: list[Path], texts: list[str]) -> list[Path]:
    return [path for each in folders for path in residue.remaining(each, texts)]


def _held(path: Path) -> str:
    return (
        f"{path} is being read by another process, so what was deleted is still in its unused"
        " space: have any fact forgotten once that has ended"
    )


def _overwritten(path: Path, texts: list[str]) -> bool:
    try:
        return residue.overwrite(path, texts)
    except OSError:
        return False
