"""A host in the test's own process, over a real store, real records and real watches."""

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from attendd import registry
from attendd.api import SensorType
from attendd.clock import Clock, SystemClock
from attendd.config import LiveConfig
from attendd.harness import ClaudeHarness
from attendd.host.parts import Parts
from attendd.host.runner import Host
from attendd.hot import ledger, process
from attendd.loop import Wait, wait_for
from attendd.store import Store
from attendd.store.journal import Journal
from tests.store import fresh


@asynccontextmanager
async def hosting(
    home: Path,
    *kinds: SensorType,
    clock: Clock | None = None,
    wait: Wait = wait_for,
    client: bool = False,
) -> AsyncIterator[Store]:
    """Run a host with these kinds of sensor, for a reader that works in a home.

    Args:
        home: the user's; ``ATTEND_HOME`` has to lie in it.
        kinds: all sensors there are.
        clock: the host's; the machine's if not given.
        wait: how the host waits for it.
        client: whether it reads for a client, this very process, and not for a terminal.
    """
    found = registry.load([])
    found.sensors.update({kind.name: kind for kind in kinds})
    store = Store(fresh.store(home / "attend.db"))
    parts = Parts(
        store=store,
        journal=Journal(home / "journal.db"),
        registry=found,
        config=LiveConfig(found.sensors),
        harness=ClaudeHarness(home / ".claude"),
        clock=clock or SystemClock(),
        wait=wait,
    )
    _attach(store, home, os.getpid() if client else None)
    host = Host(parts, str(home / "bell"), wants_out=lambda: False)
    running = asyncio.create_task(host.run())
    try:
        yield store
    finally:
        host.stop()
        await running
        store.close()


def show_up(
    home: Path, session: str, pid: int = 0, status: str = "idle", workdir: str = ""
) -> None:
    """Write the record of a client that works in a home: of a process, or this very one."""
    pid = pid or os.getpid()
    record = {
        "pid": pid,
        "sessionId": session,
        "cwd": workdir or str(home),
        "procStart": process.start_time(pid),
        "kind": "interactive",
        "entrypoint": "cli",
        "status": status,
        "statusUpdatedAt": int(time.time() * 1000),
    }
    path = home / ".claude" / "sessions" / f"{pid}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record))


def _attach(store: Store, home: Path, client: int | None) -> None:
    wall, pid = time.time(), os.getpid()
    session = "as:me" if client is None else "me"
    store.call(
        lambda db: ledger.enrol(
            db,
            session=session,
            harness="none" if client is None else "claude-code",
            project=str(home),
            workdir=str(home),
            transcript="",
            name="me",
            declared=client is None,
            wall=wall,
        )
    )
    store.call(
        lambda db: ledger.attach(
            db,
            attachment="a1",
            session=session,
            conduit="terminal" if client is None else "monitor",
            reader_pid=pid,
            reader_start=process.start_time(pid) or "",
            client_pid=client,
            client_start=process.start_time(client) or "" if client else "",
            boot=process.boot_id(),
            pidns=process.pid_namespace(),
            bell=str(home / "reader"),
            workdir=str(home),
            version="0",
            wall=wall,
        )
    )
