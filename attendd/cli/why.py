"""`attend why`: what a session was told, or was not told, and the reason for each."""

import argparse
from typing import Any

import msgspec

from attendd.cli import arguments, now, output, story, words
from attendd.cli.silence import silences
from attendd.cli.state import State
from attendd.errors import AttendError, UsageError
from attendd.hot import identity, ids
from attendd.store import Sent

BATCHES = 3
QUIET = 10


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "id",
        nargs="?",
        default="",
        metavar="ID",
        help="a message, a batch, or anything else in the log; the beginning of its id will do",
    )
    question = parser.add_mutually_exclusive_group()
    question.add_argument(
        "--silence",
        action="store_true",
        help="why nothing was told lately: what is held, by what",
    )
    question.add_argument(
        "--now",
        action="store_true",
        help="what each sensor holds back this moment and when it looks again, by the host",
    )
    parser.add_argument(
        "--last",
        metavar="N",
        type=arguments.count,
        help=f"how many batches ({BATCHES}), or quiet things ({QUIET})",
    )
    arguments.add_session(parser)
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Say why.

    Raises:
        AttendError: there is no such batch or message.
        UnresolvedSessionError: there is no such session.
        UsageError: two questions are asked at once.
    """
    if args.id and (args.silence or args.now):
        raise UsageError("why: an ID is asked about by itself", hint=f"`attend why {args.id}`")
    state = State()
    if args.now:
        held = now.held(state, _sessions(state, args.session))
        plain = {"sessions": msgspec.to_builtins(held)}
        return output.document(plain) if args.json else now.print_held(held)
    if args.silence:
        quiet = silences(state, _sessions(state, args.session), args.last or QUIET)
        return output.document({"sessions": quiet}) if args.json else _print_silences(quiet)
    message = _message(state, args.id)
    if message is not None:
        return _tell(state, message, as_json=args.json)
    untold = _untold(state, args.id)
    found = [] if untold else told(state, args.id, args.session, args.last or BATCHES)
    if args.json:
        return output.document({"batches": found, "observations": untold})
    return _print(untold, found)


def told(state: State, beginning: str, session: str, count: int) -> list[dict[str, Any]]:
    """Return the stories of batches, oldest first.

    Args:
        state: what is known.
        beginning: of the id of a batch; empty for the latest ones.
        session: only of this one, by the beginning of its id; empty for one's own, or all.
        count: how many of the latest.

    Raises:
        AttendError: no batch begins so.
    """
    journal = state.journal()
    if beginning:
        rows = [*journal.batch(beginning), *journal.about(beginning)]
        wanted = {d.correlation: None for d in state.store.outbox.find(beginning)}
        wanted |= {row.batch: None for row in rows if row.batch}
        known = {d.correlation: d for each in wanted for d in state.store.outbox.find(each)}
    else:
        chosen: list[str | None] = [*_sessions(state, session)]
        latest = [d for s in chosen or [None] for d in state.store.outbox.recent(s, count)]
        latest.sort(key=lambda delivery: delivery.id)
        known = {d.correlation: d for d in latest[-count:]}
        wanted = dict.fromkeys(known)
    stories = [story.batch(journal, each, known.get(each)) for each in wanted]
    found = [each for each in stories if each is not None]
    if beginning and not found:
        raise AttendError(
            f"nothing is known that has the id {beginning!r}, or one that begins so",
            hint="`attend why` lists the latest with their ids; older ones are forgotten",
        )
    return found


def _untold(state: State, beginning: str) -> list[dict[str, Any]]:
    """Return the stories of observations that went into no batch; none where any did."""
    rows = state.journal().about(beginning) if beginning else []
    if any(row.batch for row in rows):
        return []
    ids = dict.fromkeys(row.correlation for row in rows)
    return [story.observation([r for r in rows if r.correlation == each]) for each in ids]


def _message(state: State, text: str) -> Sent | None:
    """Find a message that the caller said or was told; a person may ask about any."""
    known = state.store.mail.get(ids.clean(text)) if ids.clean(text) else None
    if known is None:
        return None
    caller = identity.resolve()
    boxes = {known.message.author, *(fate.session for fate in known.fates)} - {""}
    mine = caller.session and boxes.intersection(state.store.mail.boxes(caller.session))
    return known if mine or caller.how == "terminal" else None


def _tell(state: State, message: Sent, *, as_json: bool) -> int:
    from attendd.cli import sent

    if as_json:
        return output.document({"messages": [sent.plain(state, message)]})
    sent.print_story(state, message, text=False)
    return 0


def _sessions(state: State, beginning: str) -> list[str]:
    """Return the sessions to speak of: the one named, else those near; empty for all."""
    if beginning:
        return [state.session(beginning).id]
    caller = identity.resolve()
    if caller.session and state.store.sessions.get(caller.session):
        return [caller.session]
    return list(dict.fromkeys(reader.session for reader in state.near(caller)))


def _print(untold: list[dict[str, Any]], found: list[dict[str, Any]]) -> int:
    for each in untold:
        _print_observation(each)
    for each in found:
        _print_batch(each)
    if not untold and not found:
        print("nothing was told that is still known; `attend why --silence` says why not")
    return 0


def _print_batch(batch: dict[str, Any]) -> None:
    when, to = words.moment(batch["at"]), words.short(batch["session"])
    print(f"batch {batch['batch']}  {when}  to {to}  {_fared(batch['delivery'])}")
    for line in (batch["delivery"] or {}).get("text", "").splitlines():
        print(f"  {output.safe(line)}")
    for line in batch["lines"]:
        number = ", ".join(filter(None, [words.number(line["magnitude"]), line["detail"]]))
        name = f"{line['sensor']} {line['correlation']}".strip()
        print(f"  {output.safe(name)}: {line['meaning']} ({number})")
        output.facts([_step(entry) for entry in line["history"]], indent="    ")
    for note in batch["notes"]:
        output.facts([_step(note)], indent="  ")
    print()


def _print_observation(seen: dict[str, Any]) -> None:
    when, to = words.moment(seen["at"]), words.short(seen["session"])
    about = f"{output.safe(seen['sensor'])} {seen['correlation']}"
    print(f"{about}  {when}  not told to {to}")
    output.facts([_step(entry) for entry in seen["history"]], indent="  ")
    print()


def _step(entry: dict[str, Any]) -> tuple[str, str]:
    about = f" ({entry['detail']})" if entry["detail"] else ""
    plain = entry["code"].startswith("held.") or not entry["text"]
    what = "" if plain else f": {output.brief(entry['text'])}"
    return words.moment(entry["at"]), f"{entry['meaning']}{about}{what}"


def _fared(delivery: dict[str, Any] | None) -> str:
    if delivery is None:
        return "how it fared is no longer known"
    if delivery["state"] == "offered":
        took = "" if delivery["latency_ms"] is None else f" in {delivery['latency_ms']:.0f} ms"
        again = f", {words.many(delivery['repeats'], 'repeat')}" if delivery["repeats"] else ""
        return f"shown by {delivery['conduit']}{took}{again}"
    reason = f" ({delivery['reason']})" if delivery["reason"] else ""
    return f"{delivery['state']}{reason}"


def _print_silences(sessions: list[dict[str, Any]]) -> int:
    for session in sessions:
        output.facts(
            [
                ("session", session["session"]),
                ("listener", session["listener"]),
                ("host", session["host"]),
                ("last told", words.ago(session["told_at"])),
            ]
        )
        held = [_held_row(row) for row in session["held"]]
        output.rows("held now", ("sensor", "pending", "held by", "number"), held)
        quiet = [_quiet_row(row) for row in session["quiet"]]
        output.rows("not told lately", ("when", "sensor", "why", "what"), quiet)
        if not held and not quiet:
            print("\nnothing is held now, and nothing was let go in the last hour")
        output.complaints(session["problems"])
    if not sessions:
        print("no session is attended, so nobody is told anything")
    return 0


def _held_row(row: dict[str, Any]) -> list[str]:
    return [row["sensor"], words.number(row["pending"]), row["meaning"], row["number"]]


def _quiet_row(row: dict[str, Any]) -> list[str]:
    return [words.moment(row["at"]), row["sensor"], row["meaning"], output.brief(row["text"])]
