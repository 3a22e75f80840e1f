"""Facts for tests: said by somebody, recorded in a store, and looked at."""

from pathlib import Path
from typing import Any

import msgspec
from pluggy import PluginManager

from attendd.clock import SystemClock
from attendd.config import LiveConfig
from attendd.harness import ClaudeHarness
from attendd.host.parts import Parts
from attendd.hot import db as hot
from attendd.hot import memory_place
from attendd.memory.record import Outcome, Said, record
from attendd.registry import Registry
from attendd.store import Store
from attendd.store.fact_rows import Fact
from attendd.store.journal import Journal
from tests.store.given import WALL

PROJECT = 1
PLACE = "/w"


def say(store: Store, text: str, *, wall: float = WALL, **more: Any) -> Outcome:
    """Record a fact as an agent of session ``s1`` says it, in the first turn."""
    plain: dict[str, Any] = {"project": PROJECT, "session": "s1", "turn": 1}
    return record(store, Said(text=text, **{**plain, **more}), wall)


def fact(store: Store, outcome: Outcome | str) -> Fact:
    found = outcome if isinstance(outcome, str) else outcome.fact
    (only,) = store.facts.by_prefix(None, found)
    return only.fact


def active(store: Store, project: int = PROJECT) -> list[str]:
    return [each.fact.text for each in store.facts.all(project, "active")]


def joined(store: Store, session: str = "s1", *, wall: float = WALL, place: str = PLACE) -> int:
    """Have a session take part in a project's memory."""
    sql = """INSERT INTO memory_session (session, project, began_at) VALUES (?, ?, ?)
        ON CONFLICT (session) DO UPDATE SET ended_at = NULL"""

    def work(db: hot.Connection) -> int:
        project = memory_place.of(db, place, wall)
        hot.write(db, lambda db: db.execute(sql, (session, project, wall)))
        return project

    return store.call(work)


def parts(store: Store, folder: Path) -> Parts:
    """Make what a host is made of, with nothing configured."""
    return Parts(
        store,
        Journal(str(folder / "journal.db")),
        Registry(PluginManager("attend")),
        LiveConfig({}, path=folder / "none"),
        ClaudeHarness(folder),
        SystemClock(),
    )


def differences(store: Store) -> dict[str, int]:
    """Return where facts are not what their log says."""
    return store.facts.audit().differences


def changed(fact: Fact, **to: Any) -> Fact:
    return msgspec.structs.replace(fact, **to)
