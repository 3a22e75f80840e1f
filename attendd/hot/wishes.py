"""What a person has set that hooks must know, kept in the store, where it is cheap to read.

A hook has no time for TOML. Whoever reads the configuration anyway, a session's start and the
host, keeps here what it says; a key that is not kept has its default.
"""

from attendd.hot import folders
from attendd.hot.db import Connection, read, write

SHOW_HOOKS = "show_hooks"
"""``[messages] show_hooks``: what the person sees of that which a hook put before the model."""
DEFAULTS = {SHOW_HOOKS: "summary"}
_ALLOWED = {SHOW_HOOKS: ("off", "summary", "full")}
_SECTIONS = {SHOW_HOOKS: "messages"}
_LIMIT = 256 << 10


def get(db: Connection, key: str) -> str:
    """Return what is wished for.

    Raises:
        StoreError: the store can't be read.
    """
    found = read(db, "SELECT value FROM meta WHERE key = ?", (f"wish:{key}",))
    value = str(found[0][0]) if found else ""
    return value if value in _ALLOWED[key] else DEFAULTS[key]


def keep(db: Connection, key: str, value: str) -> None:
    """Keep a wish, unless it is kept already.

    Raises:
        StoreError: it was not kept.
    """
    if get(db, key) == value or value not in _ALLOWED[key]:
        return
    sql = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)"
    write(db, lambda db: db.execute(sql, (f"wish:{key}", value)))


def keep_file(db: Connection, path: str) -> None:
    """Keep what a configuration file wishes; one that is not TOML changes nothing.

    Raises:
        StoreError: it was not kept.
    """
    text = folders.read(path, _LIMIT)
    for key, default in DEFAULTS.items():
        said: object = default
        if key in text:
            import tomllib  # dear, so only for a file that may say it

            try:
                said = tomllib.loads(text)[_SECTIONS[key]][key]
            except KeyError:
                said = default
            except (ValueError, TypeError, RecursionError):
                continue
        if isinstance(said, str):
            keep(db, key, said)
