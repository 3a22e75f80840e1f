"""Keeps a plugin's code from holding the process up, or from ending it.

A call that blocks can't be ended by the loop that waits for it. The process' interval timer can
end it: its signal makes the main thread raise `Blocked` inside whatever the plugin called, a
sleep or a read as well as a computation. In other threads nothing is limited.
"""

import signal
import threading
from types import FrameType, TracebackType

GRACE_S = 1.0
"""Only what still runs so long after its time is ended: a process that was stopped, and its
machine with it, finds all time gone when it is continued."""


class Blocked(BaseException):
    """Raised in a plugin's code that took too long."""


class ForeignError(Exception):
    """A plugin raised what would have ended the process; the message names it."""


class Foreign:
    """A plugin's code runs within this, as a context manager, not nested.

    What it raises comes out as an `Exception`, whatever it was; after ``limit_s`` seconds, and
    a grace, it is ended by a `TimeoutError`.
    """

    __slots__ = ("_armed", "_limit_s")

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._armed = False

    def __enter__(self) -> None:
        """Set the alarm."""
        if _alarm.ready and threading.get_ident() == threading.main_thread().ident:
            self._armed = True
            _alarm.set(self._limit_s)

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Take the alarm back, and turn what was raised into what can be caught.

        Raises:
            TimeoutError: it took too long.
            ForeignError: it raised something that is no `Exception`.
        """
        if self._armed:
            _alarm.take_back()
        if isinstance(error, Blocked):
            raise TimeoutError(f"it held everything up for over {self._limit_s:g} s") from error
        if error is not None and not isinstance(error, (Exception, GeneratorExit)):
            said = f"{type(error).__name__}: {error}".removesuffix(": ")
            raise ForeignError(said) from error


def ready() -> None:
    """Use the timer from here on. Called once, in the main thread of a program."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGALRM, _alarm.rung)
        _alarm.ready = True


def busy() -> bool:
    """Tell whether the main thread runs something within `Foreign` now."""
    return _alarm.running


def hurry() -> None:
    """End at once what runs within `Foreign` now, because the process is to end."""
    if _alarm.ready and _alarm.running:
        _alarm.late = True
        main = threading.main_thread().ident
        if main is not None:
            signal.pthread_kill(main, signal.SIGALRM)


class _Alarm:
    """The state of the timer, of which a process has one."""

    def __init__(self) -> None:
        self.ready = False
        self.running = False
        self.late = False

    def set(self, seconds: float) -> None:
        self.late = False
        self.running = True
        signal.setitimer(signal.ITIMER_REAL, seconds, GRACE_S)

    def take_back(self) -> None:
        self.running = False
        signal.setitimer(signal.ITIMER_REAL, 0.0)

    def rung(self, _number: int, _frame: FrameType | None) -> None:
        if not self.running:
            return
        if self.late:
            raise Blocked
        self.late = True


_alarm = _Alarm()
