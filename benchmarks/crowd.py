"""What many attended sessions cost while nothing happens: memory, processor time, processes."""

import os
import socket
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks import place
from benchmarks.figure import Figure, Options, Row, Taken, at_most
from benchmarks.timing import Program
from tests.process.reading import eventually
from tests.process.standin import Client

HOST_MB = 45.0
READER_MB = 12.0
IDLE_PERCENT = 0.2
SETTLE_S = 330.0
"""How long the host is left alone before it is watched: by then each session has been looked at
once at rest, which is when what it did itself is taken note of."""

_SESSIONS_A_PROJECT = 4
_READERS = "SELECT reader_pid FROM attachment WHERE ended_at IS NULL"


class Crowd(Figure):
    """Stand-ins for clients with a finished turn each, among processes of others."""

    name = "crowd"

    def prepare(self, stack: ExitStack, options: Options) -> None:
        """Only remember; it is made when all else is done."""
        self._stack = stack
        self._options = options
        self._clients: list[Client] = []
        self._rows: list[Row] = []

    def alone(self, taken: Taken) -> None:  # noqa: ARG002 - Figure's
        """See `Figure.alone`."""
        options = self._options
        home = place.Home(options.folder / "crowd")
        self._arm(home, 1)
        self._rows.append(_memory("host, 1 session", [_host(home)], HOST_MB))
        self._arm(home, options.sessions - 1)
        for _ in range(options.foreign):
            pid = os.posix_spawnp("sleep", ["sleep", "100000"], home.env)
            self._stack.callback(_kill, pid)
        time.sleep(SETTLE_S)
        self._watch(home, "host")
        self._serve(home)
        self._watch(home, "service")

    def rows(self, taken: Taken) -> Sequence[Row]:  # noqa: ARG002 - Figure's
        """See `Figure.rows`."""
        return self._rows

    def _arm(self, home: place.Home, count: int) -> None:
        """Have more sessions attended; return when all have been looked at."""
        for _ in range(count):
            at = len(self._clients)
            name = f"p{at // _SESSIONS_A_PROJECT}"
            folder = home.path / name
            project = folder if folder.exists() else home.repository(name)
            client = Client(home.path, home.env, project)
            self._stack.callback(client.end)
            self._clients.append(client)
            client.prompt()
            client.answer(20_000)
            client.record("idle")
            client.monitor()
        home.looked("git", len(self._clients))

    def _serve(self, home: place.Home) -> None:
        """Have a service take over, with a manager that waits for its signs of life."""
        before, address = _host(home), str(home.path / "notify")
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        manager.bind(address)
        threading.Thread(target=_hear, args=(manager,), daemon=True).start()
        words = [str(Path(place.launcher()).with_name("attendd")), "--log-level=error"]
        env = {**home.env, "NOTIFY_SOCKET": address, "WATCHDOG_USEC": "60000000"}
        self._stack.callback(Program(words, env, home.path).end)
        eventually(lambda: _host(home) != before)
        time.sleep(SETTLE_S)

    def _watch(self, home: place.Home, kind: str) -> None:
        options, host = self._options, _host(home)
        readers = [pid for pid in home.ask(_READERS) if pid != host]
        pids = [host, *readers]
        faults, spent = _child_faults(pids), _processor_s(pids)
        started = time.monotonic()
        time.sleep(options.idle_s)
        span = time.monotonic() - started
        share = 100 * (_processor_s(pids) - spent) / span
        begun = _child_faults(pids) - faults + len(_children(pids))
        many = f"{options.sessions} sessions"
        self._rows += [
            _memory(f"{kind}, {many}", [host], HOST_MB),
            _memory("reader, the largest", readers, READER_MB),
            at_most(f"{kind}, idle {span:.0f} s, {many}", share, IDLE_PERCENT, "% of a core"),
            Row(
                f"processes started in that time, {options.foreign} foreign ones present",
                "some" if begun else "none",
                "none",
                not begun,
                float(begun),
            ),
        ]


def _hear(manager: socket.socket) -> None:
    while manager.recv(4096):
        pass


def _memory(what: str, pids: Iterable[int], limit_mb: float) -> Row:
    most = 0
    for pid in pids:
        status = Path(f"/proc/{pid}/status").read_text()
        most = max(most, int(status.partition("VmRSS:")[2].split()[0]))
    return at_most(f"memory of the {what}", most / 1024, limit_mb, "MB")


def _processor_s(pids: Iterable[int]) -> float:
    """Return what processes and the children they have waited for have run, in seconds."""
    tick = os.sysconf("SC_CLK_TCK")
    total = 0.0
    for pid in pids:
        total += time.clock_gettime((~pid << 3) | 2)  # CPUCLOCK_SCHED of another process
        total += sum(int(part) for part in _stat(pid)[13:15]) / tick
    return total


def _child_faults(pids: Iterable[int]) -> int:
    """Count page faults of children that were waited for: each has many."""
    return sum(int(_stat(pid)[8]) for pid in pids)


def _children(pids: Iterable[int]) -> list[str]:
    found: list[str] = []
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += (task / "children").read_text().split()
    return found


def _stat(pid: int) -> list[str]:
    """Return the fields of a process' stat from its state on."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _host(home: place.Home) -> int:
    lock = Path(home.env["ATTEND_HOME"]) / "state" / "host.lock"
    return int(lock.read_text().split()[0])


def _kill(pid: int) -> None:
    os.kill(pid, 9)
    os.waitpid(pid, 0)
