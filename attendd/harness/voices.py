"""Follows all that is said in one session, by its main chain and its subagents."""

import os
from pathlib import Path

import msgspec

from attendd.harness.tail import Tail

FIRST = 2 * 1024 * 1024
"""Bytes read, from its end, of a transcript that was not followed before."""
LATELY_S = 3600.0
"""A subagent's transcript that was not written to for so long is looked at no more."""

_TURN = b'"promptIndex":'


class Line(msgspec.Struct, frozen=True):
    """A line of a transcript.

    Attributes:
        path: of which.
        text: itself.
        turn: the session's prompt that it belongs to, from 1 on; 0: that is not known.
    """

    path: Path
    text: bytes
    turn: int


class Voices:
    """The transcripts of one session."""

    def __init__(self, transcript: Path) -> None:
        self.transcript = transcript
        self._main = Tail(transcript, first_look=FIRST)
        self._folder = transcript.with_suffix("") / "subagents"
        self._others: dict[str, Tail] = {}
        self._turn = 0

    def look(self, mark: bytes, wall: float) -> list[Line]:
        """Return the new lines in which a mark occurs, file by file.

        Args:
            mark: what to look for.
            wall: now.
        """
        found = []
        for text in self._main.look().lines:
            at = text.find(_TURN)
            if at >= 0:
                self._turn = _number(text[at + len(_TURN) :]) or self._turn
            if mark in text:
                found.append(Line(self.transcript, text, self._turn))
        others = [
            Line(tail.path, text, self._turn)
            for tail in self._lately(wall)
            for text in tail.look().lines
            if mark in text
        ]
        return found + others

    def _lately(self, wall: float) -> list[Tail]:
        try:
            with os.scandir(self._folder) as entries:
                names = [
                    entry.name
                    for entry in entries
                    if entry.name.endswith(".jsonl")
                    and entry.stat().st_mtime >= wall - LATELY_S
                ]
        except OSError:
            names = []
        known = self._others
        self._others = {
            name: known.get(name) or Tail(self._folder / name, first_look=FIRST)
            for name in sorted(names)
        }
        return list(self._others.values())


def results(path: Path, most: int = 1024 * 1024) -> list[bytes]:
    """Return the lines with results of tools near a transcript's end; none if it is gone."""
    tail = Tail(path, first_look=most)
    return [line for line in tail.look().lines if b'"tool_result"' in line]


def ending(path: Path, most: int = FIRST) -> str:
    """Return what was written last into a transcript; empty if it is gone."""
    return b"\n".join(Tail(path, first_look=most).look().lines).decode("utf-8", "replace")


def _number(text: bytes) -> int:
    digits = text[:12].lstrip()
    end = next((at for at, ch in enumerate(digits) if not 48 <= ch <= 57), len(digits))  # noqa: PLR2004 - "0" to "9"
    return int(digits[:end] or b"0")
