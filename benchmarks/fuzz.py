"""``make fuzz``: looks for texts that break the parser of percepts.

A fuzzer that follows what code a text reaches makes the texts; it knows what tags and code are
made of. Each text must come to the same, whole, cut anywhere and byte by byte, and to what
the rules of ``tests/unit/percept_rules.py`` say. What it finds is left in ``results``.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.unit.percept_rules import AGENTS, PIECES, N, outcome

atheris: Any = import_module("atheris")  # it has no types, and only this needs it

with atheris.instrument_imports(include=["attendd.hot"]):
    from attendd.hot.percept_events import Percept, Refusal, Withheld
    from attendd.hot.percepts import Parser

ROOT = Path(__file__).parents[1]
LONGEST = 400
"""Bytes of a text; the rules take time in proportion to its square."""

Outcome = list[Any]


def check(data: bytes) -> None:
    """Fail over a text for which something does not hold."""
    given = atheris.FuzzedDataProvider(data)
    escaped, built = given.ConsumeBool(), given.ConsumeBool()
    places = [given.ConsumeIntInRange(0, LONGEST) for _ in range(given.ConsumeIntInRange(0, 4))]
    text: bytes = given.ConsumeBytes(LONGEST)
    if built:
        text = "".join(PIECES[byte % len(PIECES)] for byte in text).encode()[:LONGEST]
    whole = parsed([text], escaped=escaped)
    edges = [0, *sorted(min(place, len(text)) for place in places), len(text)]
    cut = [text[start:end] for start, end in pairwise(edges)]
    insist(whole, parsed(cut, escaped=escaped), f"cut at {edges}: {text!r}")
    single = [text[at : at + 1] for at in range(len(text))]
    insist(whole, parsed(single, escaped=escaped), f"byte by byte: {text!r}")
    hold_to_rules(text, whole, escaped=escaped)


def insist(one: object, other: object, about: str) -> None:
    """Fail where two are not the same.

    Raises:
        AssertionError: they are not.
    """
    if one != other:
        raise AssertionError(f"{about}: {one} is not {other}")


def hold_to_rules(text: bytes, whole: Outcome, *, escaped: bool) -> None:
    """Compare with the rules, where these know the text and no limit is reached."""
    shown, percepts, refused, withheld = whole
    inner = [each for each, _ in percepts if f"<attend:percept:{N}>" in each]
    insist(inner, [], f"an own tag in a fact: {text!r}")
    if refused or not is_text(text):
        return
    due = outcome(text.decode(), N, AGENTS, escaped=escaped)
    insist(percepts, due.percepts, repr(text))
    insist((shown, withheld), (due.shown.encode(), due.withheld.encode()), repr(text))


def parsed(chunks: Sequence[bytes], *, escaped: bool) -> Outcome:
    """Return what is shown, taken, refused and withheld of a text that comes so."""
    parser = Parser(N, agents=AGENTS, escaped=escaped)
    events = [event for chunk in chunks for event in parser.feed(chunk)] + parser.finish()
    return [
        b"".join(each for each in events if isinstance(each, bytes)),
        [(each.text, each.consumer) for each in events if isinstance(each, Percept)],
        [(each.start, each.end) for each in events if isinstance(each, Refusal)],
        b"".join(each.raw for each in events if isinstance(each, Withheld)),
    ]


def is_text(data: bytes) -> bool:
    """Tell whether bytes are UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def seeds() -> Iterator[bytes]:
    """Yield what the fuzzer begins with: the cases that are kept as data."""
    path = ROOT / "tests" / "cases" / "percepts.json"
    for case in json.loads(path.read_text("utf-8"))["vectors"]:
        if "chunks" in case:
            text = "".join(case["chunks"]).replace("milk:", "attend:").replace("k7q2zd", N)
            yield text.encode("utf-8", "replace")[:LONGEST] + b"\0\0\0"


def main() -> None:
    """Look for so many minutes; end with an error over the first text that is found."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    results = ROOT / "results"
    results.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="attend-fuzz-"))
    for number, seed in enumerate(seeds()):
        (folder / f"seed-{number}").write_bytes(seed)
    words = folder.with_suffix(".dict")
    quoted = ("".join(f"\\x{byte:02x}" for byte in each.encode()) for each in {*PIECES})
    words.write_text("".join(f'"{each}"\n' for each in quoted), "ascii")
    options = (
        f"-max_total_time={round(asked.minutes * 60)}",
        f"-seed={asked.seed}",
        f"-max_len={LONGEST}",
        f"-dict={words}",
        f"-artifact_prefix={results}/fuzz-",
        "-print_final_stats=1",
    )
    atheris.Setup([sys.argv[0], *options, str(folder)], check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
