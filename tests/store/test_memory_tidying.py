"""What of memory is removed after a while, and what never is."""

from pathlib import Path

from attendd.hot import db as hot
from attendd.hot import nonces
from attendd.store import Store
from attendd.store.memory_tidying import SHOWN_S
from tests.store import given
from tests.store.recalling import Session, learn
from tests.store.remembering import differences


def test_what_was_shown_is_known_for_ninety_days_and_facts_for_ever(
    store: Store, db: hot.Connection, tmp_path: Path
) -> None:
    session = Session(db, tmp_path)
    learn(store, "deploys are on friday", project=session.project)
    session.start()
    nonces.rotate(db, "s2", 1.0, "seen")
    (shown,) = store.memories.injections()

    store.sweep(shown.at + SHOWN_S - 1, given.BOOT, 1.0)
    assert store.memories.injections() == [shown]
    store.sweep(shown.at + SHOWN_S + 1, given.BOOT, 1.0)

    assert store.memories.injections() == []
    assert hot.read(db, "SELECT * FROM injected") == []
    assert hot.read(db, "SELECT count(*) FROM nonce") == [(1,)]
    assert [each.fact.text for each in store.facts.all(None, "active")] == [
        "deploys are on friday"
    ]
    assert differences(store) == {}
