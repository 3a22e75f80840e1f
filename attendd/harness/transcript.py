"""One transcript file, and what is known of the conversation in it."""

import os
from collections.abc import Callable
from pathlib import Path

from attendd.harness.conversation import Conversation
from attendd.harness.evidence import Evidence, Traces
from attendd.harness.tail import Tail

PROOF_LOOK = 4 * 1024 * 1024
"""Bytes read, from its end, of a transcript in which proof is looked for the first time."""


class Transcript:
    """Follows a transcript, whatever its size, by reading its end and then what is added.

    Attributes:
        path: the file; it need not exist yet.
        conversation: what its rows add up to.
        times_anew: how often the file was replaced, rewritten or cut since we know it.
    """

    def __init__(
        self, path: Path, read_at: Callable[[int, int, int], bytes] = os.pread
    ) -> None:
        self.path = path
        self.conversation = Conversation()
        self.times_anew = 0
        self._tail = Tail(path, read_at)
        self._read_at = read_at
        self._proof: Tail | None = None
        self._evidence = Evidence()
        self._seen = False
        self._found = False

    def refresh(self) -> bool:
        """Look again: one stat if nothing changed. Tell whether something did.

        The first look reads on, backwards, up to `attendd.harness.tail.FARTHEST_BACK`, while it
        has shown no figure at all: a single row may be megabytes long.
        """
        look = self._tail.look()
        if look.anew:
            if self._seen:
                self.times_anew += 1
                self.conversation = Conversation()
            self._seen, self._found = True, False
        self.conversation.read(look.lines)
        looked_back = self._seen and not self._found and self._look_back()
        return bool(look.lines) or look.anew or looked_back

    @property
    def size(self) -> int:
        """Its size in bytes; 0 while there is none."""
        return self._tail.size

    @property
    def contract(self) -> str:
        """What about it is not as this release knows it; empty if nothing is."""
        if self._tail.problem:
            return f"its transcript cannot be read: {self._tail.problem}"
        for kind, problem in dict(self.conversation.faults).items():  # a thread may change it
            return f"rows of kind {kind!r} in its transcript have changed: {problem}"
        return ""

    @property
    def readable(self) -> bool:
        """Whether it can be read, or is not there yet."""
        return not self._tail.problem

    @property
    def mtime(self) -> float | None:
        """When it was last written, wall clock; ``None`` while there is none."""
        return self._tail.mtime

    @property
    def whole(self) -> bool:
        """Whether all of it was read, so that what was not seen is not there."""
        return self._tail.whole or not self._seen

    @property
    def measured(self) -> bool:
        """Whether a missing figure means that there is none, not that none was found."""
        return self.whole or self._found

    def traces(self) -> Traces:
        """Look for what proves that messages came in; reads on where the last time ended.

        The first time it reads the last `PROOF_LOOK` bytes, and later what was added.
        """
        if self._proof is None:
            self._proof = Tail(self.path, self._read_at, PROOF_LOOK)
        look = self._proof.look()
        if look.anew:
            self._evidence = Evidence(whole=self._proof.whole)
        self._evidence.read(look.lines)
        return self._evidence.traces()

    def _look_back(self) -> bool:
        """Go back to the last figure, as far as may be; tell whether that ended the search."""
        if self.conversation.branches.latest.figure is not None:
            self._found = True
            self._tail.forget()
            return False
        while not self._found and (lines := self._tail.earlier()) is not None:
            self._found = self.conversation.look_back(lines)
        return self._found
