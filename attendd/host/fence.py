"""A deadline for foreign coroutines: a plugin's poll reaches no further than itself.

A poll is a task of its own, so that who waits for it can stop waiting: what runs in a thread
can't be cancelled, and a disk that is gone may never answer.
"""

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Generator
from typing import Any, Generic, TypeVar

import anyio
import anyio.to_thread

from attendd.guard import Foreign, ForeignError

T = TypeVar("T")

LATE_S = 1.0
"""A deadline seen so late passed while this process was stopped, and counts for nothing."""
MOST_CANCELS = 20
"""A poll may go on for some rounds of the loop to clear up when it is cancelled."""
CLEARS_UP_S = 0.2
"""And for so long, where it waits for something that can't be cancelled."""

_left: list[object] = []
"""Polls that can't be ended, kept until the process ends: when the last reference to a
coroutine goes, Python closes it, and so runs the plugin's code once more, with no deadline."""
_hanging: set[object] = set()
"""Polls that were left waiting, kept for the same reason until they end."""


class EndlessError(TimeoutError):
    """A poll did not end when it was cancelled, and was left where it is.

    Attributes:
        task: the poll, if it goes on by itself once what it waits for has answered.
    """

    def __init__(self, said: str, task: "asyncio.Task[Any] | None" = None) -> None:
        super().__init__(said)
        self.task = task


async def fenced(poll: Callable[[], Awaitable[T]], limit_s: float) -> T:
    """Make one poll.

    Args:
        poll: starts it.
        limit_s: how long it may take, and how long it may keep the loop from turning.

    Raises:
        EndlessError: it took too long, and has not ended when it was cancelled.
        TimeoutError: it took too long.
        Exception: whatever it raised.
    """
    scope = anyio.CancelScope()
    steps = _Stepwise(poll, limit_s)
    task = asyncio.get_running_loop().create_task(_within(scope, steps))
    task.add_done_callback(_asked)
    where = ""
    try:
        await _wait(task, limit_s)
        where = steps.where()
    finally:  # also where the host ends
        try:
            if not task.done():
                scope.cancel()
                await asyncio.wait((task,), timeout=CLEARS_UP_S)
        finally:
            if not task.done():
                _keep(task)
    if not task.done():
        said = f"no answer within {limit_s:g} s, and what it waits for can't be cancelled"
        raise _at(where, EndlessError(said, task))
    if steps.endless:
        raise _at(where, EndlessError("it can't be ended"))
    if not task.cancelled() and scope.cancelled_caught:
        raise _at(where, TimeoutError(f"no answer within {limit_s:g} s"))
    return task.result()[0]


def _at(where: str, error: TimeoutError) -> TimeoutError:
    """Add, for the traceback, where the poll was: that has no frame of it any more."""
    if where:
        error.add_note(f"It was waiting here (most recent call last):\n{where}")
    return error


async def _wait(task: "asyncio.Task[Any]", limit_s: float) -> None:
    """Wait for a poll, once more if it was this process that did not run."""
    for _ in range(2):
        until = anyio.current_time() + limit_s
        await asyncio.wait((task,), timeout=limit_s)
        if task.done() or anyio.current_time() < until + LATE_S:
            return


async def _within(scope: anyio.CancelScope, steps: "_Stepwise[T]") -> tuple[T, ...]:
    """Return what a poll returns; nothing if it was cancelled."""
    with scope:
        return (await steps,)
    return ()


def _asked(task: "asyncio.Task[Any]") -> None:
    """Ask how a poll ended: where the host ends meanwhile nobody else does, rightly."""
    if not task.cancelled():
        task.exception()


def _keep(task: "asyncio.Task[Any]") -> None:
    """Let a poll wait on, and let the thread in which it may do so be lacking to no other."""
    threads = anyio.to_thread.current_default_thread_limiter()
    threads.total_tokens += 1
    _hanging.add(task)

    def ended(_task: object) -> None:
        threads.total_tokens -= 1
        _hanging.discard(task)

    task.add_done_callback(ended)


class _Stepwise(Generic[T]):
    """Awaits something of a plugin's, each step of it by itself within `Foreign`."""

    def __init__(self, poll: Callable[[], Awaitable[T]], limit_s: float) -> None:
        self._poll = poll
        self._limit_s = limit_s
        self.endless = False
        self._awaitable: object = None

    def where(self) -> str:
        """Say in which lines it waits, as a traceback does; empty where that is not known."""
        frames, at = [], self._awaitable
        while at is not None:
            frame = getattr(at, "cr_frame", None) or getattr(at, "gi_frame", None)
            if frame is not None:
                frames.append((frame, frame.f_lineno))
            at = getattr(at, "cr_await", None) or getattr(at, "gi_yieldfrom", None)
        return "".join(traceback.StackSummary.extract(iter(frames)).format()).rstrip()

    def _begin(self) -> tuple[Awaitable[T], Any]:
        with Foreign(self._limit_s):
            awaitable = self._poll()
        if not isinstance(awaitable, Awaitable):
            kind = type(awaitable).__name__
            raise TypeError(f"poll is not async, it returned an object of type {kind}")
        with Foreign(self._limit_s):
            return awaitable, awaitable.__await__()

    def __await__(self) -> Generator[Any, Any, T]:
        awaitable, steps = self._begin()
        self._awaitable = awaitable
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
                    _left.append(awaitable)
                    raise
                resume, value = steps.throw, error
            except BaseException as error:  # noqa: BLE001 - it is for the plugin to see
                resume, value = steps.throw, error
