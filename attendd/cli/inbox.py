"""`attend inbox`: what came for a session, whole; changes nothing but what was fetched."""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from attendd.cli import arguments, letters, mailbox, output, pages, table
from attendd.cli.mailbox import Mailbox
from attendd.cli.pages import Part
from attendd.cli.state import State, writable
from attendd.errors import StoreError, UsageError
from attendd.hot import ids
from attendd.store import Received
from attendd.store.mail import Before, Mail
from attendd.store.mail_rows import UNREAD

LIMIT = 25
_UNIX_DIGITS = 9
"""A number of so many digits and more is a time, in Unix seconds."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "id", nargs="?", default="", metavar="ID", help="one message, whole, by its id"
    )
    parser.add_argument(
        "--from",
        dest="first",
        metavar="N",
        type=arguments.count,
        help="with an ID: as much as a page holds, from the N-th line of the text on",
    )
    parser.add_argument(
        "--before",
        metavar="ID|TIME",
        default="",
        help="what came before a message, or before a time: 14:30, 2026-03-01, 2h (ago)",
    )
    parser.add_argument(
        "--limit",
        metavar="N",
        type=arguments.count,
        default=LIMIT,
        help=f"how many at most ({LIMIT})",
    )
    parser.add_argument(
        "--all", action="store_true", help="also what is marked as read or was taken back"
    )
    mailbox.add_session(parser)
    mailbox.add_as(parser)
    arguments.add_json(parser)
    parser.epilog = (
        "The newest page, its oldest message first. On a terminal a table; in a pipe every text"
        f" whole, {pages.CHARACTERS:,} characters a page at most. A longer text comes to an"
        " agent in parts, as its client would cut it; it is fetched once all of it was printed."
    )


def run(args: argparse.Namespace) -> int:
    """Show the inbox, or one message of it.

    Raises:
        AttendError: there is no such message, or no such session.
        UsageError: a part is asked for of no message, or one that there is not.
    """
    if args.first and not args.id:
        raise UsageError(
            "--from goes with the ID of a message", hint="attend inbox ID --from N"
        )
    state = State()
    whose = mailbox.of(state, args)
    if args.id:
        return _one(state, whose, args)
    before = _before(state, whose, args.before)
    found = state.store.mail.page(whose.boxes, args.limit + 1, before, every=args.all)
    if table.width_of() is not None and not args.json:
        return _table(state, whose, found, args)
    page = pages.page(found, args.limit, as_json=args.json)
    older = page[-1].message.id if len(found) > len(page) else ""
    page.reverse()
    _notices(state)
    if args.json:
        _print_json(state, whose, page, document(whose, page, older))
    else:
        part = _print_page(whose, page)
        _print_rest(state, whose, page, older, args.before)
        _mark_printed(state, whose, page, part)
    return 0


def document(whose: Mailbox, page: Sequence[Received], older: str) -> dict[str, Any]:
    """Collect a page under the keys that `--json` prints."""
    return {
        "mailbox": whose.box,
        "messages": [letters.plain(came) for came in page],
        "before": older or None,
    }


def mark(state: State, box: str, shown: Sequence[Received]) -> None:
    """Write down that texts were fetched, now that they were printed; a reply answers the last.

    Where nothing can be written it is said, and they will be shown again.
    """
    fresh = [
        came.fate.id
        for came in shown
        if came.fate.fetched_at is None and came.fate.state != "retracted"
    ]

    def work(mail: Mail) -> None:
        if fresh:
            mail.advance(fresh, "fetched", time.time())
        mail.read_last(box, shown[-1].message.id, time.time())

    if shown:
        _note(state, shown[-1], work)


def _note(state: State, last: Received, work: Callable[[Mail], None]) -> None:
    """Write down what was printed, once it surely is; where it can't be, say what follows."""
    sys.stdout.flush()
    try:
        work(writable(state.store_path).mail)
    except StoreError as error:
        output.problem(f"attend: not marked as fetched: {error.args[0]}", sys.stderr)
        named = f"`attend reply --re {last.message.id} -`"
        output.problem(f"  hint: {named} answers it; a plain reply may not", sys.stderr)


def _one(state: State, whose: Mailbox, args: argparse.Namespace) -> int:
    came = mailbox.received(state, whose, args.id)
    part = pages.part(came, args.first or 1) if args.first or whose.agent else None
    _notices(state)
    if args.json:
        _print_json(state, whose, [came], letters.plain(came))
        return 0
    if part is not None:
        _print_part(came, part)
    else:
        print("\n".join(letters.block(came, table.width_of())))
    _mark_printed(state, whose, [came], part)
    return 0


def _print_part(came: Received, part: Part) -> None:
    print("\n".join(part.lines))
    if note := part.note(came.message.id):
        print(note)


def _mark_printed(
    state: State, whose: Mailbox, page: Sequence[Received], part: Part | None
) -> None:
    """Write down what was printed of messages: all, or a part of the only one."""
    if not whose.own:
        return
    if part is None or part.whole:
        mark(state, whose.box, page)
    elif page[0].fate.state != "retracted":
        came, lines = page[0], (part.first, part.last, part.total)

        def work(mail: Mail) -> None:
            mail.printed(came.fate.id, *lines, time.time())
            mail.read_last(whose.box, came.message.id, time.time())

        _note(state, came, work)


def _print_json(
    state: State, whose: Mailbox, page: Sequence[Received], content: dict[str, Any]
) -> None:
    """Print a document, whole: a program reads it, or a client cuts it for an agent."""
    output.document(content)
    if whose.agent and pages.size_of_json(content) > pages.CLIENT_CUTS:
        sys.stdout.flush()
        note = "not marked as fetched: an agent's client cuts so long an output"
        output.problem(f"attend: {note}; attend inbox ID prints parts", sys.stderr)
    elif whose.own:
        mark(state, whose.box, page)


def _before(state: State, whose: Mailbox, text: str) -> Before | None:
    """Find where a page is to begin.

    Raises:
        UsageError: the text is neither an id nor a time.
        AttendError: that message did not come here.
    """
    if not text:
        return None
    if ids.clean(text):
        return Before(delivery=mailbox.received(state, whose, text).fate.id)
    at = time_of(text, time.time())
    if at is None:
        raise UsageError(
            f"{text!r} is neither a message's id nor a time",
            hint="a time is written 14:30, 2026-03-01, 2026-03-01T14:30 or 2h, which is ago",
        )
    return Before(at=at)


def time_of(text: str, now: float) -> float | None:
    """Read a time: of the day, a date, both, a span ago, or Unix seconds.

    Args:
        text: what was written.
        now: wall clock.

    Returns:
        Wall clock; ``None`` if it is none of them.
    """
    if text.isascii() and text.isdigit() and len(text) >= _UNIX_DIGITS:
        return float(text)
    if text[-1:] in "smhd":
        with suppress(argparse.ArgumentTypeError):
            return now - arguments.duration_s(text)
    today = datetime.fromtimestamp(now).astimezone().date()
    for written in (text, f"{today}T{text}"):
        with suppress(ValueError, OverflowError, OSError):
            return datetime.fromisoformat(written).timestamp()
    return None


def _notices(state: State) -> None:
    for notice in state.store.notices():
        output.problem(f"attend: {notice}", sys.stderr)


def _table(
    state: State, whose: Mailbox, found: Sequence[Received], args: argparse.Namespace
) -> int:
    """Print a page for a person, with the beginnings of texts; it marks nothing."""
    page = list(found[: args.limit])
    older = page[-1].message.id if len(found) > len(page) else ""
    page.reverse()
    _notices(state)
    rows = [letters.row(came) for came in page]
    output.rows("", letters.HEADS, rows)
    _print_rest(state, whose, page, older, args.before)
    return 0


def _print_page(whose: Mailbox, page: Sequence[Received]) -> Part | None:
    """Print texts; return the part, where one that is longer than a page is begun."""
    part = pages.part(page[0]) if whose.agent and len(page) == 1 else None
    for came in page:
        if part is None:
            print("\n".join(letters.block(came)))
        else:
            _print_part(came, part)
        print()
    return part


def _print_rest(
    state: State, whose: Mailbox, page: Sequence[Received], older: str, before: str
) -> None:
    """Say what is not on the page, and how to get at it."""
    on_page = sum(came.fate.state in UNREAD for came in page)
    unread = [u for u in state.store.mail.unread() if u.session in whose.boxes]
    left = sum(u.directed + u.grouped for u in unread) - on_page
    if older:
        waits = f", {left} of them not shown yet" if left > 0 else ""
        print(f"older ones{waits}: attend inbox --before {older}")
    elif not page:
        others = "; --all lists what is marked as read, too" if whose.own else ""
        what = f"nothing from before {before} is" if before else "nothing is"
        print(f"{what} in {whose.called}{others}")
