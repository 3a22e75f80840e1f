"""What only hooks can tell, the host has them tell."""

from types import SimpleNamespace
from typing import Any

import pytest
from pluggy import PluginManager

from attendd.api import Component, Observation
from attendd.clock import SystemClock
from attendd.host.outlet import StoreOutlet
from attendd.hot import db as hot
from attendd.registry import Registry
from attendd.store import Store
from attendd.store.journal import Journal
from tests.store.remembering import joined

LESSON = Component(id="memory", text="how to record facts", hooks=True)
PLAIN = Component(id="messaging", text="how to send")


@pytest.fixture
def outlet(store: Store, path: Any) -> StoreOutlet:
    registry = Registry(PluginManager("attend"))
    registry.components = [PLAIN, LESSON]
    journal = Journal(str(path) + ".journal")
    return StoreOutlet(store, journal, registry, SystemClock(), lambda: None)


def test_a_text_that_a_monitor_would_spoil_is_asked_for_and_not_told(
    outlet: StoreOutlet, store: Store, db: hot.Connection
) -> None:
    joined(store)
    session: Any = SimpleNamespace(client=SimpleNamespace(session="s1"))
    seen = [Observation(text=each.text, topic=each.id) for each in (PLAIN, LESSON)]

    assert outlet.asked(session, seen) == seen[:1]
    assert hot.read(db, "SELECT due FROM memory_session") == [("distance",)]


def test_what_merely_has_the_same_topic_is_told(
    outlet: StoreOutlet, store: Store, db: hot.Connection
) -> None:
    joined(store)
    session: Any = SimpleNamespace(client=SimpleNamespace(session="s1"))
    seen = [Observation(text="memory ran out", topic="memory")]

    assert outlet.asked(session, seen) == seen
    assert hot.read(db, "SELECT due FROM memory_session") == [("",)]
