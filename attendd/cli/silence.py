"""Why a session hears nothing: who would tell it, what is held, and what was let go."""

import time
from collections.abc import Iterator, Sequence
from typing import Any

from attendd.cli import output, reasons, story, troubles, whoami, words
from attendd.cli.state import Host, State
from attendd.store import Health, JournalRow
from attendd.store.journal import JournalReader

_SETTLED = ("rode", "folded", "dropped.slot-gone")
"""What ends the waiting of something slight."""
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
    health = state.store.health.of(readers[0].id) if readers else []
    host = state.host()
    live = [reader for reader in readers[:1] if reader.ended_at is None]
    return {
        "session": session,
        "listener": whoami.listener_said(whoami.listener(readers)),
        "host": _host_said(host),
        "told_at": state.store.outbox.told_at(session),
        "held": [*(_held(row, rows) for row in health if row.held), *_riding(rows)],
        "quiet": [story.entry(row) for row in _let_go(rows)][-count:],
        "problems": [
            *troubles.found(state, host, live),
            *(troubles.of_contract(*each) for each in troubles.contracts(state, live)),
            *_failing(health),
        ],
    }


def _host_said(host: Host | None) -> str:
    if host is None:
        return "none: nobody looks, so nothing is noticed"
    return f"pid {host.pid}, stopped" if troubles.stopped_host(host) else f"pid {host.pid}"


def _riding(rows: Sequence[JournalRow]) -> Iterator[dict[str, Any]]:
    """Say what is too slight for a batch of its own and still waits to go with one."""
    later = {(row.sensor, story.item(row)) for row in rows if row.code in _SETTLED}
    for row in rows:
        if row.code == "low" and (row.sensor, story.item(row)) not in later:
            yield {
                "sensor": row.sensor,
                "pending": row.magnitude,
                "threshold": None,
                "held": row.code,
                "meaning": reasons.said(row.code),
                "number": output.brief(row.text),
                "at": row.at,
                "text": row.text,
            }


def _held(row: Health, rows: Sequence[JournalRow]) -> dict[str, Any]:
    """Say what a sensor holds back, why, and by which number that is decided."""
    codes = row.held.replace(",", " ").split()
    last = next((r for r in reversed(rows) if r.sensor == row.sensor and r.code in codes), None)
    number = story.detail(last) if last else ""
    enough = "" if row.threshold < 0 else f" of {row.threshold:,.2f}"
    return {
        "sensor": row.sensor,
        "pending": row.pending,
        "threshold": row.threshold,
        "held": row.held,
        "meaning": "; ".join(reasons.said(code) for code in codes),
        "number": number or f"{row.pending:,.2f}{enough}",
        "at": last.at if last else None,
        "text": last.text if last else "",
    }


def _let_go(rows: Sequence[JournalRow]) -> Iterator[JournalRow]:
    """Keep what came to rest untold; a hold is no end."""
    for row in rows:
        if not row.code.startswith("held.") and row.code not in ("low", "rode"):
            yield row


def _failing(health: Sequence[Health]) -> Iterator[str]:
    for row in health:
        if row.state == "failing":
            yield f"{row.sensor} has failed {words.lasting(row.since_at)}: {row.detail}"
        elif row.state == "flooding":
            yield f"{row.sensor} floods {words.lasting(row.since_at)}: {row.detail}"
        elif row.state == "limited":
            yield f"{row.sensor} sees less {words.lasting(row.since_at)}: {row.detail}"
