"""`attend status`: what attend is doing, for whom, how well, and what is wrong."""

import argparse
from collections.abc import Iterator
from typing import Any

import msgspec

from attendd import registry
from attendd.cli import VERSION, arguments, now, output, troubles, whoami, words
from attendd.cli.config import in_force
from attendd.cli.state import State, size_of
from attendd.hot import identity, moment
from attendd.store import Attachment


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Say how attend is doing."""
    known = collected()
    if args.json:
        output.document(known)
        return 0
    output.facts(_facts(known))
    output.rows("attended", _ATTENDED, [_attended_row(s) for s in known["sessions"]])
    output.rows("not shown yet", _UNREAD, [_unread_row(box) for box in known["unread"]])
    output.rows("held conversations", _HELD, [_held_row(held) for held in known["held"]])
    output.rows("ways into sessions", _WAYS, [_way_row(way) for way in known["conduits"]])
    output.rows("sensors that fail", _FAILING, [_failing_row(s) for s in known["failing"]])
    output.rows(
        "sensors that see less",
        _LIMITED,
        [_limited_row(s) for s in known["limited"] if "; " not in s["detail"]],
    )
    output.complaints([*known["problems"], *troubles.limited(known["limited"])])
    return 0


def collected() -> dict[str, Any]:
    """Collect everything, under the keys that `--json` prints."""
    caller = identity.resolve()
    state = State()
    live = state.store.sessions.live()
    host = state.host()
    said = now.asked(host, "status")
    loaded = registry.load()
    changed = dict(troubles.contracts(state, live))
    wrong = [
        *in_force(loaded.sensors).problems,
        *(f"plugin {broken.name} was set aside: {broken.reason}" for broken in loaded.rejected),
        *troubles.found(state, host, live),
        *troubles.lost(state),
        *troubles.unsealed(live),
        *filter(None, [said.problem if not troubles.stopped_host(host) else ""]),
        *(troubles.of_contract(*each) for each in changed.items()),
        *troubles.strangers(live),
    ]
    return {
        "version": VERSION,
        "state": _state(state),
        "host": None if host is None else host._asdict() | {"says": said.answer},
        "session": whoami.described(caller),
        "sessions": [
            _attended(state, reader) | {"contract": changed.get(reader.session, "")}
            for reader in live
        ],
        "unread": _unread(state),
        "held": [msgspec.structs.asdict(held) for held in state.store.mail.held()],
        "conduits": [way for reader in live for way in _ways(state, reader.session)],
        "failing": [row for reader in live for row in _failing(state, reader)],
        "limited": [row for reader in live for row in _limited(state, reader)],
        "problems": [*wrong, *(flood for reader in live for flood in _floods(state, reader))],
    }


def _state(state: State) -> dict[str, Any]:
    return {
        "folder": state.folder,
        "moved": troubles.moved(state),
        "store_bytes": size_of(state.store_path),
        "journal_bytes": size_of(state.journal_path),
        "set_aside": state.set_aside(),
    }


def _attended(state: State, reader: Attachment) -> dict[str, Any]:
    session = state.store.sessions.get(reader.session)
    return {
        "session": reader.session,
        "called": state.store.mail.name(reader.session, moment.now()),
        "name": session.name if session else "",
        "declared": bool(session and session.declared),
        "harness": session.harness if session else "",
        "project": session.project if session else "",
        "workdir": session.workdir if session else reader.workdir,
        "listener": whoami.listener([reader]),
    }


def _unread(state: State) -> list[dict[str, Any]]:
    return [
        {
            "session": box.session,
            "called": state.store.mail.name(box.session, moment.now()),
            "directed": box.directed,
            "grouped": box.grouped,
        }
        for box in state.store.mail.unread()
    ]


def _ways(state: State, session: str) -> Iterator[dict[str, Any]]:
    for way in state.store.outbox.conduits(session):
        yield {
            "session": session,
            "conduit": way.name,
            "ok_at": way.ok_at,
            "failed_at": way.failed_at,
            "failure": way.failure,
            "latency_ms": way.latency_ms,
        }


def _failing(state: State, reader: Attachment) -> Iterator[dict[str, Any]]:
    for row in state.store.health.of(reader.id):
        if row.state == "failing":
            yield {
                "session": reader.session,
                "sensor": row.sensor,
                "since_at": row.since_at,
                "failures": row.failures,
                "detail": row.detail,
            }


def _limited(state: State, reader: Attachment) -> Iterator[dict[str, Any]]:
    for row in state.store.health.of(reader.id):
        if row.state == "limited":
            yield {
                "session": reader.session,
                "sensor": row.sensor,
                "state": row.state,
                "since_at": row.since_at,
                "detail": row.detail,
            }


def _floods(state: State, reader: Attachment) -> Iterator[str]:
    for row in state.store.health.of(reader.id):
        if row.state == "flooding":
            who = f"sensor {row.sensor} of {words.short(reader.session)}"
            yield f"{who} floods {words.lasting(row.since_at)}: {row.detail}"


_ATTENDED = ("called", "session", "project", "listener")
_UNREAD = ("called", "session", "to it", "to groups")
_HELD = ("session", "from", "messages", "since", "why")
_WAYS = ("session", "way", "worked", "failed", "latency", "failure")
_LIMITED = ("session", "sensor", "since", "why")
_FAILING = ("session", "sensor", "since", "polls", "detail")


def _facts(known: dict[str, Any]) -> list[tuple[str, str]]:
    state, session = known["state"], known["session"]
    store, journal = words.size(state["store_bytes"]), words.size(state["journal_bytes"])
    there = f"store {store}, journal {journal}" if state["store_bytes"] else "nothing there yet"
    told = whoami.listener_said(session["listener"])
    return [
        ("attend", known["version"]),
        ("host", _host_said(known["host"])),
        ("state", f"{words.place(state['folder'])} ({there})"),
        ("session", session["session"] or "not known; `attend whoami` says why"),
        ("listener", told if session["session"] else "none"),
        ("attended", words.many(len(known["sessions"]), "session")),
    ]


def _host_said(host: dict[str, Any] | None) -> str:
    if host is None:
        return "none; the first `attend run` becomes it"
    kind = "embedded in `attend run`" if host["kind"] == "embedded" else host["kind"]
    since = words.moment(host["since_at"])
    says = f", with {host['says']['said']}" if host["says"] else ""
    return f"{kind}, pid {host['pid']}, release {host['version']}, since {since}{says}"


def _attended_row(session: dict[str, Any]) -> list[str]:
    declared = " (declared)" if session["declared"] else ""
    return [
        session["called"],
        words.short(session["session"]) + declared,
        words.place(session["workdir"]),
        whoami.listener_said(session["listener"]),
    ]


def _unread_row(box: dict[str, Any]) -> list[str]:
    counts = [str(box["directed"]), str(box["grouped"])]
    return [box["called"], words.short(box["session"]), *counts]


def _held_row(held: dict[str, Any]) -> list[str]:
    return [
        words.short(held["session"]),
        held["author"],
        str(held["messages"]),
        words.ago(held["since_at"]),
        held["hold"],
    ]


def _way_row(way: dict[str, Any]) -> list[str]:
    latency = "" if way["latency_ms"] is None else f"{way['latency_ms']:.0f} ms"
    return [
        words.short(way["session"]),
        way["conduit"],
        words.ago(way["ok_at"]),
        words.ago(way["failed_at"]),
        latency,
        way["failure"],
    ]


def _failing_row(row: dict[str, Any]) -> list[str]:
    return [
        words.short(row["session"]),
        row["sensor"],
        words.ago(row["since_at"]),
        str(row["failures"]),
        row["detail"],
    ]


def _limited_row(row: dict[str, Any]) -> list[str]:
    ago = words.ago(row["since_at"])
    return [words.short(row["session"]), row["sensor"], ago, row["detail"]]
