"""`attend leave`: takes this session out of a channel."""

import argparse

from attendd.cli import arguments, mailbox, output, table
from attendd.cli.state import State, writable
from attendd.errors import AttendError
from attendd.hot import near
from attendd.hot.address import channel_name


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("name", metavar="NAME", help="a channel that this session is in")
    mailbox.add_as(parser)
    arguments.add_json(parser)
    parser.epilog = "What came through it before stays in the inbox."


def run(args: argparse.Namespace) -> int:
    """Leave a channel.

    Raises:
        AddressError: it can't be a channel's name.
        AttendError: this session is not in it.
        StoreError: it could not be written down.
    """
    name = channel_name(args.name)
    state = State()
    whose = mailbox.of(state, args)
    joined = state.store.channels.of([whose.box])
    if name not in joined:
        meant = near.suggest(name, joined) or joined
        named = ", ".join(f"#{each}" for each in meant)
        hint = f"it is in {named}" if meant else "it is in no channel but #open"
        raise AttendError(f"this session is not in #{name}", hint=hint)
    writable(state.store_path).channels.leave(name, whose.box)
    if args.json:
        return output.document({"name": name, "joined": False})
    print(table.one_line(f"left #{name}"))
    return 0
