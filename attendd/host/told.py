"""What is told to one session on its way out, and where it goes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec

from attendd.engine.batch import Batch, Decision
from attendd.host.sensing import Sensing
from attendd.model import Observation, Telling

if TYPE_CHECKING:
    from attendd.host.attended import Attended


class Told(msgspec.Struct, frozen=True):
    """A batch on its way, and the id that follows it from the observations to the reader."""

    batch: Batch
    correlation: str


class Outlet(Protocol):
    """Where what one session is told goes, and where it is written why."""

    def decided(
        self, attended: "Attended", decisions: Sequence[Decision], batch: Batch | None = None
    ) -> str:
        """Journal decisions; return the id of the batch that they led to, if any."""
        ...

    def open(self, attended: "Attended") -> bool:
        """Tell whether the reader has shown what it was given, so that more makes sense."""
        ...

    def emit(self, attended: "Attended", told: "Told") -> bool:
        """Commit a batch and ring its reader; false if it has to be tried again."""
        ...

    def watched(self) -> None:
        """Take note that what a sensor wants watched has changed."""
        ...

    def tellings(self, attended: "Attended", sensing: Sensing) -> Sequence[Telling]:
        """Return what hooks told for a sensor since it was last asked for."""
        ...

    def asked(self, attended: "Attended", seen: Sequence[Observation]) -> Sequence[Observation]:
        """Have hooks tell what only they can; return the rest."""
        ...

    def fared(self, attended: "Attended", sensing: Sensing, text: str) -> None:
        """Journal that a sensor began to fail, or works again."""
        ...
