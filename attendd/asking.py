"""Questions to file systems, any of which may never answer: nobody waits for long."""

import os
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")

PATIENCE_S = 0.25
"""How long an answer is waited for; a local disk takes a hundredth of that."""
HURRY_S = 0.02
"""The same while another question has no answer: most likely it goes to the same disk."""
MANY_LATE = 32
"""So many questions without an answer tell enough of the folder that they have in common."""
MOST_LATE = 128
"""More of them there never are: each is in a thread that can't be ended."""
MOST_IDLE = 2
"""So many threads are kept for the next questions."""


class Asking(Generic[T]):
    """Asks one thing of directories, in threads of its own; may be used in any thread."""

    def __init__(self, question: Callable[[str], T]) -> None:
        """Take the question, which may take for ever."""
        self._question = question
        self._lock = threading.Lock()
        self._idle: list[SimpleQueue[_Put[T]]] = []
        self._late: set[str] = set()

    def ask(self, path: str) -> T:
        """Ask about a directory.

        Raises:
            TimeoutError: there is no answer yet, to this question or to an earlier one.
            Exception: whatever the question raises.
        """
        silent = TimeoutError(f"the file system of {path} does not answer")
        if self._late and self._is_hopeless(path):
            raise silent
        put = _Put[T](path)
        self._worker().put(put)
        try:
            return put.answer(HURRY_S if self._late else PATIENCE_S)
        except Empty:
            with self._lock:
                if not put.done:
                    self._late.add(path)
            raise silent from None

    def waits(self, path: str) -> bool:
        """Tell whether there is a question about a directory that has no answer yet."""
        return path in self._late

    def _is_hopeless(self, path: str) -> bool:
        """Tell whether to ask about a directory would only cost one more thread."""
        with self._lock:
            late = set(self._late)
        if path in late or len(late) >= MOST_LATE:
            return True
        if len(late) < MANY_LATE:
            return False
        shared = os.path.commonpath(late)
        return shared != "/" and os.path.commonpath((shared, path)) == shared

    def _worker(self) -> "SimpleQueue[_Put[T]]":
        """Return what a thread that has nothing to do takes its questions from."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        fresh: SimpleQueue[_Put[T]] = SimpleQueue()
        threading.Thread(target=self._work, args=(fresh,), name="asking", daemon=True).start()
        return fresh

    def _work(self, questions: "SimpleQueue[_Put[T]]") -> None:
        while True:
            put = questions.get()
            found: T | Exception
            try:
                found = self._question(put.path)
            except Exception as error:  # noqa: BLE001 - it is raised where it was asked
                found = error
            with self._lock:
                put.done = True
                self._late.discard(put.path)
                enough = len(self._idle) >= MOST_IDLE
                if not enough:
                    self._idle.append(questions)
            put.found.put(found)
            if enough:
                return


class _Put(Generic[T]):
    """A question that was put.

    Attributes:
        path: what about.
        done: whether there is an answer.
        found: gives the answer, or what was raised in its place.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.done = False
        self.found: SimpleQueue[T | Exception] = SimpleQueue()

    def answer(self, seconds: float) -> T:
        """Wait for the answer.

        Raises:
            Empty: there is none in time.
            Exception: what came in its place.
        """
        found = self.found.get(timeout=seconds)
        if isinstance(found, Exception):
            raise found
        return found
