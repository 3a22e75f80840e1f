"""What is removed of memory, and when. Facts and their log are never; they are a person's."""

from attendd.hot import db as hot

SHOWN_S = 90 * 24 * 3600.0
"""How long it is known what was put before models, which nonces there were, what was read."""


def remove(db: hot.Connection, wall: float, chunk: int) -> None:
    """Remove what is old, in the caller's transaction.

    Args:
        db: the store.
        wall: now.
        chunk: so many blocks at most.
    """
    before = wall - SHOWN_S
    old = "SELECT id FROM injection WHERE at < ? ORDER BY id LIMIT ?"
    ids = db.execute(old, (before, chunk)).fetchall()
    db.executemany("DELETE FROM injected WHERE injection = ?", ids)
    db.executemany("DELETE FROM injection WHERE id = ?", ids)
    db.execute("DELETE FROM listened WHERE seen_at < ?", (before,))
    db.execute("DELETE FROM nonce WHERE rotated_wall < ?", (before,))
