"""The ids that follow observations, from what a sensor saw to the line that was shown."""

import base64
import hashlib
import secrets

_BYTES = 5


class Trail:
    """Gives each observation of an attention an id, by the number that it has there.

    Attributes:
        epoch: goes into all of them, because an attention that is begun anew numbers anew.
    """

    def __init__(self, epoch: str = "") -> None:
        """Begin anew, or go on with the epoch of a checkpoint."""
        self.epoch = epoch or secrets.token_hex(_BYTES)

    def of(self, item: int) -> str:
        """Return the id of an observation; empty where there is none."""
        if not item:
            return ""
        data = hashlib.blake2b(f"{self.epoch}:{item}".encode(), digest_size=_BYTES)
        return base64.b32encode(data.digest()).decode().lower()
