"""Puts the journal's entries together again: from an observation to the line it became.

The journal numbers observations for each reader (``item 7`` in an entry's detail), names what
one was merged into (``into 7``), and marks what was told with the batch it went in.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from attendd.cli import reasons
from attendd.store import Delivery, JournalRow
from attendd.store.journal import JournalReader

_BEFORE = 5_000
"""How many entries before a batch are looked at for where its lines came from."""
_ITEM = re.compile(r"\bitem (\d+)(?:, )?")
_INTO = re.compile(r"\binto (?:rider )?(\d+)\b")


def batch(
    journal: JournalReader, correlation: str, delivery: Delivery | None
) -> dict[str, Any] | None:
    """Tell the story of one batch, under the keys that `--json` prints.

    Args:
        journal: where it is written.
        correlation: the batch's id, whole.
        delivery: how it fared, if that is still known.

    Returns:
        ``None`` if neither of them knows it.
    """
    rows = journal.batch(correlation)
    if not rows and delivery is None:
        return None
    told = [row for row in rows if row.code in ("fired", "rode")]
    earlier: Sequence[JournalRow] = ()
    if told:
        before = journal.entries(session=told[0].session, until=told[-1].at, limit=_BEFORE)
        earlier = [row for _, row in before]
    return {
        "batch": correlation,
        "session": delivery.session if delivery else rows[0].session,
        "at": delivery.created_at if delivery else rows[0].at,
        "lines": [_line(row, earlier) for row in told],
        "delivery": _delivery(delivery) if delivery else None,
        "notes": [entry(row) for row in rows if row not in told],
    }


def observation(rows: Sequence[JournalRow]) -> dict[str, Any]:
    """Tell the story of something that was not told, under the keys that `--json` prints."""
    first = rows[0]
    return {
        "correlation": first.correlation,
        "session": first.session,
        "sensor": first.sensor,
        "at": first.at,
        "history": [entry(row) for row in _once(rows)],
    }


def entry(row: JournalRow) -> dict[str, Any]:
    """Say one entry under the keys that `--json` prints."""
    return {
        "correlation": row.correlation,
        "at": row.at,
        "sensor": row.sensor,
        "code": row.code,
        "meaning": reasons.said(row.code),
        "text": row.text,
        "magnitude": row.magnitude,
        "detail": detail(row),
    }


def detail(row: JournalRow) -> str:
    """Return what explains an entry, without the numbers that only tie entries together.

    The traceback of a sensor is for `attend sensors NAME`, and no part of a line.
    """
    if row.kind == "health":
        return ""
    kept = _INTO.sub("", _ITEM.sub("", row.detail))
    return ", ".join(part for part in (p.strip() for p in kept.split(",")) if part)


def origin(told: JournalRow, earlier: Sequence[JournalRow]) -> list[JournalRow]:
    """Find what led to a line: what it was made of, and what held it meanwhile.

    Args:
        told: the entry that says that it was told.
        earlier: the entries before it, oldest first; may hold it, too.
    """
    item = _number(_ITEM, told)
    mine = [
        row
        for row in earlier
        if row.attachment == told.attachment and row.sensor == told.sensor and row is not told
    ]
    found: list[JournalRow] = []
    for row in reversed(mine):
        numbers = (_number(_ITEM, row), _number(_INTO, row))
        if row.code == "observed" and numbers[0] == item:
            return [row, *found]
        if row.code.startswith("held.") or (row.code != "observed" and item in numbers):
            found.insert(0, row)
    # Its beginning is forgotten, so what was held need not have been it.
    return [row for row in found if not row.code.startswith("held.")]


def item(row: JournalRow) -> int | None:
    """Return the number that ties together what is said of one thing; ``None`` without one."""
    return _number(_ITEM, row)


def _line(told: JournalRow, earlier: Sequence[JournalRow]) -> dict[str, Any]:
    return entry(told) | {"history": [entry(row) for row in _once(origin(told, earlier))]}


def _once(rows: Sequence[JournalRow]) -> Iterator[JournalRow]:
    """Leave out an entry that says the same as the one before it, and what was told."""
    last = ("", "")
    for row in rows:
        if row.code not in ("fired", "rode") and (row.code, row.text) != last:
            last = (row.code, row.text)
            yield row


def _number(pattern: re.Pattern[str], row: JournalRow) -> int | None:
    found = pattern.search(row.detail)
    return int(found[1]) if found else None


def _delivery(known: Delivery) -> dict[str, Any]:
    return {
        "state": known.state,
        "reason": known.reason,
        "conduit": known.conduit,
        "offered_at": known.offered_at,
        "latency_ms": known.latency_ms,
        "repeats": known.repeats,
        "lane": known.lane,
        "text": known.text,
    }
