"""Whether a session that starts takes part in its project's memory, and what it is told."""

import time

from attendd.hot import identity, memory_place, memory_settings, places
from attendd.hot.db import Connection, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from attendd.hot.hook import Event
    from attendd.hot.recall import Recall


def recalled(db: Connection, event: "Event", workdir: str) -> "Recall | None":
    """Find what a session is told; ``None``: nothing, mostly because memory is off.

    Raises:
        StoreError: the store can't be used.
    """
    settings = _settings(db)
    on = enabled(workdir, default=settings.enabled)
    if not on and not read(db, "SELECT 1 FROM memory_project LIMIT 1"):
        return None
    wall = time.time()
    project = memory_place.of(db, identity.project_of(workdir), wall)
    if not memory_place.configure(db, project, wall, configured=on):
        return None
    from attendd.hot import memory_session, recall

    lost = event.source == "compact"
    here = memory_session.begin(db, event.session, project, wall, lost=lost)
    return recall.at_start(db, event, here, settings)


def enabled(workdir: str, *, default: bool) -> bool:
    """Tell whether memory is on by the user's file, unless a project's own turns it off."""
    path = identity.project_file(workdir) if default else ""
    said = (memory_settings.of_file(path) or {}).get("enabled") if path else None
    return default and said is not False


def _settings(db: Connection) -> memory_settings.Settings:
    """Read what is set, and keep it where a prompt's hook finds it."""
    table = memory_settings.of_file(places.config_file())
    if table is None:  # a file that is not TOML changes nothing
        return memory_settings.kept(db)
    settings = memory_settings.Settings(table)
    memory_settings.keep(db, settings)
    return settings
