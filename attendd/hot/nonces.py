"""The nonce of each session, by which its own tags are known from all others.

It is kept for the session and the same in all its turns. Once it was seen where anybody could
have copied it from, it is rotated: tags with an old nonce are a stranger's.
"""

import posix

from attendd.hot.db import Connection, read, write

ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
LENGTH = 6

_FAIR = 256 - 256 % len(ALPHABET)
"""Bytes from here on would make some characters likelier than others."""
_IN_FORCE = "SELECT nonce FROM nonce WHERE session = ? AND rotated_wall IS NULL"
_TAKEN = "SELECT 1 FROM nonce WHERE nonce = ?"


def generate() -> str:
    """Choose a nonce by chance, one of 2.2e9, with the system's generator."""
    found = ""
    while len(found) < LENGTH:
        found += "".join(
            ALPHABET[byte % len(ALPHABET)] for byte in posix.urandom(2 * LENGTH) if byte < _FAIR
        )
    return found[:LENGTH]


def is_nonce(text: str) -> bool:
    """Tell whether a text can be a nonce of ours."""
    return len(text) == LENGTH and all(ch in ALPHABET for ch in text)


def current(db: Connection, session: str) -> str:
    """Return the nonce of a session that is in force; ``''`` if it has none.

    Raises:
        StoreError: the store can't be read.
    """
    found = read(db, _IN_FORCE, (session,))
    nonce = str(found[0][0]) if found else ""
    return nonce if is_nonce(nonce) else ""


def make(db: Connection, session: str, wall: float, avoid: str = "") -> str:
    """Return the nonce of a session, made now if it has none.

    Args:
        db: the store.
        session: whose.
        wall: now.
        avoid: text of the session; a nonce that occurs in it is not taken.

    Raises:
        StoreError: it was not kept.
    """
    return current(db, session) or write(db, lambda db: _put(db, session, wall, avoid))


def rotate(db: Connection, session: str, wall: float, reason: str, avoid: str = "") -> str:
    """Give a session another nonce, and have it taught with its next prompt; return it.

    Raises:
        StoreError: it was not kept; the old one stays in force.
    """

    def work(db: Connection) -> str:
        db.execute(
            """UPDATE nonce SET rotated_wall = ?, reason = ?
                WHERE session = ? AND rotated_wall IS NULL""",
            (wall, reason, session),
        )
        db.execute("UPDATE memory_session SET due = 'rotated' WHERE session = ?", (session,))
        return _put(db, session, wall, avoid)

    return write(db, work)


def _put(db: Connection, session: str, wall: float, avoid: str) -> str:
    """Add a nonce that no session ever had, unless another process has just done so."""
    found = db.execute(_IN_FORCE, (session,)).fetchone()
    if found and is_nonce(found[0]):
        return str(found[0])
    db.execute(
        "UPDATE nonce SET rotated_wall = ? WHERE session = ? AND rotated_wall IS NULL",
        (wall, session),
    )
    while True:
        nonce = generate()
        if nonce not in avoid and not db.execute(_TAKEN, (nonce,)).fetchone():
            break
    sql = "INSERT INTO nonce (nonce, session, made_wall) VALUES (?, ?, ?)"
    db.execute(sql, (nonce, session, wall))
    return nonce
