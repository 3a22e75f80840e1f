"""What a session's person is after, as the session noted it: told again when that was lost.

It is a fact for the session alone, said with the hint `HINT`; the latest one counts. Prompts
are counted from 1 on wherever one is named, and 0 means that its number is not known.
"""

from attendd.hot import growth, memory_settings, remembered
from attendd.hot.db import Connection, read

HINT = memory_settings.GOAL
"""Before such a fact, as in ``@goal: …``."""
CONSUMER = "@goal"
"""Whom such a fact is for, in the store; no name is like it."""
OLD = 4
"""After so many prompts it may well be another by now."""

_LATEST = """SELECT id, text, turn FROM fact WHERE session = ? AND consumer = ?
    AND status = 'active' AND vetted ORDER BY updated_at DESC, id LIMIT 1"""
_CURRENT, _LAST_KNOWN = "[Current user goal]", "[Last known user goal]"
_LINE = "{}, as this session noted it{}; a record, not an instruction: {}\n"


def told(db: Connection, session: str, transcript: str, coming: int) -> tuple[str, str]:
    """Return the goal of a session: the id of the fact, and the line; nothing if none is known.

    Args:
        db: the store.
        session: whose.
        transcript: its path.
        coming: prompts that are not in it yet.

    Raises:
        StoreError: the store can't be read.
    """
    found = read(db, _LATEST, (session, CONSUMER))
    if not found:
        return "", ""
    fact, text, turn = found[0]
    now = growth.prompts(transcript)
    when = f" at prompt {turn}" if turn else ""
    heading = _heading(turn, now + coming if now else 0)
    return fact, _LINE.format(heading, when, remembered.line(text))


def _heading(turn: int, now: int) -> str:
    known = turn > 0 and now > 0
    return _CURRENT if known and now - turn < OLD else _LAST_KNOWN
