"""Plays cases of how many sessions a fact was of use to."""

import tempfile
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from attendd.memory.record import Said, record
from attendd.store import Store
from tests.store import fresh

FACT = Said(text="deploys are on friday", project=1)


def play(given: Mapping[str, Any]) -> dict[str, int]:
    """Record a fact, have sessions recall it or record it anew, and count."""
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(Store(fresh.store(f"{folder}/attend.db"))) as store,
    ):
        record(store, FACT, 0.0)
        for call, who in given["calls"]:
            _STEPS[call](store, who)
        return {"hits": store.facts.all(1, "active")[0].hits}


def _recall(store: Store, session: str) -> None:
    (found,) = store.facts.all(1, "active")
    store.facts.change(lambda book: book.hit(found.fact, session), 0.0, session)


def _again(store: Store, _value: str) -> None:
    record(store, FACT, 0.0)


_STEPS = {"recall": _recall, "set": _again}
