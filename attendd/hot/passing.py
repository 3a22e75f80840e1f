"""Runs the user's own status line: its input, output, exit code and signals go through.

It runs in a process group of its own, so that all of it can be ended, and is, if it takes too
long: our own line is shown in its place. What it leaves in the background is left alone.
"""

import posix
import select
import time

from attendd.hot import inherited, statusline
from attendd.hot.commands import UNREAD, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
else:
    import _signal  # the public module brings enum along

HANG_S = 5.0
"""How long the command may take."""
END_S = 0.2
"""How long it may take to end when it is told to."""
HUNG = (
    f"your status line took over {HANG_S:.0f} s and was ended",
    f"yours was ended after {HANG_S:.0f} s",
    "yours hung",
)
"""What our line says of it then, ever more shortly."""
UNSTARTED = ("your status line can't be started", "yours can't start")
OUTPUT_LIMIT = 1 << 20
"""Bytes of its output that are passed on."""

_FORWARDED = (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP)
_DEFAULTS = (_signal.SIGPIPE, *_FORWARDED)
_KILLED = 128


class Command:
    """A running command.

    Attributes:
        pid: its process, and its process group.
        output: what it printed so far.
        code: what it ended with; ``None`` while it runs.
    """

    def __init__(self, words: list[str], data: bytes) -> None:
        """Start it.

        Args:
            words: the command.
            data: its standard input.

        Raises:
            OSError: it can't be started.
        """
        self.output = b""
        self.code: int | None = None
        self._data = data
        self._poll = select.poll()
        self._woken, self._wake = posix.pipe()
        self._poll.register(self._woken, select.POLLIN)
        posix.set_blocking(self._wake, False)
        _signal.signal(_signal.SIGCHLD, self._child_changed)
        their_in, self._in = posix.pipe()
        self._out, their_out = posix.pipe()
        for fd in (self._in, self._out):
            posix.set_blocking(fd, False)
        self.pid = posix.posix_spawnp(
            words[0],
            words,
            inherited.environment(),
            file_actions=[
                (posix.POSIX_SPAWN_DUP2, their_in, 0),
                (posix.POSIX_SPAWN_DUP2, their_out, 1),
            ],
            setpgroup=0,
            setsigmask=(),
            setsigdef=_DEFAULTS,
        )
        posix.close(their_in)
        posix.close(their_out)
        self._poll.register(self._in, select.POLLOUT)
        self._poll.register(self._out, select.POLLIN)
        self._feed()

    def finish(self) -> int:
        """Wait until it has ended; return its exit code, as a shell would say it."""
        while self.code is None:
            for fd, _ in self._poll.poll():
                if fd == self._in:
                    self._feed()
                elif fd == self._out:
                    self._read()
                else:
                    self._reap()
        self._read()
        return self.code

    def tell(self, number: int) -> None:
        """Send a signal to all of it."""
        try:
            posix.killpg(self.pid, number)
        except OSError:
            return  # it has just ended

    def _feed(self) -> None:
        """Give it as much of its input as it takes; close that at the end of it."""
        try:
            while self._data:
                self._data = self._data[posix.write(self._in, self._data) :]
        except BlockingIOError:
            return
        except OSError:
            pass  # it doesn't want to know
        self._in = self._forget(self._in)

    def _read(self) -> None:
        """Take what it has printed so far."""
        try:
            while self._out >= 0 and (part := posix.read(self._out, 1 << 16)):
                self.output = (self.output + part)[:OUTPUT_LIMIT]
        except BlockingIOError:
            return
        except OSError:
            pass
        if self._out >= 0:
            self._out = self._forget(self._out)

    def _reap(self) -> None:
        posix.read(self._woken, 4096)
        pid, status = posix.waitpid(self.pid, posix.WNOHANG)
        if pid:
            code = posix.waitstatus_to_exitcode(status)
            self.code = code if code >= 0 else _KILLED - code

    def _forget(self, fd: int) -> int:
        self._poll.unregister(fd)
        posix.close(fd)
        return -1

    def _child_changed(self, _number: int, _frame: object) -> None:
        try:
            posix.write(self._wake, b"!")
        except BlockingIOError:
            return  # it is as full as can be, and so will be read


def run(words: list[str], draft: "statusline.Draft") -> int:
    """Run the command, keep what the client says meanwhile; return the exit code to leave with.

    Args:
        words: the command.
        draft: our own line, nothing of it known yet.
    """
    statusline.end_in(statusline.DEADLINE_S, draft.show)
    draft.data = statusline.standard_input()
    _signal.pthread_sigmask(_signal.SIG_BLOCK, _FORWARDED)  # until it is guarded
    try:
        command = Command(words, draft.data)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", "") or str(error)
        say(f"attend: {words[0]!r} can't be started: {reason}", "")
        draft.note = UNSTARTED
        draft.take_in()
        return 0 if draft.show() else UNREAD
    _guard(command, draft)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, _FORWARDED)
    draft.take_in()
    code = command.finish()
    _signal.setitimer(_signal.ITIMER_REAL, 0)
    return code if statusline.put(command.output) else UNREAD


def _guard(command: Command, draft: "statusline.Draft") -> None:
    """End the command if it takes too long; pass on what we are told, and end with it."""

    def hangs(_number: int, _frame: object) -> None:
        draft.note = HUNG
        draft.show()
        command.tell(_signal.SIGTERM)
        time.sleep(END_S)
        command.tell(_signal.SIGKILL)
        posix._exit(0)  # noqa: SLF001 - public, whatever its name

    def told(number: int, _frame: object) -> None:
        def insist(_number: int, _frame: object) -> None:
            command.tell(_signal.SIGKILL)
            posix._exit(_KILLED + number)  # noqa: SLF001 - public, whatever its name

        command.tell(number)
        _signal.signal(_signal.SIGALRM, insist)
        _signal.setitimer(_signal.ITIMER_REAL, END_S)

    _signal.signal(_signal.SIGALRM, hangs)
    _signal.setitimer(_signal.ITIMER_REAL, HANG_S)
    for number in _FORWARDED:
        _signal.signal(number, told)
