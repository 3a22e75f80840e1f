"""Stores without rows in them, copied from one that is made once.

Making one takes as long as most tests; that is left to those that are about it.
"""

import functools
from pathlib import Path
from tempfile import TemporaryDirectory

from attendd.hot import db


def store(path: str | Path) -> str:
    """Put a store there, unless one is there already, and return its path."""
    if not Path(path).exists():
        Path(path).touch(0o600)
        Path(path).write_bytes(_empty())
    return str(path)


@functools.cache
def _empty() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "attend.db"
        db.connect(str(path)).close()
        return path.read_bytes()
