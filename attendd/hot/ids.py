"""Ids of messages, and the names of the mailboxes that they are in.

An id is short enough to be typed, and nobody can guess the next one. A mailbox is named by the
id of a session, ``as:NAME``, or ``@user``.
"""

import posix

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
"""No 0, 1, i, l and o: they look like each other."""
LENGTH = 8
USER = "@user"
"""The mailbox of the person; every plain terminal of the user reads for it."""

_FAIR = 256 - 256 % len(ALPHABET)
"""Bytes from here on would make some characters likelier than others."""


def new_id() -> str:
    """Choose an id by chance, one of 8.5e11."""
    found = ""
    while len(found) < LENGTH:
        found += "".join(
            ALPHABET[byte % len(ALPHABET)] for byte in posix.urandom(LENGTH) if byte < _FAIR
        )
    return found[:LENGTH]


def is_id(text: str) -> bool:
    """Tell whether a text can be the id of a message."""
    return len(text) == LENGTH and all(ch in ALPHABET for ch in text)


def clean(text: str) -> str:
    """Take an id as people copy it, ``#K3F9Q2XM:`` for instance; ``''`` if it is none."""
    found = text.strip().removeprefix("#").rstrip(":,.;)").lower()
    return found if is_id(found) else ""


def boxes(session: str) -> tuple[str, ...]:
    """Name the mailboxes that are read for a session."""
    return (session, USER) if session.startswith("tty:") else (session,)


def box_of(session: str) -> str:
    """Name the mailbox that a session speaks from, and is answered in."""
    return USER if session.startswith("tty:") else session
