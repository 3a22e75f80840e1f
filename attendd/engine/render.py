"""A batch as text: whole physical lines of which a client cuts nothing.

One line's text never depends on another's, so what a batch will take is known line by line
while it is put together (`units`), and `render` has nothing to leave out.
"""

from attendd.engine.batch import Batch, Line
from attendd.engine.settings import Lines
from attendd.hot import frame
from attendd.model import Lane

_DEFAULT = Lines()
_SMALLEST_ROOM = 64


def render(batch: Batch, settings: Lines = _DEFAULT) -> str:
    """Write a batch: whole lines, each with its newline; at most `Lines.batch_units`.

    Args:
        batch: made with the same settings.
        settings: the room there is.
    """
    lines = [physical for line in batch.lines for physical in block(line, settings)]
    return "\n".join(lines) + "\n"


def block(line: Line, settings: Lines = _DEFAULT) -> list[str]:
    """Write one line with its continuations.

    An event of one line is cut to one physical line, one of several (a disclosure) keeps them
    up to `Lines.event_lines`. A message goes on in continuations as far as a batch reaches.

    Returns:
        Physical lines without newlines, together no longer than a batch.
    """
    text = line.text
    several = len(frame.lines_of(text)) > 1
    if line.lane is Lane.EVENT and not several:
        return [_one(line, settings)]
    if not several:
        text = text + _times(line.count)
    lines = frame.frame(line.slot, line.priority, text, settings.line_units)
    most = settings.event_lines if line.lane is Lane.EVENT else len(lines)
    return frame.clip(lines, settings.batch_units, max(2, most))


def units(line: Line, settings: Lines = _DEFAULT) -> int:
    """Count what a line takes of a batch, newlines included, in UTF-16 units."""
    return sum(frame.units(physical) + 1 for physical in block(line, settings))


def _one(line: Line, settings: Lines) -> str:
    head = frame.header(line.slot, line.priority)
    tail = _times(line.count)
    room = settings.line_units - len(head) - 1 - len(tail)
    text = frame.neutral(frame.inert(frame.lines_of(line.text)[0]))
    return f"{head} {frame.cut(text, max(_SMALLEST_ROOM, room))}{tail}".rstrip(" ")


def _times(count: int) -> str:
    return f" (\u00d7{count})" if count > 1 else ""
