"""What `attend memory` shows: facts, their story, and whether all of it adds up."""

import argparse
import sys
import time
from collections import Counter

from attendd import config, registry
from attendd.cli import memory_choice, memory_words, output, words
from attendd.cli.keeper import pipes_of
from attendd.cli.memory_project import Memory, configured
from attendd.errors import UsageError
from attendd.hot import goal, memory_lesson, nonces
from attendd.memory import vetting
from attendd.store.fact_rows import Entry
from attendd.store.facts import Found
from attendd.store.memories import Injection

DIFFERS = 1
_RECALLED = 5
"""So many facts that are about a question were of use to the agent that asked it."""
_HEADS = ("id", "weight", "kept", "for", "from", "updated", "fact")


def listed(args: argparse.Namespace) -> int:
    """List facts."""
    memory = Memory()
    found = memory_choice.chosen(memory, args)
    if args.limit:
        found = found[: args.limit]
    if args.words:
        memory.made_use_of(found[:_RECALLED])
    if args.json:
        on = memory.project.enabled if memory.project else False
        return output.document({"enabled": on, "facts": [memory_words.plain(f) for f in found]})
    if found:
        output.rows("", _HEADS, [memory_words.row(each) for each in found], ["from"])
        print("\n`attend memory show ID` tells where one came from")
    else:
        chosen = args.said_by or args.reader or args.weight
        none = "no fact is like that" if chosen else "nothing is remembered here"
        print("no fact is about that" if args.words else none)
    _say_state(memory)
    return 0


def shown(args: argparse.Namespace) -> int:
    """Show one fact."""
    memory = Memory()
    found = memory.fact(args)
    memory.made_use_of([found])
    facts = memory.state.store.facts
    entries = facts.log(None, found.fact.id)
    replaced_by = facts.superseder(found.fact.id)
    if args.json:
        known = {**memory_words.plain(found), "superseded_by": replaced_by}
        return output.document({**known, "history": [memory_words.entry(e) for e in entries]})
    output.facts(memory_words.described(found, replaced_by))
    output.rows("history", ("when", "who", "what"), [_step(entry) for entry in entries])
    return 0


def history(args: argparse.Namespace) -> int:
    """List changes."""
    memory = Memory()
    fact = memory.fact(args).fact.id if args.words else None
    project = None if fact else memory.number(args)
    entries = memory.state.store.facts.log(project, fact, args.limit or -1)
    if args.json:
        return output.document({"history": [memory_words.entry(each) for each in entries]})
    rows = [[f"#{each.fact[:8]}" if each.fact else "", *_step(each)] for each in entries]
    output.rows("", ("id", "when", "who", "what"), rows)
    if not rows:
        print("nothing has happened here")
    return 0


def injected(args: argparse.Namespace) -> int:
    """List what was put before models."""
    memory = Memory()
    session = memory.state.session(args.session).id if args.session else ""
    if memory.agent:
        if session not in ("", memory.caller.session):
            memory.insist_on_person("look into another session")
        session = memory.caller.session
    project = None if session else memory.number(args)
    found = memory.state.store.memories.injections(
        session=session, project=project, limit=args.limit or -1
    )
    known = {
        each.fact.id: each
        for each in memory.state.store.facts.all(None, *memory_choice.STATUSES)
    }
    if args.json:
        return output.document(
            {"injections": [memory_words.injection(i, known) for i in found]}
        )
    for each in found:
        _print_injection(each, known)
    if not found:
        print("nothing was put before a model here")
    return 0


def audit(args: argparse.Namespace) -> int:
    """Check that facts are what their log says, and may be kept; exit with 1 if not."""
    memory = Memory()
    store = memory.state.store
    done = (memory.writable() if args.rebuild else store).facts.audit(rebuild=args.rebuild)
    refused = Counter[str]()
    for each in store.facts.log(memory.number(args)):
        if each.action == "refused":
            refused[each.changes["_reason"]] += each.changes["_count"]
    found = store.facts.all(memory.number(args), *memory_choice.STATUSES)
    statuses = Counter(each.fact.status for each in found)
    kept = [each.fact for each in found if each.fact.status in ("active", "withheld")]
    objections = zip(kept, vetting.objections([each.text for each in kept]), strict=True)
    doubtful = {fact.id: reason for fact, reason in objections if reason}
    wrong = DIFFERS if doubtful or (done.differences and not args.rebuild) else 0
    if args.json:
        output.document(
            {
                "entries": done.entries,
                "facts": dict(statuses),
                "differences": done.differences,
                "rebuilt": args.rebuild,
                "refused": dict(refused),
                "doubtful": doubtful,
            }
        )
        return wrong
    forget = "attend memory forget"
    output.facts(
        [
            ("log", f"{words.many(done.entries, 'entry', 'entries')}, none ever removed"),
            ("facts", ", ".join(f"{n} {status}" for status, n in statuses.items()) or "none"),
            ("adds up", _adds_up(done.differences, rebuilt=args.rebuild)),
            *(
                ("refused", f"{words.many(n, 'time')}: {reason}")
                for reason, n in refused.most_common()
            ),
            *(
                ("doubtful", f"#{i[:8]}: {why}; {forget} {i[:8]}")
                for i, why in doubtful.items()
            ),
        ]
    )
    return wrong


def export(args: argparse.Namespace) -> int:
    """Write everything that is remembered of a project."""
    memory = Memory()
    project = memory.number(args)
    store = memory.state.store
    if args.json:
        facts = [
            memory_words.plain(each)
            for each in store.facts.all(project, *memory_choice.STATUSES)
        ]
        entries = [memory_words.entry(each) for each in store.facts.log(project)]
        return output.document({"project": memory.place, "facts": facts, "log": entries})
    print(f"# What is remembered of {output.safe(words.project(memory.place))}\n")
    for each in store.facts.all(project, "active"):
        if each.fact.consumer != goal.CONSUMER:  # that passes with its session
            print(f"- {memory_words.line(each.fact.text)}")
    return 0


def instruction(args: argparse.Namespace) -> int:
    """Print what a session is taught.

    Raises:
        UsageError: no session has asked, and no new nonce is asked for.
    """
    settings = config.load(registry.load().sensors).config.memory
    nonce = _new_nonce() if args.new else _own_nonce()
    text = memory_lesson.lesson(
        nonce, settings.namespace, settings.consumers, lasting=not args.new
    )
    if args.json:
        return output.document({"nonce": nonce, "text": text})
    print(text, end="")
    print(f"nonce: {nonce}; `attend filter --nonce {nonce}` takes its tags", file=sys.stderr)
    return 0


def _new_nonce() -> str:
    """Make a nonce for pipes in this project; `attend filter` takes the latest."""
    memory = Memory()
    session = pipes_of(memory.place)
    store, wall = memory.writable(), time.time()
    return store.call(lambda db: nonces.rotate(db, session, wall, "another was made"))


def _own_nonce() -> str:
    memory = Memory()
    session = memory.caller.session
    found = memory.state.store.call(lambda db: nonces.current(db, session))
    if not found:
        raise UsageError(
            "this session has no nonce, as it was not taught of memory",
            hint="attend memory instruction --new makes one for a pipe",
        )
    return found


def _say_state(memory: Memory) -> None:
    """Say whether memory is on here, if it is not, and what else there is."""
    if not (memory.project.enabled if memory.project else configured()):
        print("memory is off here; `attend memory on` turns it on")
    if memory.project:
        archived = len(memory.state.store.facts.all(memory.project.id, "archived"))
        if archived:
            print(f"{words.many(archived, 'fact')} archived: attend memory list --archived")


def _adds_up(differences: dict[str, int], *, rebuilt: bool) -> str:
    if not differences:
        return "yes: table, index and hits are what the log gives"
    counted = ", ".join(f"{count} in {table}" for table, count in differences.items())
    rows = f"rows that differ: {counted}"
    return f"now; {rows} before" if rebuilt else f"no; {rows}: attend memory audit --rebuild"


def _step(entry: Entry) -> list[str]:
    return [words.moment(entry.at), words.short(entry.actor), memory_words.what(entry)]


def _print_injection(each: Injection, known: dict[str, Found]) -> None:
    why = "with a prompt" if each.reason == "prompt" else f"at its start ({each.reason})"
    taught = ", with the instruction" if each.taught else ""
    print(
        f"{words.moment(each.at)}  {words.short(each.session)}  {why}:"
        f" {words.many(len(each.facts), 'fact')}{taught}, about {each.tokens} tokens"
    )
    for fact, used_at in each.facts:
        text = known[fact].fact.text if fact in known else ""
        used = f"used {words.moment(used_at)}" if used_at else "not seen to be used"
        print(f"  #{fact[:8]}  {output.brief(text) or '(forgotten)'}  [{used}]")
