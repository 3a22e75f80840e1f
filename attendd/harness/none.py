"""Sessions without a client: a terminal, or something that goes by a name of its own."""

from collections.abc import Sequence

from attendd.harness.base import Talk
from attendd.harness.evidence import Traces
from attendd.model import Activity, Command, Gauge
from attendd.store.figures import Stated


class NoView:
    """The `attendd.harness.SessionView` of a session nobody can look into."""

    transcript = ""
    contract = ""

    def __init__(self, session: str) -> None:
        self.session = session

    def refresh(self) -> None:
        """Do nothing."""

    def activity(self) -> Activity:
        """Return what is always so: unknown, hence taken for awake and prompted."""
        return Activity()

    def gauge(self, stated: Stated | None = None) -> Gauge | None:  # noqa: ARG002 - a protocol's
        """Return ``None``: there is no gauge at all."""
        return None

    def talk(self) -> Talk:
        """Return nothing: whoever is there can't be seen."""
        return Talk()

    def traces(self) -> Traces | None:
        """Return ``None``: nothing is written down."""
        return None

    def own_doing(self, since: float, until: float) -> bool | None:  # noqa: ARG002 - a protocol's
        """Return false: nobody says what runs in a terminal."""
        return False

    def commands(self) -> Sequence[Command]:
        """Return none: nobody says what runs in a terminal."""
        return ()
