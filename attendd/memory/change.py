"""What a person does to a fact: pin, demote, edit, undo."""

from typing import Any

from attendd.errors import AttendError
from attendd.memory import weight
from attendd.memory.record import MAX_BYTES, clean
from attendd.store import Store
from attendd.store.fact_audit import replay
from attendd.store.fact_book import FactBook
from attendd.store.fact_rows import Entry, Fact

DEMOTED = 30
"""What a demoted fact weighs: one more end of its session, and it is pruned."""

_PASSING = ("hit", "refused", "undone")
"""Entries that change nothing a person could take back."""


def pin(store: Store, fact: Fact, wall: float, actor: str) -> Fact:
    """Keep a fact for good, before all others.

    Raises:
        AttendError: it can't be.
        StoreError: it was not kept.
    """
    _insist(fact)
    to = {"core": True, "weight": weight.CORE, "scope": "project", "untrusted": False}
    to["status"] = "active"
    return _alter(store, fact, "pinned", wall, actor, to)


def demote(store: Store, fact: Fact, wall: float, actor: str) -> Fact:
    """Put a fact behind all others; it fades from now on.

    Raises:
        AttendError: it can't be.
        StoreError: nothing was changed.
    """
    _insist(fact)
    to = {"core": False, "weight": min(fact.weight, DEMOTED), "scope": "session"}
    return _alter(store, fact, "demoted", wall, actor, to)


def edit(store: Store, fact: Fact, text: str, wall: float, actor: str) -> Fact:
    """Give a fact other words.

    Raises:
        AttendError: they can't be a fact.
        StoreError: nothing was changed.
    """
    _insist(fact)
    text = clean(text)
    if not text or len(text.encode()) > MAX_BYTES:
        raise AttendError(
            "that can't be a fact: it is empty, or longer than 2,048 bytes",
            hint="one fact is one sentence or two",
        )
    to: dict[str, Any] = {"text": text, "updated_at": wall, "untrusted": False}
    to |= {"producer": "user", "status": "active"}
    return _alter(store, fact, "edited", wall, actor, to)


def undo(store: Store, entry: Entry, wall: float, actor: str) -> list[Fact]:
    """Take back one change of a fact, and what that did to the fact that it replaced.

    Raises:
        AttendError: it can't be taken back.
        StoreError: nothing was changed.
    """
    if entry.action == "forgotten":
        raise AttendError("what was forgotten is gone", hint="attend memory learn TEXT")

    def work(book: FactBook) -> list[Fact]:
        fact = book.get(entry.fact)
        if fact is None or fact.status == "forgotten":
            raise AttendError("that fact was forgotten since", hint="attend memory list")
        note = {"_undid": entry.id}
        if entry.action != "recorded":
            return [book.alter(fact, "undone", note, **_before(book, entry))]
        done = [book.alter(fact, "undone", note, status="undone")]
        old = book.get(fact.supersedes)
        if old is not None and old.status == "superseded":
            done.append(book.alter(old, "undone", note, status="active"))
        return done

    return store.facts.change(work, wall, actor)


def last_change(entries: list[Entry]) -> Entry | None:
    """Return the latest entry that a person can take back; ``None``: there is none. Pure.

    What replaced a fact stands for both changes.
    """
    undone = {each.changes.get("_undid") for each in entries}
    return next(
        (
            each
            for each in reversed(entries)
            if each.action not in (*_PASSING, "superseded") and each.id not in undone
        ),
        None,
    )


def _before(book: FactBook, entry: Entry) -> dict[str, Any]:
    """Return the columns that an entry changed, as they were before it."""
    earlier = [each for each in book.entries_of(entry.fact) if each.id < entry.id]
    fact = replay(earlier)[0][entry.fact]
    return {name: getattr(fact, name) for name in entry.changes if name[0] != "_"}


def _insist(fact: Fact) -> None:
    if fact.status == "forgotten":
        raise AttendError(f"#{fact.id[:8]} was forgotten", hint="attend memory learn TEXT")


def _alter(
    store: Store, fact: Fact, action: str, wall: float, actor: str, to: dict[str, Any]
) -> Fact:
    def work(book: FactBook) -> Fact:
        now = book.get(fact.id)
        if now is None:
            raise AttendError(f"there is no fact #{fact.id[:8]}", hint="attend memory list")
        _insist(now)
        return book.alter(now, action, **to)

    return store.facts.change(work, wall, actor)
