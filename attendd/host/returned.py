"""What a plugin's code returned: made sure of before anything of ours relies on it."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from attendd.api import Observation

LONGEST_LINE = 500
"""Characters of what a sensor says for people."""
MOST_AT_ONCE = 1000
"""Observations of one poll; a sensor with more to say has to sum up."""


def path(found: object) -> Path:
    """Make sure that it is an absolute path.

    Raises:
        TypeError: it is not.
    """
    if not isinstance(found, Path) or not found.is_absolute():
        raise TypeError(f"{found!r:.80} is no absolute path")
    return found


def line(found: object) -> str:
    """Make sure that it is a text, and make one line of it, of no great length.

    Raises:
        TypeError: it is not.
    """
    if not isinstance(found, str):
        raise TypeError(f"{found!r:.80} is no text")
    return " ".join(found.split())[:LONGEST_LINE]


def observations(seen: object) -> list[Observation]:
    """Make sure that a plugin returned observations, each within its bounds.

    Raises:
        TypeError: it did not.
        ValueError: it returned more than makes sense, or a value is out of bounds.
    """
    if not isinstance(seen, Iterable) or isinstance(seen, str | bytes):
        what = "None" if seen is None else f"an object of type {type(seen).__name__}"
        raise TypeError(f"poll returned {what}; it must be a list of observations, [] for none")
    found = list(seen)
    if len(found) > MOST_AT_ONCE:
        raise ValueError(f"poll returned {len(found):,} observations")
    for observation in found:
        if not isinstance(observation, Observation):
            kind = type(observation).__name__
            raise TypeError(f"poll returned a list with an object of type {kind} in it")
        msgspec.convert(msgspec.structs.asdict(observation), Observation)
        if not observation.text.strip():
            raise ValueError("poll returned an observation without text")
    return found
