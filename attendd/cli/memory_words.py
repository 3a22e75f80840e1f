"""How `attend memory` says what it knows of a fact."""

from typing import Any

import msgspec

from attendd.cli import output, words
from attendd.hot import goal, remembered
from attendd.store.fact_rows import Entry, Fact
from attendd.store.facts import Found
from attendd.store.memories import Injection

_SHORT = 8
_DONE = {
    "recorded": "was recorded",
    "confirmed": "was said again",
    "superseded": "was replaced by #{_by}",
    "hit": "was of use to {session}",
    "faded": "weighs {weight} after its session ended",
    "promoted": "stays with the project, at {weight}",
    "pruned": "was pruned: nothing confirmed it",
    "archived": "was archived: {_why}",
    "withheld": "is not shown any more: {_why}",
    "pinned": "was pinned",
    "demoted": "was demoted to {weight}",
    "edited": "was given other words",
    "undone": "a change was taken back",
    "forgotten": "was forgotten",
    "refused": "refused {_times}: {_reason}",
}


def plain(found: Found) -> dict[str, Any]:
    """Say a fact under the keys that `--json` prints."""
    fact = msgspec.structs.asdict(found.fact)
    del fact["mark"]
    fact["weight"] = found.fact.weight / 100
    return {
        **fact,
        "hits": found.hits,
        "injected": found.injected,
        "injected_at": found.injected_at,
    }


def entry(each: Entry) -> dict[str, Any]:
    """Say an entry of the log under the keys that `--json` prints."""
    known = msgspec.structs.asdict(each)
    known["changes"] = {name: to for name, to in each.changes.items() if name != "mark"}
    return known


def injection(each: Injection, known: dict[str, Found]) -> dict[str, Any]:
    """Say what was put before a model under the keys that `--json` prints."""
    facts = [
        {
            "id": fact,
            "text": known[fact].fact.text if fact in known else "",
            "used_at": used_at,
        }
        for fact, used_at in each.facts
    ]
    return {**msgspec.structs.asdict(each), "facts": facts}


def row(found: Found) -> list[str]:
    """Say a fact in a line of a table."""
    fact = found.fact
    kept = fact.scope if fact.status == "active" else fact.status
    return [
        f"#{fact.id[:_SHORT]}",
        f"{fact.weight / 100:.2f}",
        "pinned" if fact.core and fact.status == "active" else kept,
        _short_reader(fact) or "all",
        said_by(found),
        words.ago(fact.updated_at),
        output.brief(fact.text) or "(forgotten)",
    ]


def said_by(found: Found) -> str:
    """Say who a fact is from."""
    fact = found.fact
    who = fact.agent or fact.producer
    place = f" in {words.short(fact.session)}" if fact.session else ""
    return f"{who}{place}"


def described(found: Found, replaced_by: str) -> list[tuple[str, str]]:
    """Say all that is known of a fact."""
    fact = found.fact
    kept = {
        "session": "while it proves itself: it fades as sessions end",
        "project": "for good, as a person wished" if fact.core else "with the project",
    }
    pairs = [
        ("fact", f"#{fact.id}"),
        ("text", fact.text or "(forgotten)"),
        (
            "status",
            fact.status + (f", replaced by #{replaced_by[:_SHORT]}" if replaced_by else ""),
        ),
        ("weight", f"{fact.weight / 100:.2f}"),
        ("kept", kept.get(fact.scope if fact.status == "active" else "", "not any more")),
        ("for", _reader(fact) or "everybody"),
        ("from", _origin(found)),
        ("recorded", words.moment(fact.created_at)),
        ("updated", words.ago(fact.updated_at)),
        ("of use to", words.many(found.hits, "other session")),
        ("shown", f"{words.many(found.injected, 'time')}, {words.ago(found.injected_at)}"),
    ]
    if fact.supersedes:
        pairs.insert(3, ("replaces", f"#{fact.supersedes[:_SHORT]}"))
    if fact.untrusted:
        pairs.append(("note", "taken from what a tool or a stranger said, so never promoted"))
    return pairs


def _reader(fact: Fact) -> str:
    aim = "its own session, as what its person is after"
    return aim if fact.consumer == goal.CONSUMER else fact.consumer


def _short_reader(fact: Fact) -> str:
    return "itself" if fact.consumer == goal.CONSUMER else fact.consumer


def what(each: Entry) -> str:
    """Say what an entry of the log says."""
    known = {"session": words.short(each.session), "_by": "", "_why": "", **each.changes}
    if "weight" in each.changes:
        known["weight"] = f"{each.changes['weight'] / 100:.2f}"
    known["_by"] = str(known["_by"])[:_SHORT]
    known["_times"] = words.many(int(known.get("_count", 0)), "time")
    try:
        said = _DONE.get(each.action, each.action).format_map(known)
    except (KeyError, ValueError):
        said = each.action
    text = each.changes.get("text", "")
    return output.brief(f"{said}: {text}" if text else said)


def line(text: str) -> str:
    """Make of a fact one line that only shows characters."""
    return remembered.line(text)


def _origin(found: Found) -> str:
    fact = found.fact
    if not fact.session:
        return f"a person ({fact.source or 'attend memory'})"
    turn = f", prompt {fact.turn}" if fact.turn else ""
    source = f", {fact.source}" if fact.source else ""
    name = f" {fact.agent}" if fact.agent else ""
    return f"{fact.producer}{name} of session {words.short(fact.session)}{turn}{source}"
