"""Enrols a session and attaches the process that reads for it."""

import posix
import time

from attendd.hot import bell, db, identity, ledger, places, process

VERSION = "0.1.0"
"""The release; a test holds it to the distribution's."""


def attachment_id(caller: identity.Caller) -> str:
    """Name what is attached: the client's process, or this one where there is no client."""
    pid, start = caller.client_pid, caller.client_start
    if pid is None:
        pid, start = posix.getpid(), own_start()
    return f"{process.boot_id()[:8]}:{process.pid_namespace()}:{pid}:{start}"


def own_start() -> str:
    """Read when this very process started, as the system counts; empty where it can't tell."""
    return process.start_time(posix.getpid()) or ""


def conduit_name(caller: identity.Caller) -> str:
    """Name the way into the caller's session that its reader is."""
    return "monitor" if caller.client_pid is not None else "terminal"


def lock_path(caller: identity.Caller, attachment: str) -> str:
    """Name the lock that one reader holds: for a client's process, or for a declared name."""
    key = caller.session if caller.declared else attachment
    return f"{places.runtime_dir()}/reader-{places.digest(key)}.lock"


def bell_path(attachment: str) -> str:
    """Name the socket that is rung when something is due for an attachment."""
    return f"{places.runtime_dir()}/{places.digest(attachment)}.bell"


def host_bell() -> str:
    """Name the socket that is rung when the host has something to look at."""
    return f"{places.runtime_dir()}/{bell.HOST}"


def host_lock() -> str:
    """Name the lock that the one host of this user holds."""
    return f"{places.state_dir()}/host.lock"


def moved() -> str:
    """Say so where the state is not at its usual place; ``''`` where it is."""
    why = places.moved()
    return f"the state is kept in {places.state_dir()}: {why}" if why else ""


def service_door() -> str:
    """Name the socket at which a service manager waits for who wants a host."""
    return f"{places.runtime_dir()}/service.sock"


def host_claim() -> str:
    """Name the lock of a service that asks the host to step back for it."""
    return f"{places.state_dir()}/host.claim"


def enrol(store: db.Connection, caller: identity.Caller, wall: float) -> None:
    """Write down that a caller's session is attended.

    Raises:
        StoreError: the store takes nothing now.
    """
    ledger.enrol(
        store,
        session=caller.session,
        harness=caller.harness,
        project=identity.project_of(caller.workdir),
        workdir=caller.workdir,
        transcript=caller.transcript,
        name=caller.session.partition(":")[2] if caller.declared else "",
        declared=caller.declared,
        wall=wall,
    )


def attach(store: db.Connection, caller: identity.Caller, attachment: str) -> int:
    """Write down who is here, open the bell, and tell the host.

    Returns:
        The bell's descriptor; not inherited by children.

    Raises:
        StoreError: the store takes nothing now.
    """
    now = time.time()
    enrol(store, caller, now)
    path = bell_path(attachment)
    fd = bell.bind(path)
    ledger.attach(
        store,
        attachment=attachment,
        session=caller.session,
        conduit=conduit_name(caller),
        reader_pid=posix.getpid(),
        reader_start=own_start(),
        client_pid=caller.client_pid,
        client_start=caller.client_start,
        boot=process.boot_id(),
        pidns=process.pid_namespace(),
        bell=path,
        workdir=caller.workdir,
        version=VERSION,
        wall=now,
    )
    bell.ring(host_bell())
    return fd


def follow(store: db.Connection, caller: identity.Caller, attachment: str) -> str:
    """Keep up with the client, which changes its session at `/clear` and `/resume`.

    Returns:
        The session it runs now; the last known one where its record can't be read.
    """
    if caller.client_pid is None:
        return caller.session
    now = identity.current_session(caller.client_pid, caller.client_start)
    if now and now != caller.session:
        ledger.move_session(store, attachment, caller.session, now, time.time())
        caller.session = now
        bell.ring(host_bell())
    return caller.session


def detach(store: db.Connection, attachment: str, reason: str) -> None:
    """Write down that nobody reads for an attachment any more, and why."""
    ledger.detach(store, attachment, posix.getpid(), reason, time.time())
    bell.ring(host_bell())
