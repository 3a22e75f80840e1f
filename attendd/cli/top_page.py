"""How `attend top` looks: lines of text, as wide as may be, nothing in them that acts."""

import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import NamedTuple

from attendd.cli import VERSION, reasons, table, words
from attendd.cli.top_look import Attended, Look, short
from attendd.hot import gaugeline
from attendd.model import Gauge, Status
from attendd.store import Conduit, Delivery, Health

_OUR_HEADER = re.compile(r"\[attend sensor=(\S+) priority=\S+\] ")
_DOING = {
    Status.BUSY: "at work",
    Status.WAITING: "waits for its person",
    Status.IDLE: "idle",
    Status.UNKNOWN: "",
}
_SLOTS = ("sensor", "adds up to", "looked", "told", "held by")
_WAYS = ("way in", "worked", "failed", "latency", "failure")
_BAR = 8
_NARROW = 60
"""Cells below which a sensor is said in a few words, since columns would cut the figures."""
_INDENTED = 10
"""Cells from which on the further lines of a text are indented."""
_MOST_LAID = 4
"""Lines that one line told may take in few columns."""
_BETWEEN = " · "
_LINES_OF_BATCH = 3
_WAITING = ("stored", "claimed")


class Kind(StrEnum):
    """What a line is, for a terminal that can show it."""

    TITLE = "title"
    SESSION = "session"
    HEAD = "head"
    TROUBLE = "trouble"
    PLAIN = "plain"


class Line(NamedTuple):
    """One line of the page."""

    text: str
    kind: Kind = Kind.PLAIN


def page(look: Look, width: int | None) -> list[Line]:
    """Lay everything out.

    Args:
        look: what there is to show.
        width: terminal cells a line may take, at least 1; ``None`` cuts nothing.
    """
    lines = [_clipped(Line(_title(look, width), Kind.TITLE), width)]
    for problem in look.problems:
        text = table.one_line(problem.replace("\n", " "))
        lines += _laid(text, width, Kind.TROUBLE)
    if not look.attended:
        lines += [Line(""), *_laid("no session is attended now", width)]
    for each in look.attended:
        lines += [Line(""), *_session(each, look.at, width)]
    return lines


def _title(look: Look, width: int | None) -> str:
    count = words.many(len(look.attended), "session")
    if _narrow(width):
        return f"{words.moment(look.at)[:-3]}{_BETWEEN}{count}"
    if look.host is None:
        host = "no host"
    else:
        host = f"{look.host.kind} host, pid {look.host.pid}"
        if look.host.version != VERSION:
            host += f", release {look.host.version}"
    return table.one_line(f"attend · {words.moment(look.at)} · {count} · {host}")


def _session(each: Attended, now: float, width: int | None) -> Iterator[Line]:
    place = words.place(each.reader.workdir)
    name = each.called if each.called != each.reader.session else ""
    titles = [name, short(each.reader), place]
    between = " " if _narrow(width) else "  "
    title = table.one_line(between.join(part for part in titles if part))
    yield from _laid(title, width, Kind.SESSION)
    for part in _joined(list(_doing(each, now, width)), width):
        yield from _laid(part, width)
    if not _narrow(width):
        failing = [slot.state == "failing" for slot in each.slots]
        rows = [_slot(slot, now, width) for slot in each.slots]
        yield from _table(_SLOTS, rows, width, failing)
        failing = [(way.failed_at or 0) > (way.ok_at or 0) for way in each.ways]
        yield from _table(_WAYS, [_way(way, now) for way in each.ways], width, failing)
    else:
        for slot in each.slots:
            yield from _slot_in_brief(slot, now, width)
        for way in each.ways:
            yield from _way_in_brief(way, now, width)
    for delivery in each.told:
        for text in _told(delivery, narrow=_narrow(width)):
            yield from _laid(text, width, most=_MOST_LAID)


def _joined(parts: list[str], width: int | None) -> list[str]:
    """Put facts into lines that end between two of them."""
    indent = "" if _narrow(width) else "  "
    lines = [indent + table.one_line(parts[0])]
    for part in map(table.one_line, parts[1:]):
        longer = f"{lines[-1]}{_BETWEEN}{part}"
        if width is None or table.cells(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(indent + part)
    return lines


def _narrow(width: int | None) -> bool:
    return width is not None and width < _NARROW


def _doing(each: Attended, now: float, width: int | None) -> Iterator[str]:
    activity = each.activity
    if _DOING[activity.status]:
        yield _DOING[activity.status]
    if activity.worked_at is not None:
        yield f"wrote {words.ago(activity.worked_at, now)}"
    yield _context(each.gauge, drawn=not _narrow(width))
    if each.figures is not None and each.figures.cost_usd:
        yield f"${each.figures.cost_usd:.2f}"
    if each.unread:
        yield words.many(each.unread, "unread message")
    reader = each.reader
    if each.alive is False:
        yield f"its reader, pid {reader.reader_pid}, is gone"
    elif reader.blocked_at is not None:
        yield f"its output has taken nothing {words.lasting(reader.blocked_at, now)}"
    else:
        yield f"heard by {reader.conduit}, pid {reader.reader_pid}"


def _context(gauge: Gauge | None, *, drawn: bool) -> str:
    if gauge is None:
        return "context not known"
    if gauge.method == "none":
        of = f", of {gaugeline.tokens(gauge.tokens_total)}" if gauge.tokens_total else ""
        return f"context not measured yet{of}"
    if gauge.pct_used is None or gauge.tokens_total is None:
        return f"context {gaugeline.tokens(gauge.tokens_used)} of an unknown window"
    of = gaugeline.tokens(gauge.tokens_total)
    bar = f" {gaugeline.bar(gauge.pct_used)}" if drawn else ""
    return f"context{bar} {gauge.pct_used:.0f}% of {of}"


def _slot(slot: Health, now: float, width: int | None) -> list[str]:
    return [
        slot.sensor,
        _adds_up(slot),
        words.ago(slot.polled_at, now),
        str(slot.told),
        _held(slot, now, reasons.said if width is None else reasons.brief),
    ]


def _adds_up(slot: Health) -> str:
    pct = 100 * slot.pending / slot.threshold if slot.threshold > 0 else 0.0
    return f"{gaugeline.bar(min(100.0, pct), _BAR)} {_of_threshold(slot)}"


def _of_threshold(slot: Health) -> str:
    end = "no end" if slot.threshold < 0 else words.number(slot.threshold)
    return f"{words.number(slot.pending)} of {end}"


def _slot_in_brief(slot: Health, now: float, width: int | None) -> Iterator[Line]:
    fails = slot.state == "failing"
    state = slot.state if slot.state != "ok" else "held" * bool(slot.held)
    kind = Kind.TROUBLE if fails else Kind.PLAIN
    yield from _laid(f"{slot.sensor} {_of_threshold(slot)} {state}".rstrip(), width, kind)
    if slot.state in ("failing", "limited") or slot.held:
        why = _held(slot, now, reasons.brief).removeprefix(f"{slot.state} ")
        yield from _laid(table.one_line(why), width, kind, under=True)


def _way_in_brief(way: Conduit, now: float, width: int | None) -> Iterator[Line]:
    latency = "" if way.latency_ms is None else f", {way.latency_ms:.0f} ms"
    yield from _laid(f"{way.name} {words.ago(way.ok_at, now)}{latency}", width)
    if way.failed_at is not None:
        kind = Kind.TROUBLE if way.failed_at > (way.ok_at or 0) else Kind.PLAIN
        why = f": {way.failure}" if way.failure else ""
        text = table.one_line(f"failed {words.ago(way.failed_at, now)}{why}")
        yield from _laid(text, width, kind, under=True)


def _held(slot: Health, now: float, say: Callable[[str], str]) -> str:
    held = "; ".join(say(code) for code in slot.held.replace(",", " ").split())
    limited = slot.state == "limited"
    if slot.detail and not (limited and held):
        why = slot.detail.partition("; ")[0] if limited else slot.detail
        return f"{slot.state} {words.lasting(slot.since_at, now)}: {why}"
    return held if slot.state in ("ok", "limited") else slot.state


def _way(way: Conduit, now: float) -> list[str]:
    latency = "" if way.latency_ms is None else f"{way.latency_ms:.0f} ms"
    failed = "" if way.failed_at is None else words.ago(way.failed_at, now)
    return [way.name, words.ago(way.ok_at, now), failed, latency, way.failure]


def _told(delivery: Delivery, *, narrow: bool) -> Iterator[str]:
    """Say the first lines of a batch, each under its sensor; not how they go on."""
    at = words.moment(delivery.created_at)
    mark = " (waits)" if delivery.state in _WAITING else ""
    start = f"{at[:-3]}{mark} " if narrow else f"{at}{mark}  "
    lines = [text for text in delivery.text.split("\n") if _OUR_HEADER.match(text)]
    for text in lines[:_LINES_OF_BATCH]:
        yield start + table.one_line(_OUR_HEADER.sub(r"\1: ", text, count=1))
    if len(lines) > _LINES_OF_BATCH:
        yield start + words.many(len(lines) - _LINES_OF_BATCH, "more line")


def _table(
    heads: tuple[str, ...], rows: list[list[str]], width: int | None, failing: list[bool]
) -> Iterator[Line]:
    kinds = [Kind.HEAD, *(Kind.TROUBLE if fails else Kind.PLAIN for fails in failing)]
    for text, kind in zip(table.columns(heads, rows, width), kinds, strict=False):
        yield Line(text, kind)


def _clipped(line: Line, width: int | None) -> Line:
    return line if width is None else Line(table.clip(line.text, width), line.kind)


def _laid(
    text: str,
    width: int | None,
    kind: Kind = Kind.PLAIN,
    *,
    most: int = 99,
    under: bool = False,
) -> Iterator[Line]:
    """Lay out a text: in one line, or in few columns in as many as it takes.

    Args:
        text: what to say, without what could act.
        width: the cells a line may take.
        kind: what it is.
        most: so many lines at most.
        under: whether it belongs to the line above, so that all of it is indented.
    """
    if width is None or not _narrow(width):
        yield _clipped(Line(text, kind), width)
        return
    indent = " " if width > _INDENTED else ""
    first = indent if under else ""
    fits = table.cells(first + text) <= width
    parts = [text] if fits else table.broken(text, width - len(indent))
    if len(parts) > most:
        parts = [*parts[: most - 1], f"{parts[most - 1]} …"]
    for at, part in enumerate(parts):
        yield _clipped(Line(f"{indent if at else first}{part}", kind), width)
