"""Plays stories about facts that are said again; each kind of sentence is a step of its own."""

import re
import tempfile
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any

from attendd.memory.record import Said, record
from attendd.store import Store
from tests.store import fresh

PROJECT = 1
_SCOPES = {"session": "session", "project": "global"}

Step = Callable[[Store, re.Match[str], list[str]], None]


def _recorded(store: Store, found: re.Match[str], texts: list[str]) -> None:
    known = {name: value or "" for name, value in found.groupdict().items()}
    texts.append(known.get("text") or texts[-1])
    where = "s2" if known.get("place") == "another session" else "s"
    _say(
        store,
        texts[-1],
        producer=known.get("who") or "agent",
        consumer=known.get("consumer", "").replace("everyone", ""),
        session=where,
    )


def _learnt(store: Store, found: re.Match[str], texts: list[str]) -> None:
    texts.append(found["text"] or texts[-1])
    _say(store, texts[-1], wished=True, producer="user", session="")


_WHO = r"(?:the )?(?P<who>agent|user|system)"
_PLACE = r"(?: in (?P<place>(?:the|another) session))?"
_STEPS: list[tuple[str, Step]] = [
    (rf"{_WHO} record(?:s|ed) '(?P<text>.+)'(?: at [\d.]+)?{_PLACE}", _recorded),
    (r"'(?P<text>.+)' is stored for (?P<consumer>\w+)(?: only)?", _recorded),
    (r"the user runs the learn command with (?:the same text|'(?P<text>.+)')", _learnt),
    (
        r"the same text arrives(?: again)?(?: for (?P<consumer>\w+))?"
        rf"(?: from {_WHO})?{_PLACE}",
        _recorded,
    ),
]


def play(given: Mapping[str, Any]) -> dict[str, Any]:
    """Do what a story tells, and say what there is in the end."""
    texts: list[str] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(Store(fresh.store(f"{folder}/attend.db"))) as store,
    ):
        for sentence in (given["given"], *given["when"]):
            _do(store, sentence, texts)
        facts = [each.fact for each in store.facts.all(PROJECT, "active")]
    first = facts[0]
    readers = [first.consumer] if first.consumer else ["primary", "escalation"]
    return {
        "count": len(facts),
        "core": first.core,
        "weight": first.weight / 100,
        "scope": _SCOPES[first.scope],
        "visible_to": readers,
    }


def _do(store: Store, sentence: str, texts: list[str]) -> None:
    for pattern, step in _STEPS:
        if found := re.fullmatch(pattern, sentence):
            return step(store, found, texts)
    raise ValueError(f"nobody knows how to play {sentence!r}")


def _say(store: Store, text: str, **more: Any) -> None:
    plain: dict[str, Any] = {"project": PROJECT, "session": "s", "turn": 1}
    record(store, Said(text=text, **{**plain, **more}), 0.0)
