"""How soon a message is shown where many sessions are attended and many messages are sent."""

import os
import re
import select
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

from attendd.hot import address, db, identity, ids, moment, pace, post
from benchmarks import place
from benchmarks.figure import TIMES, Figure, Options, Row, Taken
from benchmarks.timing import Program
from tests.process.reading import eventually

ALONE = "commit to line, one session"
AMONG = "commit to line, 200 sessions"
SESSIONS = 200
A_SECOND = 10
LIMIT = 10.0
SETTLE_S = 5.0
"""How long after the last one came it is left alone."""
SPAN_S = 40.0
"""So long that each session is written to twice."""

_SESSIONS_A_PROJECT = 4
_ALONE_SAMPLES = 15
_REST_S = pace.GAP_S + 0.2
_NUMBER = re.compile(rb"number (\d+) of many")


class Arrivals:
    """Notes when each numbered message is shown by any of many readers.

    Attributes:
        at: the moment of each number.
        taught: the outputs that have shown their first lines.
    """

    def __init__(self) -> None:
        """Begin to listen."""
        self.at: dict[int, float] = {}
        self.taught: set[int] = set()
        self._poll = select.epoll()
        self._ended = False
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def hear(self, reader: Program) -> None:
        """Listen to one more reader."""
        assert reader.process.stdout is not None  # noqa: S101 - for the type checker
        self._poll.register(reader.process.stdout.fileno(), select.EPOLLIN)

    def end(self) -> None:
        """Listen no more."""
        self._ended = True
        self._thread.join()

    def _listen(self) -> None:
        while not self._ended:
            for fd, event in self._poll.poll(0.2):
                data = os.read(fd, 1 << 16)
                now = time.perf_counter()
                if not data or event & select.EPOLLHUP:
                    self._poll.unregister(fd)
                if place.HEADER in data:
                    self.taught.add(fd)
                for number in _NUMBER.findall(data):
                    self.at[int(number)] = now


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let nothing else of this machine come in between, where one may.

    One in a hundred is otherwise whoever had to wait for a stranger's turn.
    """
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    with suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, *before)


class Many(Figure):
    """Ten messages a second, each to another of 200 sessions that a service attends."""

    name = "many"

    def prepare(self, stack: ExitStack, options: Options) -> None:
        """Only remember; it is made when all else is done."""
        self._stack = stack
        self._home = place.Home(options.folder / "many")
        self._committed: list[float] = []
        self._counted = 0

    def alone(self, taken: Taken) -> None:
        """See `Figure.alone`."""
        with undisturbed():
            self._pass(taken)

    def _pass(self, taken: Taken) -> None:
        self._home.configure(place.OPEN_GATES)
        service = str(Path(place.launcher()).with_name("attendd"))
        self._start([service, "--log-level=error"])
        arrivals = Arrivals()
        self._arm(arrivals, 0, 1)
        with closing(db.connect(self._home.store, full=True)) as store:
            for _ in range(_ALONE_SAMPLES):
                time.sleep(_REST_S)
                self._send(store, 0)
            self._settle(arrivals, taken, ALONE)
            self._arm(arrivals, 1, SESSIONS)
            began = time.monotonic()
            for at in range(round(SPAN_S * A_SECOND)):
                time.sleep(max(0.0, began + at / A_SECOND - time.monotonic()))
                self._send(store, at % SESSIONS)
        self._settle(arrivals, taken, AMONG)
        arrivals.end()

    def rows(self, taken: Taken) -> Sequence[Row]:
        """See `Figure.rows`."""
        worst, median = taken.within(AMONG, 0.99), taken.median(ALONE)
        value = worst / median
        said = f"{value:.2f} {TIMES} ({1e3 * worst:.2f} ms)"
        what = f"p99 of commit to line, {SESSIONS} sessions, {A_SECOND} messages a second"
        promise = f"≤ {LIMIT:g} {TIMES} the median with one session"
        return [Row(what, said, promise, value <= LIMIT, value)]

    def _arm(self, arrivals: Arrivals, first: int, end: int) -> None:
        """Have more sessions attended; return when each was taught."""
        for at in range(first, end):
            folder = self._home.path / f"p{at // _SESSIONS_A_PROJECT}"
            if not folder.exists():
                self._home.repository(folder.name)
            arrivals.hear(self._start([place.launcher(), "run", f"--as=m{at}"], folder))
        eventually(lambda: len(arrivals.taught) == end, 120)
        time.sleep(SETTLE_S)

    def _start(self, words: list[str], folder: Path | None = None) -> Program:
        program = Program(words, self._home.env, folder or self._home.path)
        self._stack.callback(program.end)
        return program

    def _send(self, store: db.Connection, session: int) -> None:
        text = f"number {len(self._committed)} of many"
        asked = address.parse("send", ["--to", f"m{session}", text])
        caller = identity.Caller("as:bench", "--as")
        caller.declared, caller.workdir = True, str(self._home.path)
        draft = post.Draft(ids.new_id(), caller, asked, text.encode())
        outcome = post.commit(store, draft, moment.now())
        self._committed.append(time.perf_counter())
        post.ring(outcome)

    def _settle(self, arrivals: Arrivals, taken: Taken, name: str) -> None:
        """Wait until all has been shown, and take the samples."""
        eventually(lambda: len(arrivals.at) == len(self._committed), 60)
        for number in range(self._counted, len(self._committed)):
            taken.add(name, arrivals.at[number] - self._committed[number])
        self._counted = len(self._committed)
