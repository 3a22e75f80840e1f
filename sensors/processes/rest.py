"""Lets all but one of those who share a look rest while it finds nothing new."""

from collections.abc import Callable
from weakref import WeakKeyDictionary, ref


class Rest:
    """Who looked last goes on looking, and wakes the others when there is something new.

    So nobody has to be chosen: where that one is gone, the first of the others whose rest is
    over looks, and goes on.
    """

    def __init__(self) -> None:
        self._looks: ref[object] | None = None
        self._wakes: WeakKeyDictionary[object, Callable[[], None]] = WeakKeyDictionary()

    def looked(self, who: object, *, found: bool) -> None:
        """Take note of a look, and wake all if it found something new."""
        self._looks = ref(who)
        if found:
            waiting, self._wakes = self._wakes, WeakKeyDictionary()
            for wake in waiting.values():
                wake()

    def may(self, who: object, wake: Callable[[], None]) -> bool:
        """Tell whether another looks; if so, this one is woken when that finds something."""
        self._wakes.pop(who, None)
        if self._looks is not None and self._looks() is who:
            return False
        self._wakes[who] = wake
        return True
