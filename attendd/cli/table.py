"""Tables and paragraphs for people: as wide as the terminal, harmless to it, never coloured.

Whatever comes in is data, a branch name as much as a message: it is made inert and neutral
here, so that nothing printed through this module moves a cursor, hides what it says, or passes
for a frame where a model runs the command.
"""

import os
import sys
import unicodedata
from collections.abc import Collection, Sequence

from attendd.hot import frame

WHOLE = frozenset({"id", "when", "called", "session", "channel", "where"})
"""Heads of columns in which nothing is cut: a part of an id, a name, a path or a time is of no
use to the next command."""

_GAP = "  "
_NARROWEST = 4
"""Cells below which a column is not squeezed while another one can still give."""
_READABLE = 11
"""Cells that each other column needs, as far as its texts are so long, for rows to be lines."""
_LAST = 16
"""Cells that the last one needs, in which the longest texts stand."""
_MOST_LINES = 4
"""Lines that one cell takes at most where each row is a block."""


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
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int | None = None,
    whole: Collection[str] = WHOLE,
) -> list[str]:
    """Lay out rows in columns under their heads, or, where those had no room, each as a block.

    Args:
        heads: one for each column; printed in capitals above columns.
        rows: as many cells in each as there are heads.
        width: terminal cells a line may take, at least 1; ``None`` cuts nothing.
        whole: the heads of columns that are as wide as their texts.

    Returns:
        Lines without trailing blanks. No rows, no lines.
    """
    grid = [[one_line(cell) for cell in row] for row in rows]
    wanted = _widest([heads, *grid])
    enough = [_READABLE] * (len(heads) - 1) + [_LAST]
    least = [
        want if head in whole else min(want, cap)
        for head, want, cap in zip(heads, wanted, enough, strict=True)
    ]
    if width is None or sum(least) <= _room(heads, width):
        return columns(heads, grid, width, least)
    return [line for row in grid for line in _block(heads, row, width, whole)]


def columns(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int | None = None,
    least: Sequence[int] | None = None,
) -> list[str]:
    """Lay out rows in columns, one line for each below that of the heads.

    Args:
        heads: one for each column; printed in capitals.
        rows: as many cells in each as there are heads.
        width: terminal cells a line may take, at least 1; ``None`` cuts nothing.
        least: cells that each column gets, whatever the others want; see `fit`.
    """
    if not rows:
        return []
    grid = [[one_line(cell) for cell in row] for row in [[h.upper() for h in heads], *rows]]
    wanted = _widest(grid)
    widths = wanted if width is None else fit(wanted, _room(heads, width), least)
    lines = [_GAP.join(_pad(c, w) for c, w in zip(row, widths, strict=True)) for row in grid]
    lines = [line.rstrip() for line in lines]
    return lines if width is None else [clip(line, width) for line in lines]


def facts(pairs: Sequence[tuple[str, str]], width: int | None = None) -> list[str]:
    """Lay out names and what is to be said about each, broken between words.

    What holds a word that has no room beside the name, a path or an id, stands below it.

    Args:
        pairs: a name may be empty, to say one more thing about the one above.
        width: terminal cells a line may take, at least 1; ``None`` breaks nothing.
    """
    safe = [(one_line(name), one_line(text)) for name, text in pairs]
    indent = max((cells(name) for name, _ in safe), default=0) + len(_GAP)
    lines: list[str] = []
    for name, text in safe:
        lines += _fact(name, text, indent, width)
    return lines if width is None else [clip(line, width) for line in lines]


def fit(wanted: Sequence[int], room: int, least: Sequence[int] | None = None) -> list[int]:
    """Share out room among columns: the widest give first, none below what is readable.

    Args:
        wanted: cells that each would take.
        room: cells that there are.
        least: cells below which one gives nothing; ``None``: where all are much the same.
    """
    floors = [min(want, _NARROWEST) for want in wanted] if least is None else least
    cap = min(max(wanted), max(room, _NARROWEST))
    while cap > _NARROWEST and sum(_capped(wanted, floors, cap)) > room:
        cap -= 1
    widths = _capped(wanted, floors, cap)
    spare = max(0, room - sum(widths))
    for index, want in enumerate(wanted):
        more = min(spare, want - widths[index])
        widths[index] += more
        spare -= more
    return widths


def pieces(line: str, width: int) -> list[str]:
    """Break a line, behind a space where one is near, so that each piece fits; all of it stays.

    However wide its characters are; a piece may end with the space that it was broken at.
    """
    wide = any(cells(char) > frame.units(char) for char in line)
    return frame.wrap(line, max(2, width // 2 if wide else width))


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


def wrapped(text: str, width: int) -> list[str]:
    """Break a text between words, and a word that is too long wherever the line ends."""
    return [
        piece.rstrip()
        for line in broken(text, width)
        for piece in ([line] if cells(line) <= width else pieces(line, width))
    ]


def one_line(text: str) -> str:
    """Make one line of a text, in which nothing acts and nothing can be taken for a frame."""
    return frame.neutral(frame.inert(text))


def _block(
    heads: Sequence[str], row: Sequence[str], width: int, whole: Collection[str]
) -> list[str]:
    """Lay out a row by itself: its first cell, below it the others, each behind its head."""
    indent = max((cells(head) for head in heads[1:]), default=0) + len(_GAP)
    room = max(1, width - len(_GAP))
    lines = wrapped(row[0] or "-", width)
    for head, text in zip(heads[1:], row[1:], strict=True):
        most = None if head in whole else _MOST_LINES
        said = _fact(head, text, indent, room, most) if text else []
        lines += [_GAP + line for line in said]
    return [clip(line, width) for line in lines]


def _fact(
    name: str, text: str, indent: int, width: int | None, most: int | None = None
) -> list[str]:
    """Say something about a name, beside it, or below where a word of it has no room there."""
    room = None if width is None else width - indent
    longest = max(map(cells, text.split(" ")))
    lines: list[str] = []
    if width is None or room is None or room >= max(longest, _NARROWEST):
        said, rest = broken(text, room), _pad(name, indent)
    else:
        said, rest = wrapped(text, width - len(_GAP)), _GAP
        lines += [name] if name else []
    if most is not None and len(said) > most:
        said = [*said[: most - 1], f"{said[most - 1]} …"]
    for part in said:
        lines.append((rest + part).rstrip())
        rest = " " * cells(rest)
    return lines


def _widest(grid: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(cells, column)) for column in zip(*grid, strict=True)]


def _room(heads: Sequence[str], width: int) -> int:
    """Return the cells that columns have without the gaps between them."""
    return width - len(_GAP) * (len(heads) - 1)


def _capped(wanted: Sequence[int], least: Sequence[int], cap: int) -> list[int]:
    return [max(low, min(want, cap)) for low, want in zip(least, wanted, strict=True)]


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
