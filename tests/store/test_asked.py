"""What only hooks can tell, the host has them tell."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pluggy import PluginManager

from attendd import config
from attendd.api import Component, Observation
from attendd.clock import SystemClock
from attendd.harness import NoView
from attendd.host.attended import Attended
from attendd.host.client import Client
from attendd.host.outlet import StoreOutlet
from attendd.host.told import Out
from attendd.hot import db as hot
from attendd.registry import Registry
from attendd.store import Store
from attendd.store.journal import Journal
from sensors import disclosure
from tests.fakes_clock import SimClock
from tests.store.remembering import joined

LESSON = Component(id="memory", text="how to record facts", hooks=True, part="memory")
PLAIN = Component(id="messaging", text="how to send", order=10)


def to(store: Store, path: Any) -> StoreOutlet:
    registry = Registry(PluginManager("attend"))
    registry.components = [PLAIN, LESSON]
    journal = Journal(str(path) + ".journal")
    return StoreOutlet(store, journal, registry, SystemClock(), lambda: None)


@pytest.fixture
def outlet(store: Store, path: Any) -> StoreOutlet:
    return to(store, path)


def test_a_text_that_a_monitor_would_spoil_is_asked_for_and_not_told(
    outlet: StoreOutlet, store: Store, db: hot.Connection
) -> None:
    joined(store)
    session: Any = SimpleNamespace(client=SimpleNamespace(session="s1"))
    seen = [Observation(text=each.text, topic=each.id) for each in (PLAIN, LESSON)]

    assert outlet.asked(session, "disclosure", seen) == seen[:1]
    assert hot.read(db, "SELECT due FROM memory_session") == [("distance",)]


def test_what_could_not_be_asked_for_is_missed(db: hot.Connection, path: Any) -> None:
    session: Any = SimpleNamespace(client=SimpleNamespace(session="s1"), out=Out())
    seen = [Observation(text=LESSON.text, topic=LESSON.id)]
    store = Store(str(path), readonly=True)

    assert to(store, path).asked(session, "disclosure", seen) == []
    assert session.out.missed == {"disclosure": ["memory"]}
    store.close()


def test_what_merely_has_the_same_topic_is_told(
    outlet: StoreOutlet, store: Store, db: hot.Connection
) -> None:
    joined(store)
    session: Any = SimpleNamespace(client=SimpleNamespace(session="s1"))
    seen = [Observation(text="memory ran out", topic="memory")]

    assert outlet.asked(session, "disclosure", seen) == seen
    assert hot.read(db, "SELECT due FROM memory_session") == [("",)]


@pytest.mark.parametrize("parts", [{"memory"}, set()], ids=["on", "off"])
def test_the_disclosure_sensor_says_when_and_only_where_memory_is_on(
    outlet: StoreOutlet, store: Store, db: hot.Connection, path: Path, parts: set[str]
) -> None:
    joined(store)
    clock = SimClock()
    client = Client(path.parent, NoView("s1"), clock, lambda _session: None)
    attended = Attended("a1", client, clock, outlet, [PLAIN, LESSON])
    kinds = {kind.name: kind for kind in disclosure.attend_sensors()}
    attended.configure(config.load(kinds, path=path.parent / "none"), kinds)
    attended.parts = parts
    due = []

    async def look() -> None:
        await clock.wait(asyncio.Event(), disclosure.GAP_S + 1)
        await attended.poll("disclosure")

    for _ in range(3):
        asyncio.run(look())
        due += hot.read(db, "SELECT due FROM memory_session")

    assert due == [("",), ("distance" if parts else "",), ("distance" if parts else "",)]
