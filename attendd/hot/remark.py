"""What is the matter with the host or with attend itself, kept where `attend status` looks."""

import time

from attendd.hot.db import Connection, StoreError, connect, read, write


def keep(db: Connection, about: str, text: str, wall: float) -> None:
    """Keep a sentence about something; none any more where it is empty.

    Args:
        db: the store.
        about: what it is about, in a word.
        text: the sentence.
        wall: now; since when it is so.

    Raises:
        StoreError: it was not kept.
    """
    key = f"host:{about}"
    known = read(db, "SELECT value FROM meta WHERE key = ?", (key,))
    if text:
        value = f"{wall:.0f} {text}"
        sql = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)"
        write(db, lambda db: db.execute(sql, (key, value)))
    elif known:
        write(db, lambda db: db.execute("DELETE FROM meta WHERE key = ?", (key,)))


def try_to_keep(about: str, text: str) -> None:
    """Keep a sentence if the store takes anything now; see `keep`."""
    try:
        store = connect()
    except StoreError:
        return
    try:
        keep(store, about, text, time.time())
    except StoreError:
        return
    finally:
        store.close()
