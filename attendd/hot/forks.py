"""Sessions that begin as a copy of another: whose, and what goes along.

A fork has an id of its own from its first moment, and nothing it says of itself names the
session it was forked off. Its client's command line does: by its id, or as the latest in its
directory. A fork of a session that still runs is another session, to which nothing is owed.

Source:
    2.1.328, ``--fork-session`` with ``--resume ID`` and with ``--continue``. With the picker of
    ``--resume`` alone there is no telling.
"""

import posix
import time

from attendd.hot import db, folders, hooked, places, process, record, rings, roll

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from attendd.hot.hook import Event

_FORK = "--fork-session"
_RESUME = ("--resume", "-r")
_CONTINUE = ("--continue", "-c")
_ENDING = ".jsonl"


def carry(store: db.Connection, event: "Event") -> None:
    """Have a fork go on in place of a session that nobody runs any more.

    Raises:
        StoreError: nothing was carried along.
    """
    caller = hooked.client(event)
    if caller is None or caller.client_pid is None:
        return
    for old in origins(caller.client_pid, caller.workdir):
        known = db.read(store, "SELECT 1 FROM session WHERE id = ?", (old,))
        if known and old != event.session:
            _end_the_dead(store, old)
            if roll.fork(store, old, event.session):
                rings.wake(store, [event.session])
            return


def origins(pid: int, workdir: str) -> "Iterator[str]":
    """Name the sessions that a client's may have been forked off, the likeliest first."""
    words = folders.read(f"{process.PROC}/{pid}/cmdline").split("\0")
    if _FORK not in words:
        return
    for word, value in zip(words, [*words[1:], ""], strict=True):
        option, has_value, joined = word.partition("=")
        named = joined if has_value else value
        if option in _RESUME and not named.startswith("-") and record.is_id(named):
            yield named
    if any(word in words for word in _CONTINUE):
        yield from _latest(workdir)


def _latest(workdir: str) -> "Iterator[str]":
    """Name the sessions of a directory, the one last written to first."""
    folder = f"{places.client_dir()}/projects/{record.folder_of(workdir)}"
    try:
        names = posix.listdir(folder)
    except OSError:
        return
    dated = []
    for name in names:
        if name.endswith(_ENDING):
            try:
                dated.append((posix.stat(f"{folder}/{name}").st_mtime, name))
            except OSError:
                continue
    for _, name in sorted(dated, reverse=True):
        yield name.removesuffix(_ENDING)


def _end_the_dead(store: db.Connection, session: str) -> None:
    """Write down the end of clients that were killed, if no host has done so yet."""
    sql = """SELECT id, reader_pid, client_pid, client_start, pidns, boot FROM attachment
        WHERE session = ? AND ended_at IS NULL AND client_pid IS NOT NULL"""
    for attachment, reader, *client in db.read(store, sql, (session,)):
        if process.alive(*client) is False:
            roll.detach(store, attachment, reader, "client ended", time.time())
