"""What a plugin raised: in a line for whoever has it, in full for whoever wrote it."""

import math
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from attendd.api import Focus, Observation
from attendd.guard import ForeignError

MOST = 4_000
"""Characters that are kept of a traceback, its end."""
AGAIN_S = 3600.0
"""How long a sensor's traceback is not written again."""
_OURS = f"{Path(__file__).parents[1]}/"


class BuildError(Exception):
    """A sensor could not be built."""


class Unbuilt:
    """Stands for a sensor that could not be built."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def poll(self, _focus: Focus) -> Sequence[Observation]:
        """Fail.

        Raises:
            BuildError: always.
        """
        raise BuildError(f"it can't be built: {in_brief(self._error)}") from self._error


class Traces:
    """Leaves out what was said within the hour: a sensor may fail at every other poll."""

    def __init__(self) -> None:
        self._last = ""
        self._at = -math.inf

    def fresh(self, trace: str, wall: float) -> str:
        """Return a traceback; nothing if it is as the last one, and that is not long ago."""
        if trace == self._last and wall < self._at + AGAIN_S:
            return ""
        self._last, self._at = trace, wall
        return trace


def in_brief(error: Exception) -> str:
    """Say in one line what a plugin raised."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - that is a plugin's code, too
        text = ""
    if not text or not isinstance(error, (TimeoutError, ForeignError, BuildError)):
        text = f"{type(error).__name__}: {text}"
    return text.partition("\n")[0].rstrip(": ")


def in_full(error: Exception) -> str:
    """Return the traceback of what a plugin raised, from where our code called it."""
    shown = traceback.format_exception(type(error), error, _theirs(error.__traceback__))
    return "".join(shown).rstrip()[-MOST:]


def _theirs(trace: TracebackType | None) -> TracebackType | None:
    """Leave out how we came to call it; where all of it is ours, nothing."""
    there = trace
    while there is not None and there.tb_frame.f_code.co_filename.startswith(_OURS):
        there = there.tb_next
    return there or trace
