"""Sessions that only hooks reach: attached like others, but with nobody to ring.

The attachment of such a session is its client's process, which stands for the reader as well:
it lives as long as the hooks are called. A reader that comes takes the same attachment over,
and when it has gone, the next hook takes it back. What the host composes for hooks is addressed
to `ready` (worth prolonging a turn for) or `riding` (not), so that no reader claims it.
"""

import time

from attendd.hot import attach, bell, db, identity, ledger, places, process, record, roll

TYPE_CHECKING = False
if TYPE_CHECKING:
    from attendd.hot.hook import Event

CONDUIT = "hook"
_MOVED = ("clear", "resume", "fork", "compact")
"""Starts at which a client's record may still name the session before."""


def ready(attachment: str) -> str:
    """Name where the host lays what hooks of an attachment may show at any time."""
    return f"{attachment}/hook"


def riding(attachment: str) -> str:
    """Name where it lays what only goes along with something else, or with a prompt."""
    return f"{attachment}/ride"


def attachment_of(event: "Event") -> str:
    """Name the attachment of the client that called a hook; ``''`` where it can't be told."""
    caller = client(event)
    return attach.attachment_id(caller) if caller else ""


def client(event: "Event") -> identity.Caller | None:
    """Find the client that called a hook: the nearest ancestor that is known to be one.

    Some releases don't say which process they are; at a start the record may be missing yet.
    Where a client runs inside another one's session, the outer one is not it.
    """
    named = places.env("CLAUDE_PID")
    for pid, start, _ in process.ancestors():
        found = record.read(pid)
        if found is not None and (found.problem or (start and found.start != start)):
            found = None
        if found is None and (str(pid) != named or not start):
            continue
        if found is not None and found.session != event.session and event.source not in _MOVED:
            return None
        caller = identity.Caller(
            event.session, "CLAUDE_PID" if str(pid) == named else "ancestor"
        )
        caller.harness = "claude-code"
        caller.client_pid = pid
        caller.client_start = start
        caller.client_pidns = process.pid_namespace()
        caller.workdir = event.workdir
        return caller
    return None


def hold(store: db.Connection, event: "Event") -> bool:
    """Write down that hooks reach a session, unless a reader does; follow one that has moved.

    Returns:
        Whether it has moved: the client ran another session before.

    Raises:
        StoreError: it was not written down.
    """
    caller = client(event)
    if caller is None:
        return False
    key, now = attach.attachment_id(caller), time.time()
    sql = """SELECT session, ended_at IS NOT NULL, conduit, bell, reader_pid, reader_start,
        pidns, boot FROM attachment WHERE id = ?"""
    found = db.read(store, sql, (key,))
    session, ended, conduit, rung, *reader = found[0] if found else ("", 1, "", "")
    moved = session not in ("", event.session)
    if moved:
        end_the_dead(store, session)
        ledger.move_session(store, key, session, event.session, now)
    if ended or (conduit != CONDUIT and process.alive(*reader) is False):
        _attach(store, caller, key, now)
    elif not moved:
        return False
    if moved and rung:
        bell.ring(rung)
    bell.ring(attach.host_bell())
    return moved


def follow(store: db.Connection, event: "Event") -> bool:
    """Follow a client that goes on under a session whose start nobody was told of.

    Returns:
        Whether it does: its client ran a session that is attended.

    Raises:
        StoreError: it was not written down.

    Source:
        2.1.197 tells of the start of a fork under the id of its origin.
    """
    caller = client(event)
    sql = "SELECT 1 FROM attachment WHERE id = ? AND ended_at IS NULL"
    key = attach.attachment_id(caller) if caller else ""
    return bool(db.read(store, sql, (key,))) and hold(store, event)


def end_the_dead(store: db.Connection, session: str) -> None:
    """Write down the end of clients that were killed, if no host has done so yet.

    Raises:
        StoreError: it was not written down.
    """
    sql = """SELECT id, reader_pid, client_pid, client_start, pidns, boot FROM attachment
        WHERE session = ? AND ended_at IS NULL AND client_pid IS NOT NULL"""
    for attachment, reader, *each in db.read(store, sql, (session,)):
        if process.alive(*each) is False:
            roll.detach(store, attachment, reader, "client ended", time.time())


def _attach(store: db.Connection, caller: identity.Caller, key: str, now: float) -> None:
    ledger.attach(
        store,
        attachment=key,
        session=caller.session,
        conduit=CONDUIT,
        reader_pid=caller.client_pid or 0,
        reader_start=caller.client_start,
        client_pid=caller.client_pid,
        client_start=caller.client_start,
        boot=process.boot_id(),
        pidns=caller.client_pidns,
        bell="",
        workdir=caller.workdir,
        version=attach.VERSION,
        wall=now,
    )


def monitored(store: db.Connection, session: str) -> bool:
    """Tell whether a reader shows a session what waits for it: alive, not stopped, not stuck.

    Raises:
        StoreError: the store can't be read.
    """
    sql = """SELECT reader_pid, reader_start, pidns, boot FROM attachment WHERE session = ?
        AND ended_at IS NULL AND blocked_at IS NULL AND conduit <> ?"""
    readers = db.read(store, sql, (session, CONDUIT))
    return any(
        process.alive(*each) is not False and not process.stopped(each[0], each[2])
        for each in readers
    )
