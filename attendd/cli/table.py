"""Tables and paragraphs for people: as wide as the terminal, harmless to it, never coloured.

Whatever comes in is data, a branch name as much as a message: it is made inert and neutral
here, so that nothing printed through this module moves a cursor, hides what it says, or passes
for a frame where a model runs the command.
"""

import os
import sys
import unicodedata
from collections.abc import Sequence

from attendd.hot import frame

_GAP = "  "
_NARROWEST = 4
"""Cells below which a column is not squeezed while another one can still give."""


def width_of() -> int | None:
    """Return how many cells a line may have: ``None`` where stdout is no terminal."""
    try:
        columns = os.get_terminal_size(sys.stdout.fileno()).columns
    except (AttributeError, OSError, ValueError):
        return None
    return columns or 80


def cells(text: str) -> int:
    """Count the terminal cells that a text takes at most: wide characters take two."""
    return sum(_cells(char) for char in text)


def _cells(char: str) -> int:
    if char == "\ufe0f":  # asks for the wide form of what precedes it
        return 1
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def clip(text: str, width: int) -> str:
    """Shorten a text to a number of cells, between graphemes, with … where it was cut."""
    if width <= 0:
        return ""
    if cells(text) <= width:
        return text
    low, high = 0, frame.units(text)
    while low < high:
        middle = (low + high + 1) // 2
        if cells(frame.cut(text, middle)) <= width:
            low = middle
        else:
            high = middle - 1
    return frame.cut(text, low) if low else "…"


def table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], width: int | None = None
) -> list[str]:
    """Lay out rows in columns under their heads.

    Args:
        heads: one for each column; printed in capitals.
        rows: as many cells in each as there are heads.
        width: terminal cells a line may take, at least 1; ``None`` cuts nothing.

    Returns:
        Lines without trailing blanks; the head first. No rows, no lines.
    """
    if not rows:
        return []
    grid = [[one_line(cell) for cell in row] for row in [[h.upper() for h in heads], *rows]]
    wanted = [max(cells(row[i]) for row in grid) for i in range(len(heads))]
    widths = wanted if width is None else fit(wanted, width - len(_GAP) * (len(heads) - 1))
    lines = [_GAP.join(_pad(c, w) for c, w in zip(row, widths, strict=True)) for row in grid]
    lines = [line.rstrip() for line in lines]
    return lines if width is None else [clip(line, width) for line in lines]


def facts(pairs: Sequence[tuple[str, str]], width: int | None = None) -> list[str]:
    """Lay out names and what is to be said about each, broken between words.

    Args:
        pairs: a name may be empty, to say one more thing about the one above.
        width: terminal cells a line may take, at least 1; ``None`` breaks nothing.
    """
    safe = [(one_line(name), one_line(text)) for name, text in pairs]
    indent = max((cells(name) for name, _ in safe), default=0) + len(_GAP)
    lines: list[str] = []
    for name, text in safe:
        said = broken(text, None if width is None else width - indent)
        starts = [_pad(name, indent), *[" " * indent] * (len(said) - 1)]
        lines += [(start + part).rstrip() for start, part in zip(starts, said, strict=True)]
    return lines if width is None else [clip(line, width) for line in lines]


def fit(wanted: Sequence[int], room: int) -> list[int]:
    """Share out room among columns: the widest give first, none below what is readable."""
    cap = min(max(wanted), max(room, _NARROWEST))
    while cap > _NARROWEST and sum(min(want, cap) for want in wanted) > room:
        cap -= 1
    widths = [min(want, cap) for want in wanted]
    spare = max(0, room - sum(widths))
    for index, want in enumerate(wanted):
        more = min(spare, want - widths[index])
        widths[index] += more
        spare -= more
    return widths


def broken(text: str, width: int | None) -> list[str]:
    """Break a text between words; a word that is too long stays whole, to be clipped."""
    if width is None or width < _NARROWEST or cells(text) <= width:
        return [text]
    lines, line = [], ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if line and cells(longer) > width:
            lines.append(line)
            longer = word
        line = longer
    return [*lines, line]


def one_line(text: str) -> str:
    """Make one line of a text, in which nothing acts and nothing can be taken for a frame."""
    return frame.neutral(frame.inert(text))


def _pad(text: str, width: int) -> str:
    short = clip(_end_of_path(text, width), width)
    return short + " " * (width - cells(short))


def _end_of_path(text: str, width: int) -> str:
    """Leave out folders that a path begins with, as its end tells it from others."""
    if cells(text) <= width or " " in text or not text.startswith(("/", "~/")):
        return text
    end = text
    while cells(end) >= width and (inner := end.find("/", 1)) > 0:
        end = end[inner:]
    return f"…{end}"
