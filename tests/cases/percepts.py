"""Plays cases of the parser of percepts: as they are cut, after every byte, in two everywhere."""

import base64
from collections.abc import Iterator, Mapping
from typing import Any

from attendd.hot.percept_events import Percept
from attendd.hot.percepts import Parser

KEYS = {"chunks", "chunks_b64"}
NAMESPACE = "milk"
"""The first word of tags in the cases, if a case doesn't name another."""

Chunks = list[bytes] | list[str]


def play(case: Mapping[str, Any]) -> str:
    """Play a case; say what is wrong, nothing if it went as expected."""
    given: Chunks = case["chunks"] if "chunks" in case else _decoded(case["chunks_b64"])
    right = [[case["expected_display"], case["expected_percepts"]]]
    right += [[each["display"], each["percepts"]] for each in case.get("also_accept", [])]
    early, *got = _outcome(case, given)
    if got not in right:
        return f"got {got}, expected {right[0]}"
    due = case.get("expected_display_before_close", early)
    if early != due:
        return f"shown before the end is {early!r}, expected {due!r}"
    for how, chunks in _cuts(given):
        if _outcome(case, chunks)[1:] != got:
            return f"cut {how}: got {_outcome(case, chunks)[1:]}, otherwise {got}"
    return ""


def _decoded(chunks: list[str]) -> list[bytes]:
    return [base64.b64decode(each, validate=True) for each in chunks]


def _cuts(given: Chunks) -> Iterator[tuple[str, list[bytes]]]:
    if given and isinstance(given[0], str):
        text = (
            "".join(map(str, given))
            .encode("utf-16", "surrogatepass")
            .decode("utf-16", "surrogatepass")
        )
        data = text.encode("utf-8", "surrogatepass")
    else:
        data = b"".join(each for each in given if isinstance(each, bytes))
    yield "after every byte", [data[at : at + 1] for at in range(len(data))]
    for at in range(len(data) + 1):
        yield f"in two at {at}", [data[:at], data[at:]]


def _outcome(case: Mapping[str, Any], chunks: Chunks) -> list[Any]:
    """Return what is shown before the end, in all, and the percepts."""
    parser = Parser(
        case["nonce"],
        namespace=case.get("namespace", NAMESPACE),
        agents=case.get("agents", ()),
        escaped=case.get("escaped", False),
    )
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    early = _shown(events)
    events += parser.finish()
    percepts = [[each.text, each.consumer] for each in events if isinstance(each, Percept)]
    return [early, _shown(events), percepts]


def _shown(events: list[Any]) -> str:
    shown = b"".join(each for each in events if isinstance(each, bytes))
    return shown.decode("utf-8", "surrogatepass")
