"""`attend top`: every session with its gauge, sensors and ways in, live on a terminal."""

import argparse
import sys
from types import ModuleType

from attendd.cli import table
from attendd.cli.top_look import Looker
from attendd.cli.top_page import page


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--once", action="store_true", help="print it once and end")
    parser.epilog = (
        "Follows what happens until q or Ctrl-C; arrows, Page Up and Page Down, Home and End "
        "scroll. Printed once where the output is no terminal that a cursor can be moved on, as"
        " with TERM unset or dumb."
    )


def run(args: argparse.Namespace) -> int:
    """Show it: live on a terminal that a cursor can be moved on, else once."""
    looker = Looker()
    screen = None if args.once or table.width_of() is None else _screen()
    if screen is not None:
        return int(screen.run(looker))
    lines = page(looker.look(), table.width_of())
    print("".join(f"{line.text}\n" for line in lines), end="")
    return 0


def _screen() -> ModuleType | None:
    """Load the live view, unless this Python or this terminal can't have one."""
    try:
        from attendd.cli import top_screen
    except ImportError:
        print("attend: this Python has no curses, so it is printed once", file=sys.stderr)
        return None
    if not sys.stdin.isatty() or not top_screen.usable():
        return None
    return top_screen
