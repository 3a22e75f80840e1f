"""What is set for a session, by the directory that it works in."""

from collections.abc import Callable
from pathlib import Path

from attendd.asking import Asking
from attendd.config import LiveConfig, Loaded
from attendd.hot import identity

MOST = 256
"""So many directories are remembered with what was in force there last."""


class Configured:
    """Finds the configuration that is in force in a directory.

    Where the file system does not answer, that is what was in force there before, or else what
    the user has set.
    """

    def __init__(
        self, config: LiveConfig, find: Callable[[str], str] = identity.project_file
    ) -> None:
        """Take what it works with.

        Args:
            config: reads the files.
            find: names the project's file for a directory; may take for ever.
        """
        self._config = config
        self._asking = Asking(find)
        self._last: dict[str, Loaded] = {}

    def of(self, workdir: str) -> Loaded:
        """Return what is in force in a directory now."""
        try:
            folder = self._asking.ask(workdir).rpartition("/")[0]
        except TimeoutError:
            return self._last.get(workdir) or self._config.current()
        config = self._config
        loaded = config.project(Path(folder)) if folder else config.current()
        self._last.pop(workdir, None)
        self._last[workdir] = loaded
        if len(self._last) > MOST:
            del self._last[next(iter(self._last))]
        return loaded
