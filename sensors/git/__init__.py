"""Notices what others do in a session's repository: branches, commits, files, operations.

`place` and `refs` read files, `child` runs git, `safety` decides whether it may, `porcelain`
parses its answers, `look` joins these to one look, `compare` says what changed, `when` finds
out at what time, and `sensor` ties them together.
"""

from attendd.api import SensorType, hookimpl
from sensors.git.sensor import GitConfig, GitSensor

__all__ = ["GitConfig", "GitSensor"]


@hookimpl
def attend_sensors() -> list[SensorType]:
    """Offer the git sensor."""
    summary = "branches, commits, uncommitted files and operations of others in the repository"
    return [SensorType("git", summary, GitConfig, GitSensor, rests=True)]
