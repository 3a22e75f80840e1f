"""What a checkpoint of one attended session holds, besides when it was made."""

from typing import Any

import msgspec

from attendd import log
from attendd.engine.snapshot import Snapshot
from attendd.host.desk import Laid
from attendd.host.told import Out

_log = log.get_logger("attended")


class Saved(msgspec.Struct):
    """The state of one attended session.

    Attributes:
        attention: the engine's.
        sensors: what each sensor keeps.
        laid: what lies ready for hooks.
        epochs: of the ids of its observations; see `attendd.host.trail.Trail`.
        out: what it decided to tell and was not shown yet.
        heard: the last telling of a hook that each sensor knows of.
    """

    attention: Snapshot
    sensors: dict[str, Any] = {}
    laid: Laid | None = None
    epochs: list[tuple[int, str]] = []
    out: Out = msgspec.field(default_factory=Out)
    heard: dict[str, int] = {}


def decode(state: bytes, attachment: str, *, otherwise: Saved) -> Saved:
    """Read a checkpoint; log one that can't be read, and return the other in its place."""
    try:
        return msgspec.json.decode(state, type=Saved)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        _log.warning("a checkpoint was not usable", attachment=attachment, why=str(error))
        return otherwise
