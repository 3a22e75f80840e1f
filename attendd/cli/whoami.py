"""`attend whoami`: which session this is, and how that is known."""

import argparse
from typing import Any

from attendd.cli import arguments, mailbox, output, words
from attendd.cli.state import State, running
from attendd.hot import identity, moment
from attendd.store import Attachment

UNRESOLVED = 4
HOW = {
    "CLAUDE_PID": "the client that started this process, named in $CLAUDE_PID",
    "ancestor": "the client among the processes that started this one",
    "ATTEND_AS": "a name of its own choosing, in $ATTEND_AS",
    "--as": "a name of its own choosing",
    "terminal": "the terminal it is typed at; no client is known here",
}
"""What the ways mean in which a session can be known."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    arguments.add_json(parser)
    mailbox.add_as(parser)


def run(args: argparse.Namespace) -> int:
    """Say who is asking; exit with 4 if that is not known."""
    caller = identity.resolve(args.as_name)
    known = described(caller)
    if args.json:
        output.document(known)
    else:
        output.facts(list(_said(caller, known)))
    return 0 if caller.session else UNRESOLVED


def described(caller: identity.Caller) -> dict[str, Any]:
    """Collect what is known of a caller."""
    state = State()
    session = state.store.sessions.get(caller.session) if caller.session else None
    readers = state.store.sessions.attachments(caller.session) if caller.session else []
    return {
        "session": caller.session or None,
        "how": caller.how,
        "harness": caller.harness,
        "declared": caller.declared,
        "called": state.store.mail.name(session.id, moment.now()) if session else None,
        "name": session.name if session else caller.session.partition("as:")[2],
        "project": identity.project_of(caller.workdir) if caller.workdir else "",
        "workdir": caller.workdir,
        "transcript": caller.transcript,
        "client_pid": caller.client_pid,
        "contract": caller.contract,
        "listener": listener(readers),
    }


def listener(readers: list[Attachment]) -> dict[str, Any] | None:
    """Describe who reads for a session, or who did last; ``None`` if nobody ever has.

    Args:
        readers: all that are known, those that still read first, then the latest first.
    """
    if not readers:
        return None
    reader = next((r for r in readers if r.ended_at is None and running(r) is not False), None)
    last = reader or readers[0]
    return {
        "listening": reader is not None,
        "conduit": last.conduit,
        "pid": last.reader_pid,
        "version": last.version,
        "since_at": last.attached_at,
        "ended_at": last.ended_at,
        "end_reason": last.end_reason,
        "blocked_at": last.blocked_at,
    }


def listener_said(known: dict[str, Any] | None) -> str:
    """Say who reads for a session."""
    if known is None:
        return "none; nothing is told to this session"
    if known["listening"]:
        said = (
            f"{known['conduit']}, pid {known['pid']}, since {words.moment(known['since_at'])}"
        )
        blocked = known["blocked_at"]
        return (
            said if blocked is None else f"{said}; has taken nothing {words.lasting(blocked)}"
        )
    if known["ended_at"] is None:
        return f"none; pid {known['pid']} is gone without a word"
    reason = known["end_reason"] or "no reason known"
    return f"none since {words.moment(known['ended_at'])} ({reason})"


def _said(caller: identity.Caller, known: dict[str, Any]) -> list[tuple[str, str]]:
    if not caller.session:
        said = caller.contract or "a client's process, but its record of the session is missing"
        hint = "outside a client, ATTEND_AS=NAME gives this process a name to go by"
        return [("session", "not known"), ("because", said), ("hint", hint)]
    mark = " (declared, not verified)" if caller.declared else ""
    pairs = [
        ("session", caller.session + mark),
        ("known by", HOW.get(caller.how, caller.how)),
        ("harness", caller.harness),
        ("called", output.safe(known["called"] or "")),
        ("name", known["name"]),
        ("client", f"pid {caller.client_pid}" if caller.client_pid else ""),
        ("project", words.project(known["project"])),
        ("directory", words.place(caller.workdir)),
        ("transcript", words.place(caller.transcript)),
        ("listener", listener_said(known["listener"])),
    ]
    return [(name, text) for name, text in pairs if text]
