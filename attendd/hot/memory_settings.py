"""What is set of memory, kept in the store, where it is cheap for hooks to read.

Whoever reads the configuration anyway, a session's start and the host, keeps it here. What does
not fit has its default; `attend config lint` says so.
"""

from attendd.hot import folders
from attendd.hot.db import Connection, read, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

KEY = "memory:settings"
DEFAULTS: "dict[str, bool | int | str]" = {
    "enabled": False,
    "namespace": "attend",
    "show": "summary",
    "hide_tags": True,
    "max_facts": 25,
    "max_bytes": 2_048,
    "turns": 20,
    "growth_bytes": 40_000,
}
"""Of all but the names; a test holds them to those of the configuration."""

GOAL = "goal"
"""No reader's name: what is addressed so is for the session that says it."""

_LIMIT = 256 << 10
_SHOWN = ("off", "summary", "full")


class Settings:
    """See the configuration's section of memory for what they mean."""

    __slots__ = (*DEFAULTS, "consumers")

    enabled: bool
    namespace: str
    show: str
    hide_tags: bool
    max_facts: int
    max_bytes: int
    turns: int
    growth_bytes: int
    consumers: tuple[str, ...]

    def __init__(self, table: "Mapping[str, object]") -> None:
        """Take what of a table fits."""
        for name, default in DEFAULTS.items():
            value = table.get(name)
            setattr(self, name, value if _fits(name, value, default) else default)
        named = table.get("consumers")
        names = named if isinstance(named, (list, tuple)) else ()
        self.consumers = tuple(
            name for name in names if isinstance(name, str) and is_name(name)
        )

    def text(self) -> str:
        """Write them in one line."""
        values = [str(getattr(self, name)) for name in DEFAULTS]
        return "\t".join([*values, *self.consumers])


def is_name(text: str) -> bool:
    """Tell whether a fact may be addressed so: to an agent, or with ``#`` to a channel."""
    plain = text.removeprefix("#").replace(".", "").replace("_", "").replace("-", "")
    fits = plain.isascii() and plain.isalnum() and len(text) <= 41  # noqa: PLR2004 - with its #
    return fits and text.lower() != GOAL


def kept(db: Connection) -> Settings:
    """Return what is set.

    Raises:
        StoreError: the store can't be read.
    """
    found = read(db, "SELECT value FROM meta WHERE key = ?", (KEY,))
    return of_text(str(found[0][0]) if found else "")


def of_text(text: str) -> Settings:
    """Read what `Settings.text` wrote."""
    values = text.split("\t") if text else []
    table: dict[str, object] = {}
    for (name, default), value in zip(DEFAULTS.items(), values, strict=False):
        if isinstance(default, bool):
            table[name] = value == "True"
        else:
            table[name] = int(value) if isinstance(default, int) else value
    return Settings({**table, "consumers": values[len(DEFAULTS) :]})


def keep(db: Connection, settings: Settings) -> None:
    """Keep what is set, unless it is kept already.

    Raises:
        StoreError: it was not kept.
    """
    row = (KEY, settings.text())
    if read(db, "SELECT 1 FROM meta WHERE key = ? AND value = ?", row):
        return
    write(db, lambda db: db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", row))


def of_file(path: str) -> "dict[str, object] | None":
    """Return what a configuration file says of memory; ``None`` where it can't be read."""
    text = folders.read(path, _LIMIT)
    if "memory" not in text:
        return {}
    import tomllib  # dear, so only for a file that may say it

    try:
        text.encode()  # what is not UTF-8 is a ValueError, too
        table = tomllib.loads(text).get("memory", {})
    except (ValueError, RecursionError):
        return None
    return table if isinstance(table, dict) else {}


def _fits(name: str, value: object, default: object) -> bool:
    if type(value) is not type(default):
        return False
    if name == "namespace":
        return str(value).isascii() and str(value).isalnum() and str(value).islower()
    return value in _SHOWN if name == "show" else not isinstance(value, int) or value >= 0
