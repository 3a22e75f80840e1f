"""Checks a table against a struct, key by key: what fits is kept, what doesn't is said."""

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from attendd.config import kinds
from attendd.errors import ConfigError
from attendd.hot import near

Table = dict[str, Any]
"""What TOML gives: strings, numbers, lists, dates, and tables in tables."""

Key = tuple[str, ...]
T = TypeVar("T", bound=msgspec.Struct)

_AT = re.compile(r" - at `(?:key` in `)?\$(?P<where>[^`]*)`$")
_MOST = 40
"""Characters of a value that does not fit."""
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<key>.*)`", re.DOTALL)


class Checker:
    """Checks the tables of one file.

    Attributes:
        problems: what was found, each as `ConfigError` writes it: ``file: key: problem``.
    """

    def __init__(self, file: str) -> None:
        self.problems: list[str] = []
        self._file = file

    def say(self, key: Key, problem: str, hint: str = "") -> None:
        """Add a problem with one key of the file; an empty key means the file as a whole."""
        parts = (self._file, ".".join(_shown(part) for part in key), problem)
        self.problems.append(str(ConfigError(": ".join(filter(None, parts)), hint=hint)))

    def fit(self, table: Table, struct: type[T], at: Key, good: Table) -> tuple[T, Table]:
        """Make a struct of a table, with every value that fits.

        Args:
            table: what the file says.
            struct: what it must look like; each of its keys must have a default.
            at: where in the file the table stands.
            good: an earlier table that fitted; its value replaces one that does not fit now.

        Returns:
            The struct, and the table it was made of, which fits.
        """
        kept = _copy(table)
        for key in list(_not_finite(kept)):
            self.say((*at, *key), "is not a finite number")
            _replace(kept, key, good)
        tried: set[Key] = set()
        while True:
            try:
                return msgspec.convert(kept, struct), kept
            except msgspec.ValidationError as error:
                key, problem, hint = explain(str(error), struct)
                self.say((*at, *key), problem + _instead(kept, key, problem), hint)
                # What does not fit either when it comes from the earlier table is left out.
                if not _replace(kept, key, {} if key in tried else good):
                    return msgspec.convert({}, struct), {}
                tried.add(key)


def explain(error: str, struct: type[msgspec.Struct]) -> tuple[Key, str, str]:
    """Turn msgspec's one-liner into the key, the problem and a hint.

    Args:
        error: the text of a `msgspec.ValidationError`.
        struct: what was to be made.
    """
    found = _AT.search(error)
    problem = error[: found.start()] if found else error
    where = found["where"] if found else ""
    key = tuple(part for part in where.partition("[")[0].split(".") if part)
    unknown = _UNKNOWN.fullmatch(problem)
    if unknown is None:
        expected = kinds.expected(struct, key) or "something else"
        rule = problem.partition(" matching ")[2]
        return key, f"expected {expected}" + (f" that matches {rule}" if rule else ""), ""
    known = _struct_at(struct, key).__struct_fields__
    return (*key, unknown["key"]), "unknown key", did_you_mean(unknown["key"], known)


def _instead(table: Table, key: Key, problem: str) -> str:
    """Name what stands where something else was expected; nothing of a list or table."""
    found: Any = table
    for part in key:
        found = found.get(part) if isinstance(found, dict) else None
    if not problem.startswith("expected ") or not isinstance(found, str | int | float):
        return ""
    shown = str(found).lower() if isinstance(found, bool) else ascii(found)
    return f", not {shown if len(shown) <= _MOST else shown[:_MOST] + '…'}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a hint that names what was probably meant; empty when nothing is near."""
    meant = near.suggest(word, known, 1)
    return f"did you mean '{meant[0]}'?" if meant else ""


def merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> Table:
    """Lay one table over another: scalars and lists replace, tables merge."""
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        both = isinstance(under, dict) and isinstance(value, dict)
        merged[key] = merge(under, value) if both and under is not None else value
    return merged


def _struct_at(struct: type[msgspec.Struct], key: Key) -> type[msgspec.Struct]:
    """Return the struct that a key of another holds; the outer one where it holds none."""
    for part in key:
        kinds = {field.name: field.type for field in msgspec.structs.fields(struct)}
        inner = kinds.get(part)
        if not (isinstance(inner, type) and issubclass(inner, msgspec.Struct)):
            break
        struct = inner
    return struct


def _not_finite(table: Table) -> Iterable[Key]:
    """Find ``inf`` and ``nan``, which pass every bound or none and are never meant."""
    for name, value in table.items():
        if isinstance(value, float) and not math.isfinite(value):
            yield (name,)
        elif isinstance(value, dict):
            yield from ((name, *rest) for rest in _not_finite(value))


def _replace(table: Table, key: Key, good: Table) -> bool:
    """Put the earlier value in a key's place, or none; false if the table has no such key."""
    if not key:
        return False
    *path, last = key
    earlier: Any = good
    for part in path:
        inner = table.get(part)
        if not isinstance(inner, dict):
            return False
        table = inner
        earlier = earlier.get(part) if isinstance(earlier, dict) else None
    if last not in table:
        return False
    del table[last]
    if isinstance(earlier, dict) and last in earlier:
        table[last] = _copy(earlier[last])
    return True


def _copy(value: Any) -> Any:  # noqa: ANN401 - whatever TOML holds
    if isinstance(value, dict):
        return {key: _copy(inner) for key, inner in value.items()}
    return [_copy(inner) for inner in value] if isinstance(value, list) else value


def _shown(part: str) -> str:
    """Write a part of a dotted key as TOML would; nothing in it can start a new line."""
    plain = re.fullmatch(r"[A-Za-z0-9_-]+", part)
    return part if plain else ascii(part).replace("'", '"')
