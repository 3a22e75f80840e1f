"""`attend join`: puts this session into a channel; the first to join one makes it."""

import argparse
import time

from attendd.cli import arguments, mailbox, output, table, words
from attendd.cli.state import State, writable
from attendd.errors import UsageError
from attendd.hot import attach, ids
from attendd.hot.address import channel_name

RESERVED = {"open": "everybody is in #open", "broadcast": "that is what --broadcast is for"}
"""Names that no channel can have, and why."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "name", metavar="NAME", help="letters, digits, dots, dashes and underscores"
    )
    mailbox.add_as(parser)
    arguments.add_json(parser)
    parser.epilog = "A message to the channel reaches all who are in it when it is sent."


def run(args: argparse.Namespace) -> int:
    """Join a channel.

    Raises:
        AddressError: it can't be a channel's name.
        UsageError: that name is taken by attend itself.
        StoreError: it could not be written down.
    """
    name = channel_name(args.name)
    if name in RESERVED:
        raise UsageError(
            f"#{name} can't be joined: {RESERVED[name]}",
            hint="`attend channels` lists those that can",
        )
    state = State()
    whose = mailbox.of(state, args)
    now = time.time()
    store = writable()
    if whose.box != ids.USER and state.store.sessions.get(whose.box) is None:
        # Only who is enrolled can be found by those who write to the channel.
        store.call(lambda db: attach.enrol(db, whose.caller, now))
    joined = store.channels.join(name, whose.box, now)
    if args.json:
        return output.document(
            {
                "name": name,
                "joined": True,
                "new": joined.new,
                "made": joined.made,
                "others": joined.others,
                "earlier": joined.earlier,
            }
        )
    done = "joined" if joined.new else "is in"
    made = ", which is new" if joined.made else ""
    others = words.many(joined.others, "other") if joined.others else "nobody else"
    print(table.one_line(f"{done} #{name}{made}, with {others}"))
    if joined.new and joined.earlier:
        print(f"{words.many(joined.earlier, 'message')} from before are not shown here")
    return 0
