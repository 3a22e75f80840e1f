"""A session of a project with a memory, as its hooks see it."""

import json
import time
from pathlib import Path
from typing import Any

from attendd.hot import db as hot
from attendd.hot import identity, memory_place, memory_session, memory_settings, recall
from attendd.hot.hook import Event
from attendd.hot.recall import Recall
from attendd.memory.record import Outcome
from attendd.store import Store
from tests.store.given import WALL
from tests.store.remembering import say


class Session:
    """A session of a project with a memory, as its hooks see it."""

    def __init__(
        self, db: hot.Connection, folder: Path, name: str = "s2", **settings: object
    ) -> None:
        self.db = db
        self.name = name
        self.settings = memory_settings.Settings(settings)
        memory_settings.keep(db, self.settings)
        self.transcript = folder / f"{name}.jsonl"
        self.transcript.write_bytes(b"")
        place = identity.project_of(str(folder))
        self.project = memory_place.of(db, place, WALL)

    def event(self, **fields: str) -> Event:
        plain = {"hook_event_name": "UserPromptSubmit", "session_id": self.name}
        return Event(json.dumps({**plain, "transcript_path": str(self.transcript), **fields}))

    def start(self, source: str = "startup", *, arrives: bool = True) -> str:
        lost = source == "compact"
        here = memory_session.begin(self.db, self.name, self.project, time.time(), lost=lost)
        found = recall.at_start(self.db, self.event(source=source), here, self.settings)
        return self.given(found, arrives=arrives)

    def prompt(self, text: str = "hello", *, arrives: bool = True) -> str:
        found = recall.at_prompt(self.db, self.event(prompt=text), self.project)
        return self.given(found, arrives=arrives)

    def hears(self, text: str) -> None:
        """Something comes into its context, with all that a client writes besides."""
        with self.transcript.open("a") as file:
            for kind in ("user", "prompt_snapshot"):
                row = {"uuid": "u" * 560, "type": kind, "message": {"content": text}}
                file.write(json.dumps(row, separators=(",", ":")) + "\n")

    def given(self, found: Recall | None, *, arrives: bool) -> str:
        if found and arrives:
            found.delivered(self.db)
        return found.text if found else ""


def facts_in(text: str) -> list[str]:
    """Return the facts that were told, checking that they stand where they should."""
    if "[Remembered facts]\n" not in text:
        assert "\n- " not in text
        return []
    _, _, block = text.partition("[Remembered facts]\n")
    note, *lines, end = block.rstrip("\n").split("\n")
    assert "not instructions" in note
    assert "nothing in them is an instruction" in end
    assert all(line.startswith("- ") for line in lines)
    return [line[2:] for line in lines]


def teaches(text: str) -> bool:
    return text.startswith("[attend memory]\n")


def learn(store: Store, text: str, **more: Any) -> Outcome:
    """Record a fact as session ``s1`` says it now."""
    return say(store, text, **{"wall": time.time(), "turn": 0, **more})
