"""Tells a person, once, how the tags of facts are kept out of what is shown of an answer."""

from attendd.hot.db import Connection, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from attendd.hot.memory_settings import Settings

COMMAND = "claude plugin install attend-memory@attend --scope local"
NOTICE = (
    "attend's memory is on here: agents write facts between tags into their answers. To have"
    f" the tags hidden from you: {COMMAND} (answers then appear line by line)"
)

_KEY = "memory:hiding"


def due(db: Connection, settings: "Settings") -> bool:
    """Tell whether a person is to be told.

    Raises:
        StoreError: the store can't be read.
    """
    if settings.show == "off" or not settings.hide_tags:
        return False
    return not read(db, "SELECT 1 FROM meta WHERE key = ?", (_KEY,))


def told(db: Connection) -> None:
    """Note, in the caller's transaction, that a person was told."""
    db.execute("INSERT OR IGNORE INTO meta VALUES (?, '')", (_KEY,))
