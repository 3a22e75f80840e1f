"""The ids that follow observations, from what a sensor saw to the line that was shown."""

import base64
import os
from collections.abc import Iterable

from attendd import fingerprint

_BYTES = 5
_KEPT = 16
"""Observations that were seen before so many changes of host are not waiting any more."""


class Trail:
    """Gives each observation of an attention an id, by the number that it has there.

    When a host dies, it may have given numbers that its last checkpoint does not know. The next
    host gives the same numbers to other observations. So every id holds a mark of its host.

    Attributes:
        epochs: from which number on which mark holds, oldest first.
    """

    def __init__(self, epochs: Iterable[tuple[int, str]] = (), after: int = 0) -> None:
        """Begin anew, or go on after the last number that a checkpoint knows."""
        fresh = (after + 1, os.urandom(_BYTES).hex())
        used = [each for each in epochs if each[0] <= after]
        self.epochs = [*used[1 - _KEPT :], fresh]

    def of(self, item: int) -> str:
        """Return the id of an observation; empty where there is none."""
        if not item:
            return ""
        marks = [mark for first, mark in self.epochs if first <= item]
        name = f"{marks[-1] if marks else self.epochs[0][1]}:{item}"
        return base64.b32encode(fingerprint.of(name.encode(), _BYTES)).decode().lower()
