"""How soon what was sent is shown, and how that compares with waking a process at all."""

import os
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from itertools import cycle

from attendd.hot import address, bell, db, identity, ids, ledger, moment, pace, post
from benchmarks import datagram, place
from benchmarks.figure import Figure, Options, Row, Sampler, Taken, ratio_row
from benchmarks.timing import Program
from tests.process.reading import eventually

SEND_LINE = "send started to line"
MESSAGE = "commit of a message to line"
BATCH = "commit of a batch to line"
SEND_LIMIT = 2.0
COMMIT_LIMIT = 4.0
READERS = 12
"""So many take turns, because each shows a message only so often; as many answer datagrams."""

_REST_S = pace.GAP_S + 0.2
_ATTACHED = "SELECT session, id, bell FROM attachment WHERE ended_at IS NULL"


class Listener:
    """A reader that waits, and when it was last given something."""

    def __init__(self, program: Program, name: str) -> None:
        self.program = program
        self.name = name
        self.shown_at = 0.0
        self.attachment = self.bell = ""


class Messages(Figure):
    """From the start of a command, or from the commit, to the line of a waiting reader."""

    name = "messages"
    repeats = 2

    def prepare(self, stack: ExitStack, options: Options) -> None:
        """Start a host and readers."""
        self._home = place.Home(options.folder / "messages")
        self._home.configure(place.OPEN_GATES)
        self._attend = place.launcher()
        self._count = 0
        self._datagram = datagram.Echoes(stack, options.folder, READERS)
        listeners = [self._listener(stack, f"r{at}") for at in range(READERS + 1)]
        self._store = db.connect(self._home.store, full=True)
        stack.callback(self._store.close)
        eventually(lambda: len(self._attached()) == len(listeners))
        for session, attachment, path in self._attached():
            listener = next(each for each in listeners if f"as:{each.name}" == session)
            listener.attachment, listener.bell = attachment, path
        self._turns = cycle(listeners[1:])  # the first is the host

    def samplers(self) -> Mapping[str, Sampler]:
        """See `Figure.samplers`."""
        return {
            SEND_LINE: self._send,
            MESSAGE: self._message,
            BATCH: self._batch,
            datagram.ROUND: self._datagram.round,
        }

    def rows(self, taken: Taken) -> Sequence[Row]:
        """See `Figure.rows`."""
        return [
            ratio_row("send started to line", taken, SEND_LINE, SEND_LIMIT),
            ratio_row(MESSAGE, taken, MESSAGE, COMMIT_LIMIT, datagram.ROUND),
            ratio_row(BATCH, taken, BATCH, COMMIT_LIMIT, datagram.ROUND),
        ]

    def _listener(self, stack: ExitStack, name: str) -> Listener:
        words = [self._attend, "run", f"--as={name}"]
        program = Program(words, self._home.env, self._home.path)
        stack.callback(program.end)
        program.out.until(place.HEADER)
        return Listener(program, name)

    def _attached(self) -> list[tuple[str, str, str]]:
        with closing(sqlite3.connect(f"file:{self._home.store}?mode=ro", uri=True)) as store:
            return store.execute(_ATTACHED).fetchall()

    def _next(self) -> tuple[Listener, str]:
        """Return a reader that may show a message at once, and a text nobody had before."""
        listener = next(self._turns)
        time.sleep(max(0.01, listener.shown_at + _REST_S - time.monotonic()))
        listener.shown_at = time.monotonic()
        listener.program.out.drain()
        self._count += 1
        return listener, f"number {self._count} of many."

    def _send(self) -> float:
        listener, text = self._next()
        words = [self._attend, "send", "--as=bench", "--to", listener.name, text]
        quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
        started = time.perf_counter()
        pid = os.posix_spawn(words[0], words, self._home.env, file_actions=quiet)
        shown = listener.program.out.until(text.encode())
        os.waitpid(pid, 0)
        return shown - started

    def _message(self) -> float:
        listener, text = self._next()
        asked = address.parse("send", ["--to", listener.name, text])
        caller = identity.Caller("as:bench", "--as")
        caller.declared, caller.workdir = True, str(self._home.path)
        draft = post.Draft(ids.new_id(), caller, asked, text.encode())
        outcome = post.commit(self._store, draft, moment.now())
        committed = time.perf_counter()
        post.ring(outcome)
        return listener.program.out.until(text.encode()) - committed

    def _batch(self) -> float:
        listener, text = self._next()
        now = moment.now()
        row: ledger.BatchRow = {
            "attachment": listener.attachment,
            "session": f"as:{listener.name}",
            "lane": "event",
            "text": f"[attend sensor=bench priority=high] {text}\n",
            "correlation": text,
            "wall": now.wall,
            "boot": now.boot,
            "bt": now.bt,
        }
        db.write(self._store, lambda store: ledger.add_batch(store, row))
        committed = time.perf_counter()
        bell.ring(listener.bell)
        return listener.program.out.until(text.encode()) - committed
