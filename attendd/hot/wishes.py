"""Cached settings: what a person has set that hooks and readers must know, kept in the store.

They have no time for TOML. Whoever reads the configuration anyway, a session's start and the
host, keeps here what it says; a key that is not kept has its default.
"""

from attendd.hot import folders, pace
from attendd.hot.db import Connection, read, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SHOW_HOOKS = "show_hooks"
SECTION = "messages"
"""The part of the configuration in which all of them are."""
DEFAULTS = {
    SHOW_HOOKS: "summary",
    "gap_s": str(pace.GAP_S),
    "max_messages": str(pace.MOST),
    "window_s": str(pace.WINDOW_S),
}
_CHOICES = ("off", "summary", "full")
_LEAST = {"gap_s": 0.0, "max_messages": 1.0, "window_s": 0.001}
_KEPT = "SELECT substr(key, 6), value FROM meta WHERE key >= 'wish:' AND key < 'wish;'"
_LIMIT = 256 << 10


def get(db: Connection, key: str) -> str:
    """Return what is wished for.

    Raises:
        StoreError: the store can't be read.
    """
    return _all(db)[key]


def terms(db: Connection) -> tuple[float, int, float]:
    """Return how often messages may be shown: see `pace.Pace.adapt`.

    Raises:
        StoreError: the store can't be read.
    """
    said = _all(db)
    return float(said["gap_s"]), int(said["max_messages"]), float(said["window_s"])


def keep(db: Connection, wished: "Mapping[str, str]") -> bool:
    """Keep wishes; tell whether one of them is new.

    Raises:
        StoreError: none was kept.
    """
    known = _all(db)
    rows = [
        (f"wish:{key}", value)
        for key, value in wished.items()
        if value != known[key] and _fits(key, value)
    ]
    sql = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)"
    if rows:
        write(db, lambda db: db.executemany(sql, rows))
    return bool(rows)


def keep_file(db: Connection, path: str) -> None:
    """Keep what a configuration file wishes; one that is not TOML changes nothing.

    Raises:
        StoreError: it was not kept.
    """
    text = folders.read(path, _LIMIT)
    said: object = {}
    if SECTION in text:
        import tomllib  # dear, so only for a file that may say it

        try:
            text.encode()  # what is not UTF-8 is a ValueError, too
            said = tomllib.loads(text).get(SECTION, {})
        except (ValueError, RecursionError):
            return
    if isinstance(said, dict):
        keep(db, DEFAULTS | {key: str(said[key]) for key in DEFAULTS if key in said})


def _all(db: Connection) -> dict[str, str]:
    kept = {key: value for key, value in read(db, _KEPT, ()) if _fits(key, value)}
    return {key: kept.get(key, default) for key, default in DEFAULTS.items()}


def _fits(key: object, value: object) -> bool:
    """Whether a key can have a value. Whoever made it may have been a later release."""
    if key == SHOW_HOOKS:
        return value in _CHOICES
    try:
        number = int(str(value)) if key == "max_messages" else float(str(value))
        return _LEAST[str(key)] <= number < float("inf")
    except (ValueError, KeyError):
        return False
