"""What has to be watched so that a change of every wanted path is noticed."""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec


class Plan(msgspec.Struct, frozen=True):
    """What has to be watched so that every wanted path is noticed.

    Attributes:
        folders: existing folders: the wanted ones, and the parents of wanted files and of
            wanted paths that do not exist.
        missing: the wanted paths that do not exist.
        unreachable: whether some of these have no parent to notice them by, or lie on a disk
            that does not answer.
    """

    folders: frozenset[Path] = frozenset()
    missing: frozenset[Path] = frozenset()
    unreachable: bool = False


class There(NamedTuple):
    """What is at a path: whether there is anything, a folder, and a folder that it lies in."""

    exists: bool
    is_folder: bool
    in_folder: bool


def there(name: str) -> There:
    """Look what is at a path."""
    path = Path(name)
    mode = _mode(path)
    is_folder = stat.S_ISDIR(mode)
    return There(bool(mode), is_folder, is_folder or stat.S_ISDIR(_mode(path.parent)))


def _mode(path: Path) -> int:
    """Return the file's mode; 0 where it does not exist or cannot be watched."""
    try:
        str(path).encode()  # watchfiles takes text alone
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return 0
    readable = not stat.S_ISDIR(mode) or os.access(path, os.R_OK)
    return mode if readable else 0


def plan(wanted: frozenset[Path], look: Callable[[str], There]) -> Plan:
    """Decide what to watch.

    Args:
        wanted: absolute paths.
        look: sees what is at one.
    """
    folders: set[Path] = set()
    missing: set[Path] = set()
    unreachable = False
    for path in wanted:
        try:
            found = look(str(path))
        except TimeoutError:  # its disk is silent
            unreachable = True
            continue
        if found.is_folder:
            folders.add(path)
            continue
        if not found.exists:
            missing.add(path)
        if found.in_folder:
            folders.add(path.parent)
        else:
            unreachable = True
    return Plan(frozenset(folders), frozenset(missing), unreachable)
