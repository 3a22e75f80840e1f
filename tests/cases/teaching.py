"""Plays stories about when a session is taught anew; each kind of sentence is a step."""

import re
import tempfile
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from attendd.hot import db
from tests.store import fresh
from tests.store.recalling import Session, teaches


class Story:
    """A session that was taught at its start, and what it was told in each turn."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._turn = 0
        self.outcome: dict[str, bool] = {"instruction_in_context": teaches(session.start())}

    def go_to(self, turn: int, *, arrives: bool = True) -> None:
        """Go on up to a turn, of which all before it are as any."""
        while self._turn < turn:
            self._turn += 1
            ends = self._turn < turn or arrives
            told = teaches(self._session.prompt("go on", arrives=ends))
            self.outcome[f"instruction_sent_on_turn_{self._turn}"] = told and ends
            self.outcome["instruction_in_context"] |= told and ends

    def compact(self, turn: int) -> None:
        """Go on up to a turn, and lose all that was said then."""
        self.go_to(turn)
        self.outcome["instruction_in_context"] = teaches(self._session.start("compact"))


_STEPS: list[tuple[str, Callable[[Story, int], None]]] = [
    (r"the threshold is crossed and the agent call fails", lambda story, _: story.go_to(20)),
    (r"the agent reports a compaction at turn (\d+)", Story.compact),
    (r"turn (\d+) fails", lambda story, turn: story.go_to(turn, arrives=False)),
    (r"(?:turns \d+ to|turn) (\d+)", Story.go_to),
]


def play(given: Mapping[str, Any]) -> dict[str, bool]:
    """Do what a story tells, and say what the session was told."""
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(db.connect(fresh.store(f"{folder}/attend.db"))) as store,
    ):
        story = Story(Session(store, Path(folder)))
        for sentence in (given["given"], *given["when"]):
            _do(story, sentence)
    return story.outcome


def _do(story: Story, sentence: str) -> None:
    for pattern, step in _STEPS:
        if found := re.fullmatch(pattern, sentence):
            return step(story, int(found[1]) if found.groups() else 0)
    raise ValueError(f"nobody knows how to play {sentence!r}")
