"""`attend sent`: how messages of this session fared, each with everybody it went to."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attendd.cli import arguments, fates, letters, mailbox, output, table, words
from attendd.cli.log import changes
from attendd.cli.mailbox import Mailbox
from attendd.cli.state import State
from attendd.errors import AttendError
from attendd.store import Fate, Sent

LIMIT = 10
HEADS = ("id", "when", "to", "state", "text")
_FROM = 2
"""The column before which it is said who sent a message, if that is said."""
_NAMED = 2
_NO_BOX = ""
"""The mailbox of whoever has none: a script, which has neither a session nor a terminal."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "id", nargs="?", default="", metavar="ID", help="one message, with every step of it"
    )
    parser.add_argument(
        "--watch",
        action="store_true",
        help="go on until nothing more is to be expected, or Ctrl-C",
    )
    parser.add_argument(
        "--limit",
        metavar="N",
        type=arguments.count,
        default=LIMIT,
        help=f"how many of the latest ({LIMIT})",
    )
    mailbox.add_session(parser)
    mailbox.add_as(parser)
    parser.add_argument(
        "--json", action="store_true", help="one JSON document; with --watch one a line"
    )
    parser.epilog = (
        "Outside of a session, in a terminal as in a script, it is about what you said at any"
        " terminal and what your scripts said."
    )


def run(args: argparse.Namespace) -> int:
    """Say how messages fared.

    Raises:
        AttendError: there is no such message of this session.
    """
    state = State()
    whose = mailbox.of(state, args)
    found = [own(state, whose, args.id)] if args.id else _latest(state, whose, args.limit)
    if args.watch and (found or args.json):
        return _watch(state, found, as_json=args.json)
    if args.json:
        return output.document({"messages": [plain(state, sent) for sent in found]})
    if args.id:
        print_story(state, found[0])
    elif found:
        output.rows("", *_table(state, found))
        print("\n`attend sent ID` tells every step of one")
    else:
        print(_nothing(state, whose))
    return 0


def _latest(state: State, whose: Mailbox, limit: int) -> list[Sent]:
    """Return the latest that was said from some mailboxes, and by a person's scripts."""
    scripts = (_NO_BOX,) if whose.own and whose.person else ()
    return state.store.mail.said((*whose.boxes, *scripts), limit)[::-1]


def _nothing(state: State, whose: Mailbox) -> str:
    """Say by whom nothing was sent, and since when."""
    if not whose.own:
        name = table.one_line(mailbox.name_of(state, whose.box))
        return f"{name} has sent nothing in the last 30 days"
    if not whose.person:
        return "nothing was sent from here in the last 30 days"
    return (
        "nothing was sent at a terminal or by a script in the last 30 days;"
        " what a session sent: attend sent --session WHO"
    )


def own(state: State, whose: Mailbox, text: str) -> Sent:
    """Find a message that was said from some mailboxes; a person may ask about any.

    Raises:
        UsageError: the text is no id.
        AttendError: there is no such message, or it is another session's.
    """
    message = mailbox.message_id(text)
    found = state.store.mail.get(message)
    if found is not None and (whose.person or found.message.author in whose.boxes):
        return found
    came = state.store.mail.received(whose.boxes, message)
    hint = f"it came here: `attend inbox {message}` shows it" if came else ""
    raise AttendError(
        f"no message #{message} was sent from here",
        hint=hint or "`attend sent` lists the latest; they are kept for 30 days",
    )


def plain(state: State, sent: Sent) -> dict[str, Any]:
    """Return a message and how it fares, under the keys that `--json` prints."""
    deliveries = [
        {"name": mailbox.name_of(state, fate.session)}
        | fates.plain(fate)
        | {"at_rest": _rests(state, fate)}
        for fate in sent.fates
    ]
    return letters.said_plainly(sent.message) | {"deliveries": deliveries}


def print_story(state: State, sent: Sent, *, text: bool = True) -> None:
    """Print what was said, with its text or without, and every step of it to each recipient."""
    message = sent.message
    whom = [words.many(len(sent.fates), "recipient")]
    whom += [f"written as {table.one_line(message.target)}"] if message.target else []
    output.facts(
        [
            ("message", f"#{message.id} from {letters.author(message)}"),
            ("said", f"{words.moment(message.created_at)} ({words.ago(message.created_at)})"),
            ("to", ", ".join(whom)),
            *([("answers", f"#{message.re}")] if message.re else []),
        ]
    )
    if text:
        print("\n".join(letters.text_lines(message, table.width_of())))
    for fate in sent.fates:
        who = f"{mailbox.name_of(state, fate.session)}: {fates.said(fate)}"
        print(f"\n{table.one_line(who)}")
        steps = fates.steps(fate, message)
        output.facts([fates.step_said(at, what) for at, what in steps], indent="  ")


def _watch(state: State, found: Sequence[Sent], *, as_json: bool) -> int:
    """Print each change, until all are at rest."""
    for sent, fate in followed(state, found):
        name = mailbox.name_of(state, fate.session)
        if as_json:
            output.record({"id": sent.message.id, "name": name} | fates.plain(fate))
            continue
        at, what = fates.steps(fate, sent.message)[-1]
        when = fates.step_said(at, what)[0] or "        "
        print(f"{when}  #{sent.message.id} to {table.one_line(name)}: ", end="")
        print(table.one_line(fates.said(fate)), flush=True)
    return 0


def followed(state: State, found: Sequence[Sent]) -> Iterator[tuple[Sent, Fate]]:
    """Return how messages fare with each recipient, then every change, until all are at rest.

    Waits for the system to say that the store's folder changed.
    """
    last: dict[int, Fate] = {}
    for _ in changes(Path(state.folder)):
        output.insist_on_reader()
        rest = True
        for sent in found:
            for fate in state.store.mail.fates(sent.message.id):
                if last.get(fate.id) != fate:
                    last[fate.id] = fate
                    yield sent, fate
                rest = rest and _rests(state, fate)
        if rest:
            return


def _rests(state: State, fate: Fate) -> bool:
    session = state.store.sessions.get(fate.session)
    return fates.at_rest(fate, provable=bool(session and session.harness != "none"))


def _table(state: State, found: Sequence[Sent]) -> tuple[list[str], list[list[str]]]:
    """Make the heads and rows of a table, which says who sent what if a script sent some."""
    heads, rows = list(HEADS), [_row(state, sent) for sent in found]
    if not all(sent.message.author for sent in found):
        heads.insert(_FROM, "from")
        for sent, row in zip(found, rows, strict=True):
            row.insert(_FROM, letters.author(sent.message))
    return heads, rows


def _row(state: State, sent: Sent) -> list[str]:
    names = [mailbox.name_of(state, fate.session) for fate in sent.fates[:_NAMED]]
    if len(sent.fates) > _NAMED:
        names = [words.many(len(sent.fates), "session")]
    return [
        f"#{sent.message.id}",
        words.moment(sent.message.created_at),
        ", ".join(names),
        _spread(state, sent.fates),
        letters.beginning(sent.message),
    ]


def _spread(state: State, found: list[Fate]) -> str:
    """Say how a message fares with all, and from whom it was taken back."""
    back = [fate for fate in found if fate.state == "retracted"]
    rest = [fate for fate in found if fate.state != "retracted"]
    if not back or not rest:
        return "taken back" if back else fates.spread(rest)
    if len(back) > 1:
        whom = words.many(len(back), "session")
    else:
        whom = mailbox.name_of(state, back[0].session)
    others = fates.spread(rest)
    if len(rest) == 1:
        others = f"{mailbox.name_of(state, rest[0].session)}: {others}"
    return f"taken back from {whom}; {others}"
