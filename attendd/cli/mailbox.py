"""Whose mail a command is about: a session's own, and at a terminal anybody's of the user."""

import argparse
from typing import NamedTuple

from attendd.cli import arguments
from attendd.cli.state import State
from attendd.errors import AttendError, UnresolvedSessionError, UsageError
from attendd.hot import identity, ids, moment, near
from attendd.store import Received

_NEAR = 200
"""So many of the latest messages are looked at for the one that may have been meant."""


class Mailbox(NamedTuple):
    """The mail that a command is about.

    Attributes:
        caller: who asks.
        boxes: the mailboxes to look into: one's own, and those of the ids before it.
        box: the one to write as.
        own: whether it is the caller's, so that what is shown has reached whom it was for.
    """

    caller: identity.Caller
    boxes: tuple[str, ...]
    box: str
    own: bool

    @property
    def person(self) -> bool:
        """Whether a person asks, from whom nothing of their own sessions is kept."""
        return self.caller.how == "terminal"

    @property
    def agent(self) -> bool:
        """Whether a session reads its own mail under a client, which cuts long outputs."""
        return self.own and self.caller.client_pid is not None

    @property
    def called(self) -> str:
        """What to call it."""
        if not self.own:
            return f"the inbox of {self.box}"
        return "your inbox" if self.person else "this session's inbox"


def add_as(parser: argparse.ArgumentParser) -> None:
    """Give a command ``--as``."""
    parser.add_argument(
        "--as",
        metavar="NAME",
        dest="as_name",
        action=arguments.Name,
        default="",
        help="the name this process goes by, outside a known client",
    )


def add_session(parser: argparse.ArgumentParser) -> None:
    """Give a command ``--session``, for the person at a terminal."""
    parser.add_argument(
        "--session",
        metavar="WHO",
        default="",
        help="at a terminal: a session's, by its id or name, instead of one's own",
    )


def of(state: State, args: argparse.Namespace) -> Mailbox:
    """Find the mailbox that a command is about.

    Args:
        state: what is known.
        args: with ``as_name``, and perhaps ``session``.

    Raises:
        UnresolvedSessionError: it is not known who asks, or there is no such session.
        UsageError: it is another session's, and no person asks.
        IdentityError: the name can't be gone by.
    """
    caller = identity.resolve(args.as_name)
    session = getattr(args, "session", "")
    if not caller.session:
        raise UnresolvedSessionError(
            caller.contract or "it is not known which session this is, so it has no inbox",
            hint="`attend whoami` says more; outside a client, --as NAME gives one",
        )
    if not session:
        boxes = state.store.mail.boxes(caller.session)
        return Mailbox(caller, boxes, ids.box_of(caller.session), own=True)
    if caller.how != "terminal":
        raise UsageError(
            "a session reads its own mail only",
            hint="leave out --session; a person at a terminal can look into any",
        )
    named = state.session(session).id
    return Mailbox(caller, state.store.mail.boxes(named), named, own=False)


def message_id(text: str) -> str:
    """Take an id as people copy it.

    Raises:
        UsageError: it can't be one.
    """
    found = ids.clean(text)
    if not found:
        raise UsageError(
            f"{text!r} is no message's id, which has {ids.LENGTH} letters and digits",
            hint="`attend inbox` lists what came, `attend sent` what went out",
        )
    return found


def received(state: State, mailbox: Mailbox, text: str) -> Received:
    """Find a message in a mailbox.

    Raises:
        UsageError: the text is no id.
        AttendError: it did not come there; the hint says where else it may be.
    """
    message = message_id(text)
    found = state.store.mail.received(mailbox.boxes, message)
    if found is None:
        raise AttendError(
            f"there is no message #{message} in {mailbox.called}",
            hint=_elsewhere(state, mailbox, message),
        )
    return found


def name_of(state: State, box: str) -> str:
    """Say what a mailbox's owner is called, and where it works."""
    return state.store.mail.name(box, moment.now())


def _elsewhere(state: State, mailbox: Mailbox, message: str) -> str:
    """Say where a message is that is not in a mailbox, or which one may have been meant."""
    known = state.store.mail.get(message)
    if known is not None and known.message.author in mailbox.boxes:
        return f"it was sent from here: `attend sent {message}` shows how it fared"
    if known is not None and known.fates and mailbox.person:
        first = known.fates[0].session
        return f"it went to {name_of(state, first)}: attend inbox {message} --session {first}"
    latest = state.store.mail.page(mailbox.boxes, _NEAR, every=True)
    meant = near.suggest(message, [each.message.id for each in latest])
    if meant:
        return f"did you mean {' or '.join(f'#{each}' for each in meant)}?"
    return "`attend inbox` lists what came; messages are kept for 30 days"
