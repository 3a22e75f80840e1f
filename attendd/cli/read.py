"""`attend read`: marks messages as read, so that the inbox leaves them out."""

import argparse
import time

from attendd.cli import arguments, mailbox, output
from attendd.cli.state import State, writable


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("ids", nargs="+", metavar="ID", help="messages of this session's inbox")
    mailbox.add_as(parser)
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Mark messages as read: all that are named, or none.

    Raises:
        AttendError: one of them did not come here.
        StoreError: it could not be written down.
    """
    state = State()
    whose = mailbox.of(state, args)
    found = [mailbox.received(state, whose, text) for text in dict.fromkeys(args.ids)]
    writable(state.store_path).mail.advance(
        [came.fate.id for came in found], "read", time.time()
    )
    marked = [came.message.id for came in found]
    if args.json:
        return output.document({"read": marked})
    print("marked as read: " + " ".join(f"#{each}" for each in marked))
    return 0
