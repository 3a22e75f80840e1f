"""When who looks: all but one may rest, and while somebody is at work one looks often."""

import asyncio
from collections.abc import Callable
from weakref import WeakKeyDictionary, ref

_OVERDUE = 3
"""After so many times the pause between two looks the next one is overdue."""


class Alarm:
    """Calls once, some seconds from now, unless it is set anew before."""

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None

    def set(self, seconds: float | None, call: Callable[[], None]) -> None:
        """Forget what was set before; ``None`` sets nothing. To be called in the loop."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if seconds is not None:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._ring, call)

    @property
    def is_set(self) -> bool:
        """Whether it will call."""
        return self._timer is not None

    def _ring(self, call: Callable[[], None]) -> None:
        self._timer = None
        call()


class Rest:
    """Who looked last goes on looking, and wakes those whom something new concerns.

    So nobody has to be chosen. Where that one is gone or fails, a look becomes overdue, and one
    of the others looks and goes on.
    """

    def __init__(self) -> None:
        self._looks: ref[object] | None = None
        self._wakes: WeakKeyDictionary[object, Callable[[], None]] = WeakKeyDictionary()
        self._every_s = 0.0
        self._overdue = Alarm()

    def looked(self, who: object, concerns: Callable[[object], bool]) -> None:
        """Take note of a look, and wake those whom it concerns.

        Args:
            who: looked.
            concerns: tells of each whether something new does.
        """
        self._looks = ref(who)
        self._expect()
        for each in [each for each in self._wakes if concerns(each)]:
            self._wakes.pop(each)()

    def may(self, who: object, wake: Callable[[], None], every_s: float) -> bool:
        """Tell whether another looks; if so, this one is woken when that finds something.

        Args:
            who: asks.
            wake: has it look at once.
            every_s: how often is looked.
        """
        self._wakes.pop(who, None)
        self._every_s = every_s
        if self._looks is not None and self._looks() is who:
            return False
        self._wakes[who] = wake
        self._expect()
        return True

    def _expect(self) -> None:
        """Have one of those who rest look if nobody does in time."""
        self._overdue.set(_OVERDUE * self._every_s if self._wakes else None, self._wake_one)

    def _wake_one(self) -> None:
        for each in list(self._wakes)[:1]:
            self._wakes.pop(each)()
        self._expect()  # it may be gone as well


class Watch:
    """Has one of those who are at work look when the last look is some seconds old.

    Each in turn, and who was woken again only once it has been polled: one may be gone, though
    not for all, hang or fail, and then another looks.
    """

    def __init__(self, wake: Callable[[object], None]) -> None:
        """Begin with nobody at work.

        Args:
            wake: has somebody look.
        """
        self._wake = wake
        self._at_work: WeakKeyDictionary[object, None] = WeakKeyDictionary()
        self._alarm = Alarm()
        self._every_s = 0.0

    def take(self, who: object, every_s: float | None) -> None:
        """Take note that somebody is at work, and how often is looked; ``None``: is not."""
        self._at_work.pop(who, None)
        if every_s is not None:
            self._at_work[who] = None
            self._every_s = every_s
            if not self._alarm.is_set:
                self.looked()

    def looked(self) -> None:
        """Take note of a look."""
        self._alarm.set(self._every_s if self._at_work else None, self._fire)

    def _fire(self) -> None:
        for each in list(self._at_work)[:1]:
            del self._at_work[each]
            self._wake(each)
        self.looked()  # again, also where nobody answers
