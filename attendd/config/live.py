"""Configuration that follows its files while the host runs."""

import os
from pathlib import Path

from attendd.config.files import PROJECT_FILE, Loaded, Types, for_project, load
from attendd.hot import places

Stamp = tuple[int, int, int] | None
"""Inode, size and time of change in ns of a file; ``None`` while there is none."""
_UNKNOWN: Stamp = (0, 0, 0)
MOST_PROJECTS = 1_000
"""What is in force in so many projects is remembered, those read last."""


class LiveConfig:
    """Answers with what is in force now. One `os.stat` a call while nothing changes.

    A file that broke while the host runs leaves in force what it said before.
    """

    def __init__(self, types: Types, *, path: Path | None = None) -> None:
        self._types = types
        self._path = path or Path(places.config_file())
        self._stamp: Stamp = _stamp(self._path)
        self._user = load(types, path=self._path)
        self._projects: dict[Path, tuple[Stamp, Loaded, Loaded]] = {}

    def current(self) -> Loaded:
        """Return the user's configuration.

        The same object is returned until the file changes, so that ``is`` tells.
        """
        stamp = _stamp(self._path)
        if stamp != self._stamp:
            self._stamp = stamp
            self._user = load(self._types, path=self._path, last=self._user)
        return self._user

    def project(self, folder: Path) -> Loaded:
        """Return what is in force in a project, in the same way."""
        user = self.current()
        stamp = _stamp(folder / PROJECT_FILE)
        known = self._projects.get(folder)
        if known and known[0] == stamp and known[1] is user:
            return known[2]
        last = known[2] if known else None
        loaded = for_project(user, folder, self._types, last=last) if stamp else user
        self._projects.pop(folder, None)
        self._projects[folder] = (stamp, user, loaded)
        if len(self._projects) > MOST_PROJECTS:
            del self._projects[next(iter(self._projects))]
        return loaded

    def reread(self) -> None:
        """Have every file read again, also one that does not seem to have changed."""
        self._stamp = _UNKNOWN
        for folder, (_, user, loaded) in self._projects.items():
            self._projects[folder] = (_UNKNOWN, user, loaded)


def _stamp(path: Path) -> Stamp:
    try:
        found = os.stat(path)  # noqa: PTH116 - called at every poll of every session
    except (OSError, ValueError):
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
