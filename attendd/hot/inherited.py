"""What we were started with, before Python changed it: for commands that we run for others.

Where no locale is set Python adds one to its environment, and it ignores two signals. A command
that is run as it is gets neither.
"""

import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
else:
    import _signal  # the public module brings enum along

_BY_PYTHON = (_signal.SIGPIPE, _signal.SIGXFSZ)
"""Signals that Python ignores, whether or not they were ignored before."""
_LOCALE = b"LC_CTYPE"


def environment() -> dict[bytes, bytes]:
    """Return the environment, with ``LC_CTYPE`` as it was, or without it if there was none."""
    found = dict(posix.environ)
    try:
        with open("/proc/self/environ", "rb", 0) as file:
            given = file.readall().split(b"\0")
    except OSError:
        return found
    found.pop(_LOCALE, None)
    for entry in given:
        name, _, value = entry.partition(b"=")
        if name == _LOCALE:
            found[_LOCALE] = value
    return found


def to_reset() -> tuple[int, ...]:
    """Return the signals that Python ignores and that were not ignored before.

    The launcher says which were, as the kernel writes it: ``-X ignored=0000000000001000``.
    """
    said = getattr(sys, "_xoptions", {}).get("ignored", "")
    try:
        ignored = int(said, 16)
    except (TypeError, ValueError):
        ignored = 0
    return tuple(number for number in _BY_PYTHON if not ignored >> (number - 1) & 1)


def closed() -> list[tuple[int, int]]:
    """Return what closes, in a new process, those of descriptors 0 to 2 that we had not."""
    streams = enumerate((sys.stdin, sys.stdout, sys.stderr))
    return [(posix.POSIX_SPAWN_CLOSE, fd) for fd, stream in streams if stream is None]
