"""Plugins that listen: they hear what was told, and what they do wrong is named."""

import contextlib

from attendd import log
from attendd.clock import Clock
from attendd.errors import StoreError
from attendd.host.faulty import MOST
from attendd.model import Observation
from attendd.registry import Registry, Rejected
from attendd.store import JournalRow, Store
from attendd.store.health import LISTENER

_log = log.get_logger("listeners")


class Listeners:
    """Has them hear, and `attend status` say which of them fails now."""

    def __init__(self, registry: Registry, store: Store, clock: Clock) -> None:
        """Take who listens, and where it is kept how that goes."""
        self._registry = registry
        self._store = store
        self._clock = clock
        self._said: dict[str, str] = {}

    def begin(self) -> None:
        """Forget what an earlier host had to say of them."""
        with contextlib.suppress(StoreError):
            for about in self._store.health.of_host():
                if about.startswith(LISTENER):
                    self._store.health.say(about, "", self._clock.wall())

    def hear(self, session: str, observations: tuple[Observation, ...]) -> list[JournalRow]:
        """Have all of them hear what a session was told.

        Returns:
            What is worth an entry in the journal, once for each of them.
        """
        complaints = self._registry.emitted(session, observations)
        for each in complaints:
            _log.warning("a plugin that listens failed", name=each.name, why=each.reason)
        self._keep()
        return [self._row(each, session) for each in complaints]

    def _keep(self) -> None:
        """Write down what is wrong with them now, where that has changed."""
        now = {name: each.reason for name, each in self._registry.faulty.items()}
        for name in now.keys() | self._said.keys():
            if (name in now) == (name in self._said):
                continue
            with contextlib.suppress(StoreError):
                text = now.get(name, "")
                self._store.health.say(f"{LISTENER}{name}", text, self._clock.wall())
                if text:
                    self._said[name] = text
                else:
                    del self._said[name]

    def _row(self, complaint: Rejected, session: str) -> JournalRow:
        return JournalRow(
            at=self._clock.wall(),
            kind="health",
            code="failing",
            session=session,
            sensor=complaint.name,
            text=complaint.reason,
            detail=complaint.detail.rstrip()[-MOST:],
        )
