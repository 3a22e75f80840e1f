"""An idempotency key for each hook event: answered once, however often attend is installed."""

import time

from attendd.hot import db, places

NEARBY_S = 5.0
"""The same event of the same process within so long is the same one, heard twice; unless
something for its session has come since, which it may be about as well."""

_CLAIM = """
INSERT INTO meta(key, value) VALUES (?1, ?2)
ON CONFLICT(key) DO UPDATE SET value = ?2 WHERE abs(value - ?2) > ?3
OR EXISTS (SELECT 1 FROM delivery WHERE session = ?4 AND state IN ('stored', 'claimed')
    AND state = 'stored' AND id > CAST(substr(value, instr(value, ' ') + 1) AS INTEGER))
"""
_NEWEST = "SELECT coalesce(max(id), 0) FROM delivery"
_FORGET = "DELETE FROM meta WHERE key GLOB 'answered:*' AND abs(value - ?1) > ?2"


def newest(store: db.Connection) -> int:
    """Number what has come for anybody so far.

    Raises:
        StoreError: the store can't be read.
    """
    return int(db.read(store, _NEWEST)[0][0])


def first(
    store: db.Connection, name: str, session: str, mark: str, newest: int | None = None
) -> bool:
    """Claim an event; tell whether it is ours to answer.

    Args:
        store: an open store.
        name: what happened.
        session: in which session.
        mark: what else tells events apart, for instance why it came.
        newest: what had come when it was looked what waits, if it is about that.

    Raises:
        StoreError: it could not be claimed.
    """
    key = ":".join(("answered", name, session, mark, places.env("CLAUDE_PID")))
    now = f"{time.time():.3f}"
    value = now if newest is None else f"{now} {newest}"

    def claim(store: db.Connection) -> bool:
        store.execute(_FORGET, (now, NEARBY_S))
        return store.execute(_CLAIM, (key, value, NEARBY_S, session)).rowcount > 0

    return db.write(store, claim)


def mark(text: str) -> str:
    """Give an event a mark of its own; what is said twice in the same words has the same.

    Source:
        The text as a number, modulo a Mersenne prime: quick at any length without a module
        more. It is no defence against anybody.
    """
    return f"{int.from_bytes(text.encode('utf-8', 'replace'), 'little') % ((1 << 61) - 1):x}"
