"""Notices builds and test runs: what was started, by whom, for how long, and how it ended.

`source` reads processes (`portable` where there is no ``/proc``), `naming` tells which of them
are builds, `table` follows those as stories for all sessions at once, `ending` finds out how a
process ended, `words` says it, and `sensor` ties them together.
"""

from attendd.api import SensorType, hookimpl
from sensors.processes.sensor import ProcessesConfig, ProcessesSensor

__all__ = ["ProcessesConfig", "ProcessesSensor"]


@hookimpl
def attend_sensors() -> list[SensorType]:
    """Offer the processes sensor."""
    summary = "builds and test runs of the project: who started them, how long, how they ended"
    return [SensorType("processes", summary, ProcessesConfig, ProcessesSensor)]
