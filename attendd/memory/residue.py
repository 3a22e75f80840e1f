"""Finds what is left of a text in files, and overwrites it in those that nobody has open."""

import json
import mmap
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

SHORTEST = 8
"""A text of fewer bytes occurs anywhere, so nothing is overwritten for it."""
_LONG = 1_000
_PIECE = 256
"""A database may keep a text that is so long in two places: its parts are known by so much."""
_AT_REST = (".damaged-", ".left")
_LOGS = ("hook.log",)
_FOLDERS = ("display",)


def spans(data: "bytes | mmap.mmap", text: bytes) -> Iterator[tuple[int, int]]:
    """Yield where a text stands in data, and of a long one also where it is cut in two."""
    head, tail = (text[:_PIECE], text[-_PIECE:]) if len(text) > _LONG else (text, b"")
    at = data.find(head)
    while at >= 0:
        end = at + _common(data[at : at + len(text)], text)
        yield at, end
        at = data.find(head, end)
    at = data.find(tail) if tail else -1
    while at >= 0:
        end = at + len(tail)
        before = data[max(0, end - len(text)) : end]
        yield end - _common(before[::-1], text[::-1]), end
        at = data.find(tail, end)


def remaining(folder: Path, texts: Sequence[str]) -> list[Path]:
    """Return the files of a folder and those below it in which something of a text stands."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return [path for path in files if not path.is_symlink() and holds(path, texts)]


def overwrite(path: Path, texts: Sequence[str]) -> bool:
    """Put blanks in the place of texts in a file; tell whether it is one that may be changed.

    That is one that was set aside, or that is only ever added to.

    Raises:
        OSError: it can't be changed.
    """
    added_to = path.name in _LOGS or path.parent.name in _FOLDERS
    if not (added_to or any(mark in path.name for mark in _AT_REST)):
        return False
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as data:
        for text in _written(texts):
            for begin, end in list(spans(data, text)):
                data[begin:end] = b" " * (end - begin)
        data.flush()
    return True


def holds(path: Path, texts: Sequence[str]) -> bool:
    """Tell whether something of a text stands in a file."""
    with (
        suppress(OSError, ValueError),  # it has gone, can't be read, or is empty
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        return any(any(spans(data, text)) for text in _written(texts))
    return False


def _written(texts: Sequence[str]) -> list[bytes]:
    """Return the ways in which texts may be written: as they are, and as JSON has them."""
    found = set()
    for text in texts:
        found |= {
            text.encode(),
            msgspec.json.encode(text)[1:-1],
            json.dumps(text).encode()[1:-1],
        }
    return sorted(each for each in found if len(each) >= SHORTEST)


def _common(one: bytes, other: bytes) -> int:
    """Count the bytes that two begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
