"""The bell that the host is rung at: there again wherever it was removed."""

import asyncio
from collections.abc import Callable

from attendd import log
from attendd.hot import bell

_log = log.get_logger("host")


class Doorbell:
    """A bell on the running event loop."""

    def __init__(self, path: str, rung: Callable[[], None]) -> None:
        """Take where it is and what to do when it is rung; it is there from `hear` on."""
        self._path = path
        self._rung = rung
        self._fd = -1

    def hear(self) -> None:
        """Have it at its path, from which a log-out may have removed it."""
        loop, old = asyncio.get_running_loop(), self._fd
        try:
            self._fd = bell.bind(self._path) if old < 0 else bell.rebind(old, self._path)
        except OSError as error:
            _log.warning("the host can't be rung", why=str(error))
        if self._fd == old:
            return
        if old >= 0:
            loop.remove_reader(old)
        loop.add_reader(self._fd, self._ring)

    def close(self) -> None:
        """Take it away."""
        if self._fd >= 0:
            asyncio.get_running_loop().remove_reader(self._fd)
            bell.unbind(self._fd, self._path)
            self._fd = -1

    def _ring(self) -> None:
        bell.drain(self._fd)
        self._rung()
