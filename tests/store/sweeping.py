"""A host that clears up some days from now."""

from pathlib import Path

from attendd.config import LiveConfig
from attendd.harness import ClaudeHarness
from attendd.host.mailroom import Mailroom, Note
from attendd.hot import moment
from attendd.store import Store

DAY_S = 24 * 3600.0


class Later:
    """A clock that stands still, so many days from now."""

    def __init__(self, days: float) -> None:
        self._now = moment.now()
        self._ahead = days * DAY_S

    def now(self) -> float:
        return self._now.bt + self._ahead

    def wall(self) -> float:
        return self._now.wall + self._ahead

    def slept(self) -> float:
        return 0.0


def sweep(path: str, days: float, note: Note) -> None:
    """Let a host clear up a store so many days later."""
    nowhere = Path(path).parent / "none"
    harness, config = ClaudeHarness(nowhere), LiveConfig({}, path=nowhere)
    store = Store(path)
    Mailroom(store, harness, config, Later(days), list, note).sweep()
    store.close()
