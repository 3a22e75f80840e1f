"""Notices other sessions of the project and of shared channels: who came, who went, who turned.

`damping` decides how much of a session's coming, going and turning is worth saying, `words`
says it, and `sensor` ties them together.
"""

from attendd.api import SensorType, hookimpl
from sensors.peers.sensor import PeersConfig, PeersSensor

__all__ = ["PeersConfig", "PeersSensor"]


@hookimpl
def attend_sensors() -> list[SensorType]:
    """Offer the peers sensor."""
    summary = "sessions that appear, turn or go, in the project and in shared channels"
    return [SensorType("peers", summary, PeersConfig, PeersSensor, rests=True)]
