"""Why a session hears nothing: who would tell it, what is held, and what was let go."""

import time
from collections.abc import Iterator, Sequence
from typing import Any

from attendd.cli import reasons, story, whoami, words
from attendd.cli.state import State
from attendd.store import Attachment, Health, JournalRow
from attendd.store.journal import JournalReader

LATELY_S = 3600.0
"""How far back is looked for what was not told."""


def silences(state: State, sessions: Sequence[str], count: int) -> list[dict[str, Any]]:
    """Explain the silence of sessions, under the keys that `--json` prints.

    Args:
        state: what is known.
        sessions: which.
        count: how many of the things that were not told lately to name at most, for each.
    """
    journal = state.journal()
    return [_silence(state, journal, session, count) for session in sessions]


def _silence(state: State, journal: JournalReader, session: str, count: int) -> dict[str, Any]:
    readers = state.store.sessions.attachments(session)
    rows = journal.silence(session, time.time() - LATELY_S)
    told = state.store.outbox.recent(session, 1)
    health = state.store.health.of(readers[0].id) if readers else []
    host = state.host()
    return {
        "session": session,
        "listener": whoami.listener_said(whoami.listener(readers)),
        "host": f"pid {host.pid}" if host else "none: nobody looks, so nothing is noticed",
        "told_at": told[0].created_at if told else None,
        "held": [_held(row, rows) for row in health if row.held],
        "quiet": [story.entry(row) for row in _let_go(rows)][-count:],
        "problems": list(_problems(readers, health)),
    }


def _held(row: Health, rows: Sequence[JournalRow]) -> dict[str, Any]:
    """Say what a sensor holds back, why, and by which number that is decided."""
    codes = row.held.replace(",", " ").split()
    last = next((r for r in reversed(rows) if r.sensor == row.sensor and r.code in codes), None)
    number = story.detail(last) if last else ""
    return {
        "sensor": row.sensor,
        "pending": row.pending,
        "threshold": row.threshold,
        "held": row.held,
        "meaning": "; ".join(reasons.said(code) for code in codes),
        "number": number or f"{row.pending:.2f} of {row.threshold:.2f}",
        "at": last.at if last else None,
        "text": last.text if last else "",
    }


def _let_go(rows: Sequence[JournalRow]) -> Iterator[JournalRow]:
    """Keep what came to rest untold; a hold is no end."""
    for row in rows:
        if not row.code.startswith("held.") and row.code != "low":
            yield row


def _problems(readers: Sequence[Attachment], health: Sequence[Health]) -> Iterator[str]:
    if readers and readers[0].blocked_at is not None:
        yield f"its reader's output takes nothing since {words.ago(readers[0].blocked_at)}"
    for row in health:
        if row.state == "failing":
            yield f"{row.sensor} fails since {words.ago(row.since_at)}: {row.detail}"
