"""What is removed of memory, and when. Facts and their log are never; they are a person's."""

from attendd.hot import db as hot

SHOWN_S = 90 * 24 * 3600.0
"""How long it is known what was put before models, which nonces there were, what was read."""


def _shown(db: hot.Connection, before: float, chunk: int) -> None:
    old = "SELECT id FROM injection WHERE at < ? ORDER BY id LIMIT ?"
    ids = db.execute(old, (before, chunk)).fetchall()
    db.executemany("DELETE FROM injected WHERE injection = ?", ids)
    db.executemany("DELETE FROM injection WHERE id = ?", ids)


def _listened(db: hot.Connection, before: float, _chunk: int) -> None:
    db.execute("DELETE FROM listened WHERE seen_at < ?", (before,))


def _nonces(db: hot.Connection, before: float, _chunk: int) -> None:
    db.execute("DELETE FROM nonce WHERE rotated_wall < ?", (before,))


PARTS = (_shown, _listened, _nonces)
"""Each removes in the caller's transaction what is older than a wall time; so much at most."""
