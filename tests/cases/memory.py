"""Plays cases of what is remembered: how facts weigh, repeat each other, and are taught again."""

from collections.abc import Callable, Mapping
from typing import Any

from attendd.hot import reteach
from attendd.memory import dedup, weight
from tests.cases import hits, inject, stories, teaching
from tests.cases.outcomes import differs

Case = Mapping[str, Any]

STATES = {"session": "session", "project": "global", "pruned": "pruned"}
"""Our words for how long a fact is kept, and those of the cases."""


def _weight(given: Case) -> dict[str, Any]:
    core = given["core"]
    now, scope = (
        weight.initial(given["producer"], core=core),
        str(weight.first_scope(core=core)),
    )
    for _ in range(given["consolidations"]):
        now, scope = weight.after_session(now, scope, core=core)
    return {"weight": now / 100, "state": STATES[scope]}


def _dedup(given: Case) -> dict[str, Any]:
    found = dedup.compare(given["stored"], given["new"])
    return {"duplicate": found.kind is dedup.Kind.SAME}


def _reinjection(given: Case) -> dict[str, Any]:
    due = reteach.due(
        resuming=given["resuming"],
        turns_since=given["turns_since"],
        bytes_since=given["bytes_since"],
        turns=given.get("turns", reteach.TURNS),
        size=given.get("bytes", reteach.BYTES),
    )
    return {"inject": due}


def _player(component: Callable[[Case], dict[str, Any]]) -> Callable[[Case], str]:
    return lambda case: differs(component(case["input"]), case)


ADAPTERS = {
    "weight": _player(_weight),
    "dedup": _player(_dedup),
    "hits": _player(hits.play),
    "dedup_story": _player(stories.play),
    "inject": _player(inject.play),
    "reinjection": _player(_reinjection),
    "reinjection_story": _player(teaching.play),
}
