"""The roster rings readers for which something waits: a bell is lost with whoever rang it."""

import asyncio
import os
from pathlib import Path

from attendd.clock import SystemClock
from attendd.harness import NoView
from attendd.host.attended import Attended
from attendd.host.client import Client
from attendd.host.roster import REMIND_S, Roster
from attendd.hot import bell, ledger, process
from attendd.store import Attachment, Store
from tests.store import fresh, given, mailing


class _Nowhere:
    """An outlet that is never asked."""


def _attended(row: Attachment) -> Attended:
    clock = SystemClock()
    client = Client(Path(row.workdir), NoView(row.session), clock, lambda _session: None)
    return Attended(row.id, client, clock, _Nowhere(), ())  # type: ignore[arg-type]


def _reads(store: Store, key: str, session: str, path: Path) -> int:
    """Attach this very process, and return the bell it is rung at."""
    pid = os.getpid()
    store.call(lambda db: given.enrol(db, session))
    store.call(
        lambda db: ledger.attach(
            db,
            attachment=key,
            session=session,
            conduit="terminal",
            reader_pid=pid,
            reader_start=process.start_time(pid) or "",
            client_pid=None,
            client_start="",
            boot=process.boot_id(),
            pidns=process.pid_namespace(),
            bell=str(path),
            workdir="/w",
            version="0",
            wall=given.WALL,
        )
    )
    return bell.bind(str(path))


def test_a_reader_is_rung_again_for_what_still_waits_and_nobody_else(tmp_path: Path) -> None:
    store = Store(fresh.store(tmp_path / "attend.db"))
    waits = _reads(store, "a1", "s1", tmp_path / "1")
    mailed = _reads(store, "a2", "s2", tmp_path / "2")
    idle = _reads(store, "a3", "s3", tmp_path / "3")
    store.call(lambda db: given.put(db, "never-rung"))
    store.call(lambda db: mailing.send(db, "s3", "--to", "s2"))

    async def remind() -> float:
        roster = Roster(
            store,
            SystemClock(),
            _attended,
            came=lambda _member: None,
            went=lambda _member: None,
            rescan=lambda: None,
        )
        roster.scan()
        again_at = await roster.remind(100.0)
        roster.close()
        return again_at

    assert asyncio.run(remind()) == 100.0 + REMIND_S
    assert [bell.drain(fd) for fd in (waits, mailed, idle)] == [True, True, False]
    for fd in (waits, mailed, idle):
        os.close(fd)
    store.close()
