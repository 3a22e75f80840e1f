"""A build, as the table of processes follows it."""

import msgspec

from sensors.processes.parties import Concern


class Story(msgspec.Struct, kw_only=True):
    """A build.

    Attributes:
        pid: its topmost process.
        start: when that started, as the system counts it.
        called: its command line in brief.
        folder: where it works.
        above: pids of its ancestors, nearest first, and last of the client that its
            environment names.
        terminal: whether it belongs to a terminal.
        began: when it started, on the clock that counts suspend.
        seen: when it was last seen to run.
        ended: when it was first seen to have ended; ``None`` while it runs. Equal to ``seen``
            where its end was noticed at once.
        code: its exit code, negative for a signal; ``None``: not known.
        final: whether nothing more will be known of its end.
        concern: whom it concerns.
    """

    pid: int
    start: str
    called: str
    folder: str
    above: tuple[int, ...]
    terminal: bool
    began: float
    seen: float
    ended: float | None = None
    code: int | None = None
    final: bool = False
    concern: Concern = frozenset()
