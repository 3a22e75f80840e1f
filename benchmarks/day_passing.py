"""Lets a day pass through a host on a clock of its own; prints what was told, and when."""

import asyncio
import os
import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path

from attendd import control, daemon, log, registry
from attendd.config import LiveConfig
from attendd.host.parts import Parts
from attendd.host.runner import Host
from attendd.hot import attach, ledger, locks, places, process
from attendd.store import Store
from attendd.store.journal import Journal
from attendd.systemd import Manager
from benchmarks.day_script import BEGIN_S, SESSIONS, Script, ScriptedHarness, sensors
from tests.fakes_clock import SimClock
from tests.unit.day import clock


class DayClock(SimClock):
    """Goes on once nothing is under way, and notes what was told at each moment.

    Attributes:
        told: lines with session and time.
        over: set at its end.
    """

    def __init__(self, store: Store, end_s: float) -> None:
        super().__init__()
        self._now = BEGIN_S
        self.told: list[str] = []
        self.over = asyncio.Event()
        self._store = store
        self._end_s = end_s

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        """See `attendd.loop.Wait`."""
        while True:
            for _ in range(3):
                await asyncio.sleep(0)
            if event.is_set():
                return
            if not _under_way():
                break
        self._show()
        self._now += seconds
        if self._now > self._end_s:
            self.over.set()

    def _show(self) -> None:
        """Take what lies ready, as a reader would."""
        boot = process.boot_id()
        for name in SESSIONS:
            found = self._store.call(
                lambda db, name=name: ledger.claim(db, name, name, boot, self._now, 100)  # type: ignore[misc]
            )
            ids = [delivery for delivery, *_ in found]
            if ids:
                self._store.call(
                    lambda db, ids=ids: ledger.offered(db, ids, "monitor", self.wall())  # type: ignore[misc]
                )
            for _, text, _ in found:
                self.told += [f"{clock(self._now)} {name} {line}" for line in text.splitlines()]


def _under_way() -> bool:
    return any(
        getattr(task.get_coro(), "__qualname__", "").startswith("Loop._")
        for task in asyncio.all_tasks()
    )


async def passing(kind: str, end_s: float) -> list[str]:
    """Let the day pass; return what was told.

    Raises:
        RuntimeError: a service was not asked, or its manager not told.
    """
    script, store = Script(), Store()
    now = DayClock(store, end_s)
    made = _parts(script, store, now)
    for name in SESSIONS:
        _attach(store, name, now.wall())
    lock = locks.take(attach.host_lock(), f"{os.getpid()} {attach.own_start()} {kind} 0")
    if lock is None:
        raise RuntimeError("somebody else is the host of a new home")
    if kind == "embedded":
        await _whole_day(daemon.embedded_host(made, lock, None), now)
        return now.told
    around = Around()
    host = daemon.service_host(made, lock, None, Manager(around.env))
    reloading = asyncio.create_task(_reload(host, now))
    await _whole_day(host, now)
    reloading.cancel()
    around.check()
    return now.told


async def _whole_day(host: Host, now: DayClock) -> None:
    """Run a host until the day is over."""
    running = asyncio.create_task(host.run())
    over = asyncio.create_task(now.over.wait())
    await asyncio.wait({running, over}, return_when=asyncio.FIRST_COMPLETED)
    host.stop()
    await running
    over.cancel()


def _parts(script: Script, store: Store, now: DayClock) -> Parts:
    found = registry.load([])
    found.sensors.update({each.name: each for each in sensors(script)})
    return Parts(
        store=store,
        journal=Journal(Path(places.state_dir()) / "journal.db"),
        registry=found,
        config=LiveConfig(found.sensors),
        harness=ScriptedHarness(script, now),
        clock=now,
        wait=now.wait,
    )


class Around:
    """What is around a service: a manager that listens, and somebody who keeps asking.

    Attributes:
        env: what the manager puts into the service's environment.
    """

    def __init__(self) -> None:
        """Begin to listen and to ask, in threads."""
        path = f"{places.home()}/notify"
        self.env = {"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "60000000"}
        self._manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._manager.bind(path)
        self._heard: set[str] = set()
        self._answers = 0
        for work in (self._hear, self._ask):
            threading.Thread(target=work, daemon=True).start()

    def check(self) -> None:
        """Make sure that all of it took part in the day.

        Raises:
            RuntimeError: something did not.
        """
        lacking = {"READY=1", "WATCHDOG=1", "RELOADING=1"} - self._heard
        if lacking or not self._answers:
            raise RuntimeError(f"{self._answers} answers, never heard: {sorted(lacking)}")

    def _hear(self) -> None:
        while said := self._manager.recv(4096):
            self._heard.add(said.decode().partition("\n")[0])

    def _ask(self) -> None:
        while True:
            for question in ("status", "top", "why"):
                with suppress(control.NoAnswerError):
                    self._answers += control.ask(control.Ask(question), 10.0) is not None


async def _reload(host: Host, now: SimClock) -> None:
    """Have the configuration read again each hour."""
    hour = BEGIN_S
    while True:
        await asyncio.sleep(0.01)
        if now.now() >= hour + 3600:
            hour += 3600
            host.reload()


def _attach(store: Store, name: str, wall: float) -> None:
    pid, start = os.getpid(), attach.own_start()

    def work(db: object) -> None:
        ledger.enrol(
            db,  # type: ignore[arg-type]
            session=name,
            harness="claude-code",
            project="/nowhere",
            workdir="/nowhere",
            transcript="",
            name="",
            declared=False,
            wall=wall,
        )
        ledger.attach(
            db,  # type: ignore[arg-type]
            attachment=name,
            session=name,
            conduit="monitor",
            reader_pid=pid,
            reader_start=start,
            client_pid=pid,
            client_start=start,
            boot=process.boot_id(),
            pidns=process.pid_namespace(),
            bell=f"{places.runtime_dir()}/{name}.bell",
            workdir="/nowhere",
            version="0",
            wall=wall,
        )

    store.call(work)


if __name__ == "__main__":
    log.configure("error")
    lines = asyncio.run(passing(sys.argv[1], float(sys.argv[2]) * 3600))
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()
    os._exit(0)
