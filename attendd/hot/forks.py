"""Sessions that begin as a copy of another: whose, and what goes along.

A fork has an id of its own from its first moment, and nothing it says of itself names the
session it was forked off. Its client's command line does: by its id, or as the latest in its
directory; for one in the background a file of the client's does. Where the other was chosen
from a list only the copied rows tell, which come with the first prompt: the host reads them.

Source:
    2.1.328: ``--fork-session`` with ``--resume ID``, with ``--continue``, and with ``--resume``
    alone; ``/fork``, whose process may have been started before it was wanted, with nothing on
    its command line. ``/branch`` is a client that moves on.
"""

import posix
import time

from attendd.hot import db, folders, hooked, places, process, record, rings, roll

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from attendd.hot.hook import Event

SOUGHT = "copy:"
"""Before the id of a session whose origin is not known yet: a key of ``meta``, since when."""

_SOURCE = "fork"
_FORK = "--fork-session"
_RESUME = ("--resume", "-r")
_CONTINUE = ("--continue", "-c")
_ENDING = ".jsonl"
_JOB = 8
"""So many characters of its session's id name a job in the background."""


def carry(store: db.Connection, event: "Event") -> None:
    """Have what goes along with a fork follow it, or leave word that its origin is sought.

    Raises:
        StoreError: nothing was carried along.
    """
    caller = hooked.client(event)
    if caller is None or caller.client_pid is None:
        return
    words = folders.read(f"{process.PROC}/{caller.client_pid}/cmdline").split("\0")
    named = [*origins(words, caller.workdir)]
    if event.source == _SOURCE:
        named += _in_background(event.session)
    for old in named:
        known = db.read(store, "SELECT 1 FROM session WHERE id = ?", (old,))
        if known and old != event.session:
            follow(store, old, event.session)
            return
    if not named and event.source == _SOURCE:
        row = (SOUGHT + event.session, str(time.time()))
        db.change(store, "INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)", row)


def follow(store: db.Connection, old: str, new: str) -> None:
    """Have what goes along with a fork follow it.

    Raises:
        StoreError: nothing was carried along.
    """
    hooked.end_the_dead(store, old)
    if roll.fork(store, old, new):
        rings.wake(store, [new])


def origins(words: "list[str]", workdir: str) -> "Iterator[str]":
    """Name the sessions that one may have been forked off, the likeliest first.

    Args:
        words: its client's command line.
        workdir: its client's directory.
    """
    if _FORK not in words:
        return
    for word, value in zip(words, [*words[1:], ""], strict=True):
        option, has_value, joined = word.partition("=")
        named = joined if has_value else value
        if option in _RESUME and not named.startswith("-") and record.is_id(named):
            yield named
    if any(word in words for word in _CONTINUE):
        yield from _latest(workdir)


def _in_background(session: str) -> "Iterator[str]":
    """Name the session whose rows the client keeps for one in the background."""
    kept = f"{places.client_dir()}/jobs/{session[:_JOB]}/parent-transcript.jsonl"
    named = folders.read(kept).partition('"sessionId":"')[2].partition('"')[0]
    if record.is_id(named):
        yield named


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
