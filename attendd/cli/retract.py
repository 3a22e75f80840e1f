"""`attend retract`: takes a message back from everybody who has not been shown it."""

import argparse
import time
from collections.abc import Sequence

from attendd.cli import arguments, fates, mailbox, output, sent, table, words
from attendd.cli.state import State, writable
from attendd.errors import AttendError
from attendd.store import Fate

_SINCE = ("offered_at", "queued_at", "fetched_at", "seen_at", "read_at", "answered_at")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("id", metavar="ID", help="a message that was sent from here")
    mailbox.add_as(parser)
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Take a message back, and say who had been shown it already.

    Raises:
        AttendError: there is no such message of this session, or it is too late everywhere.
        StoreError: it could not be written down.
    """
    state = State()
    message = sent.own(state, mailbox.of(state, args), args.id).message
    writable(state.store_path).mail.retract(message.id, time.time())
    found = state.store.mail.fates(message.id)
    late = [fate for fate in found if fate.state != "retracted"]
    if len(late) == len(found):
        hint = "; ".join(_late(state, fate) for fate in late) or "it went to nobody"
        raise AttendError(f"#{message.id} can't be taken back any more", hint=hint)
    if args.json:
        return output.document({"id": message.id, "recipients": _plain(state, found)})
    print(f"took back #{message.id} from {words.many(len(found) - len(late), 'session')}")
    for fate in late:
        print(table.one_line(f"too late: {_late(state, fate)}"))
    return 0


def _plain(state: State, found: Sequence[Fate]) -> list[dict[str, str]]:
    return [
        {
            "name": mailbox.name_of(state, fate.session),
            "session": fate.session,
            "state": fate.state,
        }
        for fate in found
    ]


def _late(state: State, fate: Fate) -> str:
    """Say where a message had been shown already, or may have been."""
    name = mailbox.name_of(state, fate.session)
    if fate.state == "claimed":
        fails = "; it is taken back if nothing of it could be written"
        return f"{name} is being shown it at this moment{'' if fate.repeats else fails}"
    at = next((getattr(fate, each) for each in _SINCE if getattr(fate, each)), None)
    if at is None and fate.repeats:
        return f"{name} may have been shown it ({fates.said(fate)})"
    when = "" if at is None else f" since {words.moment(at)}"
    return f"{name} has it{when} ({fates.said(fate)})"
