"""Pages of the inbox: how much one command prints, counted as it is printed.

What runs the command cuts longer outputs, and a text that was cut out must not be taken for one
that was read. So a list ends with the last message that is on it whole, and for an agent a
message that is longer than a page is printed in parts, line by line.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from attendd.cli import letters
from attendd.errors import UsageError
from attendd.hot import frame
from attendd.store import Received

CHARACTERS = 20_000
"""A page ends here, in UTF-16 units, newlines included."""
CLIENT_CUTS = 30_000
"""From here on Claude Code shows an agent no more than the beginning of an output."""
_LINE = 2_000
"""Longer lines of a text that is printed in parts are broken."""
_NOTE = 100
"""Room for what tells how to go on."""


class Part(NamedTuple):
    """Lines of one message, as many as a page has room for.

    Attributes:
        lines: the message's head, then the text's.
        first: the number of the first of the text's lines, from 1.
        last: the number of the last.
        total: how many the text has.
    """

    lines: list[str]
    first: int
    last: int
    total: int

    @property
    def whole(self) -> bool:
        """Whether all of the message is in it."""
        return (self.first, self.last) == (1, self.total)

    def note(self, message: str) -> str:
        """Say what of the text this is, and how to go on; ``''`` where it is all."""
        if self.whole:
            return ""
        which = f"lines {self.first} to {self.last} of {self.total}"
        more = f"; the next: attend inbox {message} --from {self.last + 1}"
        return f"{which}{more if self.last < self.total else ''}"


def size(lines: Sequence[str]) -> int:
    """Count what lines take on a page."""
    return sum(frame.units(line) + 1 for line in lines)


def size_of_json(content: object) -> int:
    """Count what a document takes, as `output.document` prints it."""
    return len(json.dumps(content, indent=2)) + 1


def page(found: Sequence[Received], limit: int, *, as_json: bool = False) -> list[Received]:
    """Take as many messages as a page holds, at least one; the newest come first.

    A document is for a program, and has room for as much as no client cuts.
    """
    taken: list[Received] = []
    room = CLIENT_CUTS - _NOTE if as_json else CHARACTERS
    for came in found[:limit]:
        if as_json:
            room -= size_of_json({"messages": [letters.plain(came)]})
        else:
            room -= size(letters.block(came)) + 1
        if taken and room < 0:
            break
        taken.append(came)
    return taken


def part(came: Received, first: int = 1) -> Part:
    """Take as much of one message as a page holds, from a line of its text on.

    Raises:
        UsageError: its text has no such line.
    """
    head, *text = letters.block(came)
    room = CHARACTERS - size([head])
    if size(text) > room:
        text = [piece for line in text for piece in _broken(line)]
        room -= _NOTE
    if first > len(text):
        raise UsageError(
            f"the text of #{came.message.id} has {len(text)} lines",
            hint=f"`attend inbox {came.message.id}` prints it from the first on",
        )
    last = first - 1
    while last < len(text) and (room := room - size(text[last : last + 1])) >= 0:
        last += 1
    return Part([head, *text[first - 1 : last]], first, last, len(text))


def _broken(line: str) -> list[str]:
    """Break one line of a text; each piece gets the mark that such lines begin with."""
    mark, text = frame.CONTINUATION, line[len(frame.CONTINUATION) :]
    return [f"{mark}{frame.neutral(piece)}".rstrip() for piece in frame.wrap(text, _LINE)]
