"""A deadline for foreign coroutines: a plugin's poll reaches no further than itself."""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from typing import Any, Generic, TypeVar

import anyio

from attendd.guard import Foreign, ForeignError

T = TypeVar("T")

LATE_S = 1.0
"""A deadline seen so late passed while this process was stopped, and counts for nothing."""
MOST_CANCELS = 20
"""A poll may go on for some rounds of the loop to clear up when it is cancelled."""

_left: list[object] = []
"""Polls that can't be ended, kept until the process ends: when the last reference to a
coroutine goes, Python closes it, and so runs the plugin's code once more, with no deadline."""


class EndlessError(TimeoutError):
    """A poll did not end when it was cancelled, and was left where it is."""


async def fenced(poll: Callable[[], Awaitable[T]], limit_s: float) -> T:
    """Make one poll.

    Args:
        poll: starts it.
        limit_s: how long it may take, and how long it may keep the loop from turning.

    Raises:
        EndlessError: it took too long, and can't be ended.
        TimeoutError: it took too long.
        Exception: whatever it raised.
    """
    for again in (True, False):
        until = anyio.current_time() + limit_s
        with anyio.CancelScope(deadline=until):
            with Foreign(limit_s):
                awaitable = poll()
            if not isinstance(awaitable, Awaitable):
                kind = type(awaitable).__name__
                raise TypeError(f"poll is not async, it returned an object of type {kind}")
            steps = _Stepwise(awaitable, limit_s)
            return await steps
        if steps.endless:
            raise EndlessError("it can't be ended")
        if not again or anyio.current_time() < until + LATE_S:
            break
    raise TimeoutError(f"no answer within {limit_s:g} s")


class _Stepwise(Generic[T]):
    """Awaits something of a plugin's, each step of it by itself within `Foreign`."""

    def __init__(self, awaitable: Awaitable[T], limit_s: float) -> None:
        self._awaitable = awaitable
        self._limit_s = limit_s
        self.endless = False

    def __await__(self) -> Generator[Any, Any, T]:
        with Foreign(self._limit_s):
            steps: Any = self._awaitable.__await__()
        resume, value = steps.send, None
        cancels: list[asyncio.CancelledError] = []
        while True:
            try:
                with Foreign(self._limit_s):
                    awaited = resume(value)
            except StopIteration as end:
                result: T = end.value
                return result
            except ForeignError:
                if cancels:  # what was thrown in comes out again
                    raise cancels[-1] from None
                raise
            try:
                resume, value = steps.send, (yield awaited)
            except asyncio.CancelledError as error:
                cancels.append(error)
                if len(cancels) > MOST_CANCELS:
                    self.endless = True
                    _left.append(self._awaitable)
                    raise
                resume, value = steps.throw, error
            except BaseException as error:  # noqa: BLE001 - it is for the plugin to see
                resume, value = steps.throw, error
