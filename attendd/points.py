"""Finds entry points and versions as `importlib.metadata` does, usually far more cheaply.

The library brings an e-mail parser and more along, which is a tenth of all that a host needs to
start. Where distributions are not just folders on the path, it is asked all the same.
"""

import os
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_KINDS = (".dist-info", ".egg-info")
_MOST_BYTES = 1 << 16


class Distribution(NamedTuple):
    """What an entry point belongs to."""

    name: str


class Point(NamedTuple):
    """An entry point, as far as it looks like an `importlib.metadata.EntryPoint`."""

    name: str
    value: str
    dist: Distribution | None

    def load(self) -> Any:  # noqa: ANN401 - whatever it names
        """Import what it names.

        Raises:
            Exception: whatever the import raises.
        """
        module, _, attributes = self.value.partition("[")[0].partition(":")
        found: Any = import_module(module.strip())
        for attribute in filter(None, attributes.strip().split(".")):
            found = getattr(found, attribute)
        return found


def find(group: str) -> "list[Point | EntryPoint]":
    """Return the installed entry points of a group; of distributions of one name the first."""
    if _unusual():
        from importlib.metadata import entry_points  # noqa: PLC0415 - what this module is for

        return list(entry_points(group=group))
    taken: set[str] = set()
    found: list[Point | EntryPoint] = []
    for about in _distributions():
        if (key := _key(about)) not in taken:
            taken.add(key)
            found += _points(about, group)
    return found


def version(distribution: str) -> str:
    """Return the version of an installed distribution.

    Raises:
        ImportError: it is not installed.
    """
    if _unusual():
        from importlib import metadata  # noqa: PLC0415 - what this module is for

        return metadata.version(distribution)
    for about in _distributions():
        if _key(about) == re.sub(r"[-_.]+", "_", distribution.lower()):
            return _field(about, "Version")
    raise ImportError(f"{distribution} is not installed")


def _key(about: str) -> str:
    """Name a distribution by its folder, however its name is written."""
    name = os.path.basename(about).lower().rpartition(".")[0].partition("-")[0]  # noqa: PTH119
    return re.sub(r"[-_.]+", "_", name)


def _unusual() -> bool:
    """Whether something but a folder on the path may hold distributions."""
    return any(
        path.endswith(".egg") or os.path.isfile(path)  # noqa: PTH113 - strings are what we have
        for path in sys.path
    ) or any(
        finder is not PathFinder and hasattr(finder, "find_distributions")
        for finder in sys.meta_path
    )


def _distributions() -> Iterator[str]:
    """Name the folders that describe distributions, in the order of the path."""
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208 - a Path of each would cost more
        except OSError:
            continue
        for name in names:
            if name.lower().endswith(_KINDS):
                yield f"{folder or '.'}/{name}"


def _points(about: str, group: str) -> Iterator[Point]:
    text = _read(f"{about}/entry_points.txt")
    if f"[{group}]" not in text:
        return
    written = _field(about, "Name")
    dist = Distribution(written or os.path.basename(about).partition("-")[0])  # noqa: PTH119
    section = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            section = line.strip("[]")
        elif section == group and "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            yield Point(name.strip(), value.strip(), dist)


def _field(about: str, name: str) -> str:
    """Return what a distribution says of itself under a name; empty where it doesn't."""
    text = _read(f"{about}/METADATA") or _read(f"{about}/PKG-INFO")
    for line in text.splitlines():
        if line.startswith(f"{name}:"):
            return line.partition(":")[2].strip()
        if not line:
            break
    return ""


def _read(path: str) -> str:
    """Read the beginning of a file; empty where there is none."""
    try:
        with open(path, "rb", 0) as file:  # noqa: PTH123 - as above
            return (file.read(_MOST_BYTES) or b"").decode("utf-8", "replace")
    except OSError:
        return ""
