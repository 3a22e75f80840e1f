"""`attend inbox`: what came for a session, whole; changes nothing but what was fetched."""

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from attendd.cli import arguments, letters, mailbox, output, table
from attendd.cli.mailbox import Mailbox
from attendd.cli.state import State
from attendd.errors import StoreError, UsageError
from attendd.hot import ids
from attendd.store import Received, Store
from attendd.store.mail import Before
from attendd.store.mail_rows import UNREAD

LIMIT = 25
PAGE_CHARACTERS = 20_000
"""A page of whole texts ends here: what runs the command cuts longer outputs, and a text that
was cut out must not be taken for one that was read."""
_UNIX_DIGITS = 9
"""A number of so many digits and more is a time, in Unix seconds."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "id", nargs="?", default="", metavar="ID", help="one message, whole, by its id"
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
        f" whole, {PAGE_CHARACTERS:,} characters a page at most."
    )


def run(args: argparse.Namespace) -> int:
    """Show the inbox, or one message of it.

    Raises:
        AttendError: there is no such message, or no such session.
    """
    state = State()
    whose = mailbox.of(state, args)
    if args.id:
        return _one(state, whose, args)
    before = _before(state, whose, args.before)
    found = state.store.mail.page(whose.boxes, args.limit + 1, before, every=args.all)
    as_table = table.width_of() is not None and not args.json
    page = found[: args.limit] if as_table else whole_page(found, args.limit)
    older = page[-1].message.id if len(found) > len(page) else ""
    page.reverse()
    _notices(state)
    if args.json:
        output.document(document(whose, page, older))
    else:
        _print_page(page, as_table=as_table)
        _print_rest(state, whose, page, older)
    if whose.own and not as_table:
        mark(state, page)
    return 0


def whole_page(found: Sequence[Received], limit: int) -> list[Received]:
    """Take as many messages as a page holds, at least one; the newest come first."""
    page: list[Received] = []
    room = PAGE_CHARACTERS
    for came in found[:limit]:
        room -= len(came.message.body)
        if page and room < 0:
            break
        page.append(came)
    return page


def document(whose: Mailbox, page: Sequence[Received], older: str) -> dict[str, Any]:
    """Collect a page under the keys that `--json` prints."""
    return {
        "mailbox": whose.box,
        "messages": [letters.plain(came) for came in page],
        "before": older or None,
    }


def mark(state: State, shown: Sequence[Received]) -> None:
    """Write down that texts were fetched, now that they were printed.

    Where nothing can be written it is said, and they will be shown again.
    """
    fresh = [
        came.fate.id
        for came in shown
        if came.fate.fetched_at is None and came.fate.state != "retracted"
    ]
    sys.stdout.flush()
    if not fresh:
        return
    try:
        Store(state.store_path).mail.advance(fresh, "fetched", time.time())
    except StoreError as error:
        output.problem(f"attend: not marked as fetched: {error.args[0]}", sys.stderr)


def _one(state: State, whose: Mailbox, args: argparse.Namespace) -> int:
    came = mailbox.received(state, whose, args.id)
    _notices(state)
    if args.json:
        output.document(letters.plain(came))
    else:
        print("\n".join(letters.block(came, table.width_of())))
    if whose.own:
        mark(state, [came])
    return 0


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


def _print_page(page: Sequence[Received], *, as_table: bool) -> None:
    if as_table:
        rows = [letters.row(came) for came in page]
        for line in table.table(letters.HEADS, rows, table.width_of()):
            print(line)
    else:
        for came in page:
            print("\n".join(letters.block(came)), end="\n\n")


def _print_rest(state: State, whose: Mailbox, page: Sequence[Received], older: str) -> None:
    """Say what is not on the page, and how to get at it."""
    on_page = sum(came.fate.state in UNREAD for came in page)
    unread = [u for u in state.store.mail.unread() if u.session in whose.boxes]
    left = sum(u.directed + u.grouped for u in unread) - on_page
    if older:
        waits = f", {left} of them not shown yet" if left > 0 else ""
        print(f"older ones{waits}: attend inbox --before {older}")
    elif not page:
        others = "; --all lists what is marked as read, too" if whose.own else ""
        print(f"nothing is in {whose.called}{others}")
