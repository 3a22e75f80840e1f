"""Command lines: help of one width everywhere, complaints as sentences with a hint."""

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from attendd.cli import COMMANDS, OPTIONS
from attendd.errors import UsageError
from attendd.hot import near

_WIDTH = 88
_FEW = 6
"""Words that are named where one of them is needed."""
_MEANT = 2
"""Actions that are named where one may have been meant."""
_LACKING = "the following arguments are required: "
_STRANGE = "unrecognized arguments: "
_APART = "not allowed with argument "
"""How argparse begins."""
_LONGEST_S = 1e10
"""Some 300 years."""
_MOST_DIGITS = 9
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


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
        """Refuse the command line, in words of ours where argparse has its own.

        Raises:
            UsageError: always.
        """
        slip = sys.exception()
        sentence, hint = message, ""
        if isinstance(slip, argparse.ArgumentError) and slip.argument_name:
            sentence = _of_argument(slip, self._metavar(slip.argument_name))
            hint = getattr(slip.__context__, "hint", "")
        elif message.startswith(_LACKING):
            sentence = self._lacking(message.removeprefix(_LACKING).split(", "))
        elif message.startswith(_STRANGE):
            sentence, hint = self._strange(message.removeprefix(_STRANGE))
        raise UsageError(f"{self._name}: {sentence}", hint=hint or self._help)

    @property
    def _help(self) -> str:
        return f"`attend {self._name} --help` says what it takes"

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Insist on one of the choices of an argument.

        Raises:
            UsageError: it is none of them.
        """
        if action.choices is None or value in action.choices:
            return
        known = tuple(map(str, action.choices))
        if action.option_strings:
            before, what = action.option_strings[0], action.dest
        else:
            before, what = f"attend {self._name}", "action"
        meant = [f"`{before} {each}`" for each in near.suggest(str(value), known, _MEANT)]
        hint = f"did you mean {' or '.join(meant)}?" if meant else self._help
        if not meant and len(known) <= _FEW:
            hint = f"`{before}` takes {_one_of(known)}"
        raise UsageError(f"{self._name}: there is no {what} {value!r}", hint=hint)

    def _metavar(self, name: str) -> str:
        """Say what an option takes."""
        found = (a for a in self._actions if name == "/".join(a.option_strings))
        return next((str(a.metavar or a.dest) for a in found), "a value")

    def _lacking(self, names: list[str]) -> str:
        """Say what the command needs of what it was not given."""
        needed = []
        for action in self._actions:
            if not action.required or not {action.metavar, action.dest} & set(names):
                continue
            choices = [str(choice) for choice in action.choices or ()]
            few = 1 < len(choices) <= _FEW
            needed.append(_one_of(choices) if few else str(action.metavar or action.dest))
        return f"it needs {' and '.join(needed or names)}"

    def _strange(self, words: str) -> tuple[str, str]:
        """Say which word the command doesn't take, with a hint if an option is near to it."""
        unknown = words.split(" ")
        option = next((each for each in unknown if each.startswith("-")), "")
        if not option:
            return f"{unknown[0]!r} is one word too many", ""
        option = option.partition("=")[0]
        meant = _nearest(option, OPTIONS[self._name])
        return f"unknown option {option}", f"did you mean {meant}?" if meant else ""


class Name(argparse.Action):
    """Takes a name of one's own; whether it can be one is said where it is used."""

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        _option: str | None = None,
    ) -> None:
        """Keep the name.

        Raises:
            argparse.ArgumentError: there is nothing of it.
        """
        if not values:
            raise argparse.ArgumentError(self, "a name is needed, not ''")
        setattr(namespace, self.dest, values)


class _SlipError(argparse.ArgumentTypeError):
    """A value that can't be read, with what to write instead."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


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
    """Read a duration such as ``90s``, ``15m``, ``2h`` or ``7d``.

    A number alone is refused: who writes 3 may mean minutes.

    Raises:
        argparse.ArgumentTypeError: it is not one, or not positive.
    """
    number, unit = (text[:-1], text[-1]) if text[-1:] in _UNITS else (text, "")
    try:
        seconds = float(number) * _UNITS.get(unit, 1.0)
    except ValueError:
        seconds = -1.0
    if seconds >= _LONGEST_S:
        raise _SlipError(f"{text!r} is too long", "write 90s, 15m, 2h or 7d")
    if not seconds > 0:  # excludes nan
        raise _SlipError(f"{text!r} is no duration", "write 90s, 15m, 2h or 7d")
    if not unit:
        units = f"{text}s for seconds, {text}m for minutes or {text}h for hours"
        raise _SlipError(f"{text!r} has no unit", f"write {units}")
    return seconds


def count(text: str) -> int:
    """Read a whole number from 1 on.

    Raises:
        argparse.ArgumentTypeError: it is not one.
    """
    digits = text.lstrip("0") if text.isascii() and text.isdigit() else ""
    if len(digits) > _MOST_DIGITS:
        raise argparse.ArgumentTypeError(f"{text!r} is too large")
    if not digits:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


def unknown_command(name: str) -> UsageError:
    """Make the complaint about a word that is no command."""
    meant = _nearest(name, tuple(COMMANDS))
    hint = f"did you mean `attend {meant}`?" if meant else "`attend --help` lists the commands"
    return UsageError(f"there is no command {name!r}", hint=hint)


def _of_argument(slip: argparse.ArgumentError, takes: str) -> str:
    """Say what is wrong with an option, or with what was given for it."""
    name, problem = slip.argument_name, slip.message
    if problem.startswith("expected "):
        return f"{name} needs {takes}"
    if problem.startswith(_APART):
        return f"{name} and {problem.removeprefix(_APART)} don't go together"
    if problem.startswith("ignored explicit argument"):
        return f"{name} takes no value"
    return f"{name}: {problem}"


def _one_of(words: Sequence[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def _nearest(word: str, known: tuple[str, ...]) -> str:
    return next(iter(near.suggest(word, known, 1)), "")


class _Formatter(argparse.HelpFormatter):
    """Help that does not depend on the terminal, so that the documents made from it don't."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26, width=_WIDTH)
