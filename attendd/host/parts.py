"""What a host is made of."""

from typing import NamedTuple

from attendd.clock import Clock
from attendd.config import LiveConfig
from attendd.harness import Harness, SessionView, attached
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
        return attached.view(self.harness, self.store, row)
