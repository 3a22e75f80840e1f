"""What all commands print with: for people through `table`, for programs as one document."""

import json
import select
import sys
from collections.abc import Sequence
from typing import TextIO

from attendd.cli import table
from attendd.hot import frame

_BRIEF = 120
"""UTF-16 units of a text in a list; `--json` has all of it."""


def document(content: object) -> int:
    """Print one JSON document; return the exit code of having done so."""
    print(_plain(json.dumps(content, indent=2, ensure_ascii=True)))
    return 0


def record(content: object) -> None:
    """Print one JSON document on a line of its own, at once, for whoever follows along."""
    print(_plain(json.dumps(content, ensure_ascii=True)), flush=True)


def insist_on_reader() -> None:
    """Make sure that whoever read our output is still there.

    Raises:
        BrokenPipeError: the other end of the pipe was closed.
    """
    poll = select.poll()
    poll.register(1, 0)
    if any(event & select.POLLERR for _, event in poll.poll(0)):
        raise BrokenPipeError


def brief(text: str) -> str:
    """Shorten a text that stands among others, for people."""
    return frame.cut(frame.inert(text), _BRIEF)


def safe(text: str) -> str:
    """Make a text of any origin fit to be printed."""
    return frame.inert(text)


def facts(pairs: Sequence[tuple[str, str]], indent: str = "") -> None:
    """Print names and what is to be said about each."""
    width = table.width_of()
    room = None if width is None else max(1, width - len(indent))
    _lines([indent + line for line in table.facts(pairs, room)])


def rows(
    title: str,
    heads: Sequence[str],
    body: Sequence[Sequence[str]],
    whole: Sequence[str] = (),
) -> None:
    """Print a table, below a blank line and its title if it has one; nothing without rows.

    Args:
        title: may be empty.
        heads: one for each column.
        body: the rows.
        whole: heads of columns in which nothing may be cut, besides `table.WHOLE`.
    """
    if body:
        above = ["", title] if title else []
        shown = table.table(heads, body, table.width_of(), table.WHOLE.union(whole))
        _lines([*above, *shown])


def complaints(problems: Sequence[str]) -> None:
    """Print what is wrong, if anything is, under a title of its own."""
    if problems:
        print("\nto be looked at")
    for each in problems:
        problem(each, sys.stdout)


def problem(text: str, stream: TextIO) -> None:
    """Print a complaint, the hint below it kept on its line."""
    for line in text.split("\n"):
        indent = "  " if line.startswith(" ") else ""
        print(f"{indent}{frame.inert(line.strip())}", file=stream)


def lines(title: str, text: str) -> None:
    """Print a text as it is, line by line, below a blank line and its title."""
    print(f"\n{frame.inert(title)}")
    for line in text.splitlines():
        print(f"  {frame.inert(line)}")


def _plain(document: str) -> str:
    """Write what could begin a tag in JSON's other way: a model may be shown the document."""
    return document.replace("<", "\\u003c")


def _lines(lines: Sequence[str]) -> None:
    print("".join(f"{line}\n" for line in lines), end="")
