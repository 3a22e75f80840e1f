"""Command lines: help of one width everywhere, complaints as sentences with a hint."""

import argparse
from typing import NoReturn

from attendd.cli import COMMANDS, OPTIONS
from attendd.errors import UsageError
from attendd.hot import near

_WIDTH = 88
_FEW = 6
"""Words that are named where one of them is needed."""
_LACKING = "the following arguments are required: "
"""How argparse begins."""


class Parser(argparse.ArgumentParser):
    """The parser of one command: no abbreviations, and an error is a `UsageError`."""

    def __init__(self, name: str, summary: str) -> None:
        super().__init__(
            prog=f"attend {name}",
            description=f"{summary[0].upper()}{summary[1:]}.",
            formatter_class=_Formatter,
            allow_abbrev=False,
        )
        self._name = name

    def error(self, message: str) -> NoReturn:
        """Refuse the command line.

        Raises:
            UsageError: always.
        """
        if message.startswith(_LACKING):
            message = self._lacking(message.removeprefix(_LACKING).split(", "))
        raise UsageError(f"{self._name}: {message}", hint=self._hint(message))

    def _lacking(self, names: list[str]) -> str:
        """Say what the command needs of what it was not given."""
        needed = []
        for action in self._actions:
            if not action.required or not {action.metavar, action.dest} & set(names):
                continue
            choices = [str(choice) for choice in action.choices or ()]
            if 1 < len(choices) <= _FEW:
                needed.append(f"{', '.join(choices[:-1])} or {choices[-1]}")
            else:
                needed.append(str(action.metavar or action.dest))
        return f"it needs {' and '.join(needed or names)}"

    def _hint(self, message: str) -> str:
        unknown = message.removeprefix("unrecognized arguments: ").split()
        if message.startswith("unrecognized") and unknown:
            near = _nearest(unknown[0].partition("=")[0], OPTIONS[self._name])
            if near:
                return f"did you mean {near}?"
        return f"`attend {self._name} --help` says what it takes"


def add_json(parser: argparse.ArgumentParser) -> None:
    """Give a command ``--json``."""
    parser.add_argument("--json", action="store_true", help="one JSON document, for programs")


def add_session(parser: argparse.ArgumentParser) -> None:
    """Give a command ``--session``."""
    parser.add_argument(
        "--session",
        metavar="ID",
        default="",
        help="another session than one's own: its id, or enough of the beginning of it",
    )


def duration_s(text: str) -> float:
    """Read a duration such as ``90``, ``90s``, ``15m``, ``2h`` or ``7d``.

    Raises:
        argparse.ArgumentTypeError: it is not one, or not positive.
    """
    units = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
    digits, unit = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, 1.0)
    try:
        seconds = float(digits) * unit
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < 1e10:  # noqa: PLR2004 - some 300 years; excludes nan and inf
        raise argparse.ArgumentTypeError(f"{text!r} is no duration; write 90s, 15m, 2h or 7d")
    return seconds


def count(text: str) -> int:
    """Read a whole number from 1 on.

    Raises:
        argparse.ArgumentTypeError: it is not one.
    """
    if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) == int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


def unknown_command(name: str) -> UsageError:
    """Make the complaint about a word that is no command."""
    meant = _nearest(name, tuple(COMMANDS))
    hint = f"did you mean `attend {meant}`?" if meant else "`attend --help` lists the commands"
    return UsageError(f"there is no command {name!r}", hint=hint)


def _nearest(word: str, known: tuple[str, ...]) -> str:
    return next(iter(near.suggest(word, known, 1)), "")


class _Formatter(argparse.HelpFormatter):
    """Help that does not depend on the terminal, so that the documents made from it don't."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26, width=_WIDTH)
