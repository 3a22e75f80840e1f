"""How much has come into a session's context: the words in its transcript, as far as they tell.

What a client keeps there for itself, such as what it asked its model with, is many times as
long and counts for nothing.

Source:
    Transcripts of Claude Code 2.1.328: a row for each prompt, answer and result of a tool, with
    some 600 bytes besides its words.
"""

import posix

from attendd.hot import folders

MOST = 4 << 20
"""Bytes that are looked through at most."""

_ENDING = 256 << 10
"""Bytes at a transcript's end in which the number of the latest prompt stands."""
_PROMPT = b'"promptIndex":'
_ROW = 600
_WORDS = (b'"type":"user"', b'"type":"assistant"')


def since(path: str, start: int, enough: int) -> int:
    """Count what has come in since a transcript was so long, in bytes.

    Args:
        path: the transcript.
        start: how long it was; longer than it is now: it is another one.
        enough: from so many bytes on it need not be counted further.
    """
    now = folders.size(path)
    if start > now:
        start = 0
    if now - start < enough:
        return now - start  # whatever is in it, it is not enough
    total = 0
    for line in _read(path, start).split(b"\n"):
        if any(mark in line for mark in _WORDS):
            total += max(0, len(line) - _ROW)
            if total >= enough:
                break
    return total


def prompts(path: str) -> int:
    """Return how many prompts a session has had; 0 where its transcript doesn't say."""
    text = _read(path, max(0, folders.size(path) - _ENDING))
    number = text[text.rfind(_PROMPT) + len(_PROMPT) :][:12] if _PROMPT in text else b""
    digits = number.lstrip().replace(b"}", b",").partition(b",")[0].strip()
    return int(digits) if digits.isdigit() else 0


def _read(path: str, start: int) -> bytes:
    try:
        fd = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return posix.pread(fd, MOST, start)
    except OSError:
        return b""
    finally:
        posix.close(fd)
