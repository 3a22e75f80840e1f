"""An idempotency key for each hook event: answered once, however often attend is installed."""

import time

from attendd.hot import db, places

NEARBY_S = 5.0
"""The same event of the same process within so long is the same one, heard twice."""

_CLAIM = """
INSERT INTO meta(key, value) VALUES (?1, ?2)
ON CONFLICT(key) DO UPDATE SET value = ?2 WHERE abs(value - ?2) > ?3
"""
_FORGET = "DELETE FROM meta WHERE key GLOB 'answered:*' AND abs(value - ?1) > ?2"


def first(store: db.Connection, *words: str) -> bool:
    """Claim an event; tell whether it is ours to answer.

    Args:
        store: an open store.
        words: what tells events apart: its name, the session, why it came.

    Raises:
        StoreError: it could not be claimed.
    """
    key = ":".join(("answered", *words, places.env("CLAUDE_PID")))
    now = f"{time.time():.3f}"

    def claim(store: db.Connection) -> bool:
        store.execute(_FORGET, (now, NEARBY_S))
        return store.execute(_CLAIM, (key, now, NEARBY_S)).rowcount > 0

    return db.write(store, claim)


def mark(text: str) -> str:
    """Give an event a mark of its own; what is said twice in the same words has the same.

    Source:
        The text as a number, modulo a Mersenne prime: quick at any length without a module
        more. It is no defence against anybody.
    """
    return f"{int.from_bytes(text.encode('utf-8', 'replace'), 'little') % ((1 << 61) - 1):x}"
