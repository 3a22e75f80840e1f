"""How long it takes to find what is unread among few messages and among very many."""

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from attendd.hot import db, mail, moment
from benchmarks.figure import TIMES, Figure, Options, Row, Sampler, Taken, at_most

COUNTS = (100, 100_000)
LIMIT = 1.5
_UNREAD = 3
_BOX = "as:me"
_LOOKS = 50
_MESSAGE = """INSERT INTO message (id, author, author_kind, author_name, author_how, body, kind,
    thread, seq, created_at, created_boot, created_bt) VALUES (:id, 'as:other', 'declared',
    'other', '--as', 'a text of some length, as messages are', 'directed', :id, :at, :wall,
    :boot, :bt)"""
_DELIVERY = """INSERT INTO delivery (session, lane, state, message, kind, created_at,
    created_boot, created_bt) VALUES (:box, 'message', :state, :id, 'directed', :wall, :boot,
    :bt)"""


class Unread(Figure):
    """The look of every hook and every bell, in two stores."""

    name = "unread"
    repeats = 3

    def prepare(self, stack: ExitStack, options: Options) -> None:
        """Fill the stores: half of what was read was for this mailbox, half for another."""
        self._stores: dict[int, db.Connection] = {}
        for count in COUNTS:
            self._stores[count] = _filled(options.folder / f"unread-{count}.db", count)
            stack.callback(self._stores[count].close)

    def samplers(self) -> Mapping[str, Sampler]:
        """See `Figure.samplers`."""
        return {_name(count): lambda count=count: self._look(count) for count in COUNTS}  # type: ignore[misc]

    def rows(self, taken: Taken) -> Sequence[Row]:
        """See `Figure.rows`."""
        few, many = COUNTS
        us = 1e6 * taken.median(_name(many))
        what = f"unread look-up ({us:.0f} µs), {few} to {many:,} messages"
        return [at_most(what, taken.ratio(_name(many), _name(few)), LIMIT, TIMES)]

    def _look(self, count: int) -> float:
        now = moment.now()
        started = time.perf_counter()
        for _ in range(_LOOKS):
            found = mail.waiting(self._stores[count], (_BOX,), now, "monitor")
        taken = time.perf_counter() - started
        if len(found) != _UNREAD:
            raise RuntimeError(f"{len(found)} of {_UNREAD} unread messages were found")
        return taken / _LOOKS


def _name(count: int) -> str:
    return f"unread look-up among {count}"


def _filled(path: Path, count: int) -> db.Connection:
    store = db.connect(str(path))
    now = moment.now()
    rows = [
        {
            "id": f"m{at:07d}",
            "at": at,
            "box": _BOX if at % 2 or at >= count - _UNREAD else "as:else",
            "state": "stored" if at >= count - _UNREAD else "seen",
            "wall": now.wall,
            "boot": now.boot,
            "bt": now.bt,
        }
        for at in range(count)
    ]

    def fill(store: db.Connection) -> None:
        store.executemany(_MESSAGE, rows)
        store.executemany(_DELIVERY, rows)

    db.write(store, fill)
    return store
