"""`attend channels`: the groups there are, who is in them and how much is said."""

import argparse
from typing import Any

from attendd.cli import arguments, mailbox, words
from attendd.cli import output as out
from attendd.cli.state import State
from attendd.hot import identity, ids
from attendd.store import Channel

HEADS = ("channel", "members", "you", "messages", "last", "about")
_NAMED = 4


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    mailbox.add_as(parser)
    arguments.add_json(parser)
    parser.epilog = "`attend join NAME` makes one; a message to #open reaches every session."


def run(args: argparse.Namespace) -> int:
    """List the channels."""
    state = State()
    caller = identity.resolve(args.as_name)
    box = ids.box_of(caller.session)
    found = state.store.channels.all()
    if args.json:
        return out.document({"channels": [_plain(each, box) for each in found]})
    rows = [_row(state, each, box) for each in found]
    if rows:
        out.rows("", HEADS, rows)
    else:
        print("there is no channel but #open; `attend join NAME` makes one")
    return 0


def _plain(channel: Channel, box: str) -> dict[str, Any]:
    return {
        "name": channel.name,
        "about": channel.about,
        "members": channel.members,
        "joined": box in channel.members,
        "messages": channel.messages,
        "said_at": channel.said_at,
    }


def _row(state: State, channel: Channel, box: str) -> list[str]:
    named = [mailbox.name_of(state, each) for each in channel.members[:_NAMED]]
    more = len(channel.members) - len(named)
    return [
        f"#{channel.name}",
        ", ".join(named) + (f" and {more} more" if more > 0 else ""),
        "joined" if box in channel.members else "",
        str(channel.messages),
        words.ago(channel.said_at),
        channel.about,
    ]
