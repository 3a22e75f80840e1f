"""Runs every case of a file against the real component, whatever the cases are called.

A file is a JSON object whose ``vectors`` are the cases. Each names its ``area``, the adapter
that plays it; a case of chunks of text is one for the parser of percepts. A case that nobody
can play or read has failed, as one has whose outcome is another than expected.
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.cases import memory, percepts

Case = Mapping[str, Any]
Adapter = Callable[[Case], str]
"""Plays a case; returns what is wrong, and nothing where it went as expected."""

ADAPTERS: dict[str, Adapter] = {"percept": percepts.play, **memory.ADAPTERS}


def main(paths: list[str]) -> int:
    """Run the cases of some files, print how many there were and which failed."""
    if not paths:
        print("usage: python -m tests.cases FILE...", file=sys.stderr)
        return 2
    count, failed = 0, 0
    for path in paths:
        for name, problem in run(Path(path)):
            count += 1
            if problem:
                failed += 1
                print(f"FAILED {path}: {name}: {problem}")
    print(f"{count} cases, {failed} failed")
    return 1 if failed or not count else 0


def run(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each case of a file, by name, and what is wrong with it."""
    try:
        cases = json.loads(path.read_text("utf-8"))["vectors"]
    except (OSError, ValueError, LookupError, TypeError) as error:
        yield "the file", f"it can't be read: {error!r}"
        return
    for at, case in enumerate(cases if isinstance(cases, list) else [cases]):
        name = case.get("name") if isinstance(case, dict) else None
        yield str(name or f"case {at + 1}"), problem_of(case)


def problem_of(case: object) -> str:
    """Play a case; say what is wrong, nothing if it went as expected."""
    if not isinstance(case, dict):
        return "it is no JSON object"
    area = case.get("area", "percept" if case.keys() & percepts.KEYS else None)
    adapter = ADAPTERS.get(area) if isinstance(area, str) else None
    if adapter is None:
        return f"nobody plays the area {area!r}"
    try:
        return adapter(case)
    except Exception as error:  # noqa: BLE001 - whatever a case does to the component
        return f"it can't be played: {error!r}"
