"""What a host is made of."""

from typing import NamedTuple

from attendd.clock import Clock
from attendd.config import LiveConfig
from attendd.harness import Harness, NoView, SessionView
from attendd.loop import Wait, wait_for
from attendd.registry import Registry
from attendd.store import Attachment, Store
from attendd.store.journal import Journal


class Parts(NamedTuple):
    """What a host is made of; ``wait`` is how it sleeps."""

    store: Store
    journal: Journal
    registry: Registry
    config: LiveConfig
    harness: Harness
    clock: Clock
    wait: Wait = wait_for

    def view(self, row: Attachment) -> SessionView:
        """Return what the files of an attachment's client say."""
        if row.client_pid is None:
            return NoView(row.session)
        session = self.store.sessions.get(row.session)
        return self.harness.view(
            row.session,
            row.client_pid,
            row.client_start,
            row.workdir,
            session.transcript if session else "",
        )
