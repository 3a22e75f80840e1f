"""Keeps the facts that came through a pipe: vetted and recorded beside the passing on."""

import os
import queue
import threading
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial

from attendd.cli.config import in_force
from attendd.cli.pipe import Caught
from attendd.cli.state import writable
from attendd.hot import db as hot
from attendd.hot import identity, memory_place, memory_session, nonces
from attendd.hot.percepts import Parser
from attendd.memory import vetting
from attendd.memory.record import Limits, Said, record, refuse
from attendd.store import Store

MOST = 1_000
"""Facts of one run that are looked at; more are counted."""


def pipes_of(place: str) -> str:
    """Name the session that the nonces for pipes in a project belong to."""
    return f"pipe:{place}"


class Keeper:
    """Knows whose tags are meant, and keeps what stood in them."""

    def __init__(self, nonce: str) -> None:
        """Begin.

        Args:
            nonce: of the tags; empty: of the session that a stream names, or the one that was
                made last for a pipe in this project.
        """
        self._memory = in_force({}).config.memory
        self._place = identity.project_of(identity.current_dir())
        self._nonce = nonce
        self._found: dict[str, str] = {}
        self._waiting: queue.SimpleQueue[Caught | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._run = os.urandom(4).hex()
        self._taken = self._looked_at = 0
        self._not_kept: Counter[str] = Counter()

    def begin(self, session: str) -> Parser | None:
        """Make the parser of a message of a session; ``None`` if its nonce is not known."""
        if session not in self._found:
            self._found[session] = self._nonce or self._stored(session)
        if not self._found[session]:
            return None
        memory = self._memory
        return Parser(
            self._found[session],
            namespace=memory.namespace,
            agents=memory.consumers,
            escaped=True,
        )

    def catch(self, caught: Caught) -> None:
        """Have something kept, or counted."""
        self._taken += 1
        if self._taken > MOST:
            self._not_kept[f"more than {MOST:,} came"] += 1
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._keep_all)
            self._thread.start()
        self._waiting.put(caught)

    def close(self) -> None:
        """Wait until all is kept."""
        if self._thread is not None:
            self._waiting.put(None)
            self._thread.join()

    def report(self) -> Iterator[str]:
        """Say what a person should know, line by line; mostly nothing."""
        if not any(self._found.values()):
            yield "attend: nothing was taken out, as it is not known whose tags are meant"
            yield "  hint: --nonce N, as `attend memory instruction --new` prints it"
        for reason, count in self._not_kept.most_common():
            yield f"attend: not kept: {count:,} fact{'s' * (count > 1)}: {reason}"

    def _stored(self, session: str) -> str:
        """Look up whose tags are meant."""
        try:
            db = hot.connect(readonly=True)
            own = nonces.current(db, session) if session else ""
            return own or nonces.current(db, pipes_of(self._place))
        except hot.StoreError as error:
            self._not_kept[str(error)] += 1
            return ""

    # -- in a thread of its own -----------------------------------------------------

    def _keep_all(self) -> None:
        going_on = True
        while going_on:
            batch = [self._waiting.get()]
            while not self._waiting.empty():
                batch.append(self._waiting.get())
            going_on = batch[-1] is not None
            caught = [each for each in batch if each is not None]
            try:
                self._keep(caught)
            except Exception as error:  # noqa: BLE001 - whatever it is, text passes on
                self._not_kept[str(error)] += len(caught)

    def _keep(self, caught: list[Caught]) -> None:
        store, wall = writable(), time.time()
        try:
            project = store.call(lambda db: memory_place.of(db, self._place, wall))
            if not store.memories.configure(project, wall, configured=self._memory.enabled):
                self._not_kept["memory is off here: `attend memory on`"] += len(caught)
                return
            said = [self._said(each, project) for each in caught]
            for session in {each.session for each in said}:
                store.call(
                    partial(memory_session.begin, session=session, project=project, wall=wall)
                )
            objections = vetting.objections([each.text for each in caught])
            for each, known, objection in zip(said, caught, objections, strict=True):
                self._record(store, each, known.reason or objection, wall)
        finally:
            store.close()

    def _said(self, caught: Caught, project: int) -> Said:
        self._looked_at += 1
        return Said(
            text=caught.text,
            project=project,
            producer="subagent" if caught.sub else "agent",
            consumer=caught.consumer,
            session=caught.session or f"pipe:{self._run}",
            turn=caught.turn,
            source=f"pipe {self._run}#{self._looked_at}",
        )

    def _record(self, store: Store, said: Said, reason: str, wall: float) -> None:
        memory = self._memory
        limits = Limits(per_turn=memory.per_turn, per_session=memory.per_session)
        if reason:
            outcome = refuse(store, said, reason, wall)
        else:
            outcome = record(store, said, wall, limits)
        if outcome.kind == "refused":
            self._not_kept[outcome.reason] += 1
