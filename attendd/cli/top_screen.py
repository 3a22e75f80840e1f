"""The live view on a terminal, drawn with curses.

Curses is what every Unix terminal, ssh and tmux are made to work with; it comes with Python,
redraws only what has changed, and is loaded by nothing else of attend.
"""

import contextlib
import curses
import locale
import re
import signal
from collections.abc import Sequence
from types import FrameType

from attendd.cli import table
from attendd.cli.top_look import Looker
from attendd.cli.top_page import Kind, Line, page

TICK_MS = 1000
"""How long a key is waited for before the next look."""
_ENCODINGS = ("", "C.UTF-8", "en_US.UTF-8")
_QUITS = "q quits"
_ESCAPE = 27
_QUIT = (ord("q"), ord("Q"), _ESCAPE)
_ENDING = (signal.SIGTERM, signal.SIGHUP)
_STYLES = {
    Kind.TITLE: curses.A_REVERSE,
    Kind.SESSION: curses.A_BOLD,
    Kind.HEAD: curses.A_DIM,
    Kind.TROUBLE: curses.A_BOLD,
    Kind.PLAIN: curses.A_NORMAL,
}


def usable() -> bool:
    """Tell whether the terminal is one on which a cursor can be moved."""
    try:
        curses.setupterm()
    except curses.error:
        return False
    return bool(curses.tigetstr("cup"))


def run(looker: Looker) -> int:
    """Show what there is until a person has seen enough; return the exit code.

    Raises:
        KeyboardInterrupt: Ctrl-C; the terminal is as it was before.
    """
    _choose_encoding()
    for number in _ENDING:
        signal.signal(number, _leave)
    curses.wrapper(lambda window: _Screen(window, looker).show())
    return 0


class _Screen:
    """A window that follows what there is.

    Attributes:
        top: how many lines below the title are out of sight above it.
    """

    def __init__(self, window: curses.window, looker: Looker) -> None:
        self.top = 0
        self._window = window
        self._looker = looker
        self._styles, self._bar = dict(_STYLES), curses.A_NORMAL
        window.timeout(TICK_MS)
        with contextlib.suppress(curses.error):  # not every terminal has colours
            self._add_colours()
        with contextlib.suppress(curses.error):
            curses.curs_set(0)  # not every terminal can hide it

    def show(self) -> None:
        """Draw, wait for a key or the next look, and so on until told to quit."""
        look = self._looker.look()
        while True:
            height, width = self._window.getmaxyx()
            title, *lines = page(look, max(1, width))
            self.top = max(0, min(self.top, len(lines) - height + 1))
            below = max(0, len(lines) - self.top - height + 1)
            self._draw(title, lines[self.top : self.top + height - 1], width, below)
            key = self._window.getch()
            if key in _QUIT:
                return
            if key == curses.KEY_RESIZE:
                curses.update_lines_cols()
            elif key == -1:
                look = self._looker.look()
            else:
                self._scroll(key, height, len(lines))

    def _add_colours(self) -> None:
        """Have bars and troubles stand out on the person's own background, whatever that is."""
        curses.use_default_colors()
        for number, colour in enumerate((curses.COLOR_CYAN, curses.COLOR_RED), 1):
            curses.init_pair(number, colour, -1)
        self._bar = curses.color_pair(1)
        self._styles[Kind.TROUBLE] |= curses.color_pair(2)

    def _scroll(self, key: int, height: int, count: int) -> None:
        steps = {
            curses.KEY_DOWN: 1,
            ord("j"): 1,
            curses.KEY_UP: -1,
            ord("k"): -1,
            curses.KEY_NPAGE: height - 1,
            ord(" "): height - 1,
            curses.KEY_PPAGE: 1 - height,
            curses.KEY_HOME: -count,
            ord("g"): -count,
            curses.KEY_END: count,
            ord("G"): count,
        }
        self.top += steps.get(key, 0)

    def _draw(self, title: Line, lines: Sequence[Line], width: int, below: int) -> None:
        """Draw the title, with the keys if there is room, and the lines in sight."""
        self._window.erase()
        room = width - table.cells(title.text) - 2
        more = f"{below} below, " if below else ""
        hint = next((text for text in (more + _QUITS, _QUITS) if len(text) <= room), "")
        self._put(0, f"{title.text}{hint:>{max(0, room)}}", self._styles[title.kind])
        for row, line in enumerate(lines, 1):
            self._put(row, line.text, self._styles[line.kind])
        self._window.refresh()

    def _put(self, row: int, text: str, style: int) -> None:
        with contextlib.suppress(curses.error):  # the last cell of the last line
            self._window.addstr(row, 0, text, style)
        for bar in re.finditer("█+", text):
            at, length = table.cells(text[: bar.start()]), len(bar.group())
            with contextlib.suppress(curses.error):
                self._window.chgat(row, at, length, style | self._bar)


def _choose_encoding() -> None:
    """Have curses write UTF-8, also where the locale says nothing."""
    for name in _ENCODINGS:
        with contextlib.suppress(locale.Error):
            locale.setlocale(locale.LC_ALL, name)
            if locale.nl_langinfo(locale.CODESET).upper() == "UTF-8":
                return


def _leave(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
