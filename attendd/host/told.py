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


class Out(msgspec.Struct):
    """What one session's attention decided to tell: not stored yet, not shown yet, or missed.

    Attributes:
        unsent: decided to be told, and not in the store yet.
        given: what waits there for a reader: the sensor and the topic of each observation, by
            the id of its batch.
        missed: topics that will not be shown, by sensor, until the sensor has heard of it.
    """

    unsent: Told | None = None
    given: dict[str, list[tuple[str, str]]] = {}
    missed: dict[str, list[str]] = {}

    def give(self, told: Told) -> None:
        """Take note that it is being put into the store."""
        self.unsent = None
        self.given[told.correlation] = [
            (line.slot, each.topic) for line in told.batch.lines for each in line.observations
        ]

    def take_back(self, told: Told) -> None:
        """Take note that the store did not take it."""
        del self.given[told.correlation]
        self.unsent = told

    def ended(self, correlation: str, *, shown: bool) -> None:
        """Take note that it waits no more."""
        for sensor, topic in self.given.pop(correlation):
            if not shown:
                self.miss(sensor, topic)

    def miss(self, sensor: str, topic: str) -> None:
        """Take note that something a sensor has observed will not be shown to anybody."""
        self.missed.setdefault(sensor, []).append(topic)

    def heard(self, sensor: str, missed: Sequence[str]) -> bool:
        """Take note that a sensor knows of these; tell whether there were any."""
        if missed:
            del self.missed[sensor][: len(missed)]
        return bool(missed)


class Outlet(Protocol):
    """Where what one session is told goes, and where it is written why."""

    def decided(
        self, attended: "Attended", decisions: Sequence[Decision], batch: Batch | None = None
    ) -> str:
        """Journal decisions; return the id of the batch that they led to, if any."""
        ...

    def untold(self, attended: "Attended", batch: Batch) -> Batch | None:
        """Leave out of a batch what hooks have told; ``None`` where that can't be found out."""
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

    def asked(
        self, attended: "Attended", sensor: str, seen: Sequence[Observation]
    ) -> Sequence[Observation]:
        """Have hooks tell what only they can; return the rest."""
        ...

    def fared(self, attended: "Attended", sensing: Sensing, text: str, trace: str = "") -> None:
        """Journal that a sensor began to fail, with the traceback, or works again."""
        ...
