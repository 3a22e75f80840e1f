"""Says when the disk that a session works on is nearly full: a complete sensor of one's own."""

import shutil
from collections.abc import Sequence

from anyio import to_thread

from attendd.api import Focus, Observation, SensorConfig, SensorType, hookimpl


class FreeSpaceConfig(SensorConfig, frozen=True, kw_only=True):
    """``[sensors.free-space]``.

    Attributes:
        low_gb: the free space, in gigabytes, below which there is something to say.
    """

    low_gb: float = 5.0


class FreeSpaceSensor:
    """Remembers whether space was low at the last look, and speaks when that changes."""

    def __init__(self, config: FreeSpaceConfig) -> None:
        self._low_gb = config.low_gb
        self._was_low = False

    async def poll(self, focus: Focus) -> Sequence[Observation]:
        """Ask the system, in a thread: a network disk may take its time."""
        usage = await to_thread.run_sync(shutil.disk_usage, focus.workdir)
        free_gb = usage.free / 1e9
        was_low, self._was_low = self._was_low, free_gb < self._low_gb
        if self._was_low == was_low:
            return []
        text = f"free disk space {'fell' if self._was_low else 'rose'} to {free_gb:.1f} GB"
        magnitude = 4 if self._was_low else 1
        return [Observation(text=text, magnitude=magnitude, topic="free-space")]


@hookimpl
def attend_sensors() -> list[SensorType]:
    """Offer the sensor."""
    summary = "free space on the session's disk fell below a mark"
    return [SensorType("free-space", summary, FreeSpaceConfig, FreeSpaceSensor)]
