"""Plays cases of which facts a session is shown, with a real store."""

import tempfile
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from typing import Any

from attendd.hot import terms
from attendd.hot.choose import Reader, Room, choose
from attendd.memory import weight
from attendd.store import Store
from attendd.store.fact_book import FactBook
from attendd.store.fact_rows import Fact, mark_of
from tests.store import fresh

PROJECT = 1
HERE, ELSEWHERE = "here", "elsewhere"
"""The session that reads, and another one."""
_UNLIMITED = 1 << 30


def play(given: Mapping[str, Any]) -> dict[str, Any]:
    """Put the facts of a case into a store, and choose among them as it asks."""
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(Store(fresh.store(f"{folder}/attend.db"))) as store,
    ):
        facts = [_fact(each, given) for each in given["percepts"]]
        store.facts.change(lambda book: _add(book, facts), 0.0, "user")
        room = Room(
            _limit(given, "max_count", 25), _limit(given, "max_bytes", 2_048) or _UNLIMITED
        )
        reader = Reader(PROJECT, HERE, (given["agent"],))
        words = terms.terms(given.get("prompt", "")) if given.get("relevance", True) else ()
        chosen = store.call(lambda db: choose(db, reader, room, words))
    return {"facts": [text for _, text in chosen]}


def _add(book: FactBook, facts: list[Fact]) -> None:
    for each in facts:
        book.add(each)


def _fact(said: Mapping[str, Any], given: Mapping[str, Any]) -> Fact:
    core = said.get("core", False)
    at = datetime.fromisoformat(said["updated"]).timestamp()
    replaced = [each.get("supersedes") for each in given["percepts"]]
    return Fact(
        id=said["id"],
        project=PROJECT,
        scope=weight.first_scope(core=core),
        text=said["content"],
        mark=mark_of(said["content"]),
        producer=said["producer"] if said["producer"] in weight.INITIAL else "agent",
        consumer=said["consumer"],
        weight=round(100 * said["w"]),
        core=core,
        status="superseded" if said.get("superseded") or said["id"] in replaced else "active",
        session=HERE if _said_here(said, given) else ELSEWHERE,
        created_at=at,
        updated_at=at,
    )


def _said_here(said: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    """Whether a fact is the reader's own, of this session unless the case says another."""
    if said["producer"] != given["agent"]:
        return False
    return bool(said.get("same_session", said.get("session") == given.get("session")))


def _limit(given: Mapping[str, Any], name: str, default: int) -> int:
    """Return a limit; what is negative is none."""
    return max(0, int(given.get(name, default)))
