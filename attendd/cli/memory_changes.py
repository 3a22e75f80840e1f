"""What a person does to memory, and the little of it that an agent may do."""

import argparse
import sys
import time
from pathlib import Path

from attendd.cli import memory_words, output, words
from attendd.cli.config import in_force
from attendd.cli.memory_project import Memory, configured
from attendd.config import encoded
from attendd.errors import AttendError, UsageError
from attendd.harness import person
from attendd.hot import db as hot
from attendd.hot import identity, memory_hiding, places
from attendd.memory import capture, change, vetting
from attendd.memory import forget as forgetting
from attendd.memory.record import Limits, Said, record, refuse
from attendd.registry import load
from attendd.store import Store
from attendd.store.fact_rows import Fact

LEARNT = "attend memory learn"
"""Where a fact came from that a person typed."""
_MOST_BYTES = 1 << 20
"""Of standard input; far more than any fact may have."""


def learn(args: argparse.Namespace) -> int:
    """Remember something; what an agent says here counts as any fact of an agent.

    Raises:
        AttendError: it can't be remembered.
        StoreError: the store can't be used.
    """
    memory = Memory()
    if memory.agent and not (memory.project and memory.project.enabled):
        raise UsageError("memory is off here", hint="a person turns it on: attend memory on")
    store = memory.writable()
    now = time.time()
    vouched = memory.agent and _said_by_person(memory, args.quote)
    said = Said(
        text=_text(args.words),
        project=store.memories.settle(memory.place, now),
        producer="agent" if memory.agent and not vouched else "user",
        wished=not memory.agent,
        session=memory.caller.session if memory.agent else "",
        source="" if memory.agent else LEARNT,
    )
    reason = vetting.objection(said.text)
    outcome = refuse(store, said, reason, now) if reason else record(store, said, now, Limits())
    if outcome.kind in ("refused", "known"):
        raise AttendError(f"that is not remembered: {outcome.reason}")
    (found,) = store.facts.by_prefix(None, outcome.fact)
    if args.json:
        return output.document({"outcome": outcome.kind, **memory_words.plain(found)})
    print(f"remembered #{found.fact.id[:8]}{_outcome(outcome.kind, found.fact)}")
    if args.quote and memory.agent and not vouched:
        print("the quotation is nothing that the person said, so it counts as an agent's fact")
    _say_off(store, memory)
    return 0


def forget(args: argparse.Namespace) -> int:
    """Forget a fact, everywhere; exit with 1 if it still stands somewhere.

    Raises:
        AttendError: there is none, or an agent may not.
    """
    memory = Memory()
    fact = memory.fact(args).fact
    _insist_that_it_may(memory, fact, "have that forgotten")
    if fact.status == "forgotten":
        raise AttendError(f"#{fact.id[:8]} was forgotten before")
    if not args.yes and not _confirmed(fact):
        print("nothing was forgotten")
        return 0
    folder = Path(memory.state.folder)
    shown = Path(places.known_runtime_dir(), "display")
    done = forgetting.forget(memory.writable(), fact, folder, time.time(), memory.actor, shown)
    if args.json:
        output.document({"forgotten": done.facts, "left": done.left})
    else:
        more = f", and {words.many(len(done.facts) - 1, 'other')} in the same words"
        print(f"forgotten #{fact.id[:8]}{more if len(done.facts) > 1 else ''}")
        for left in done.left:
            print(f"attend: {output.safe(left)}", file=sys.stderr)
    return 1 if done.left else 0


def pin(args: argparse.Namespace) -> int:
    """Keep a fact for good."""
    memory = Memory()
    memory.insist_on_person("pin a fact")
    fact = memory.fact(args).fact
    return _changed(
        args, change.pin(memory.writable(), fact, time.time(), memory.actor), "pinned"
    )


def demote(args: argparse.Namespace) -> int:
    """Put a fact behind all others."""
    memory = Memory()
    fact = memory.fact(args).fact
    _insist_that_it_may(memory, fact, "demote that")
    done = change.demote(memory.writable(), fact, time.time(), memory.actor)
    return _changed(args, done, "demoted")


def edit(args: argparse.Namespace) -> int:
    """Give a fact other words.

    Raises:
        UsageError: there are none.
    """
    memory = Memory()
    memory.insist_on_person("edit a fact")
    if not args.words[1:]:
        raise UsageError(
            "memory: edit needs ID and the new text", hint="attend memory edit ID -"
        )
    fact = memory.fact(args).fact
    text = _text(args.words[1:])
    if reason := vetting.objection(text):
        raise AttendError(f"that is not remembered: {reason}")
    done = change.edit(memory.writable(), fact, text, time.time(), memory.actor)
    return _changed(args, done, "edited")


def undo(args: argparse.Namespace) -> int:
    """Take back the last change.

    Raises:
        AttendError: there is none.
    """
    memory = Memory()
    memory.insist_on_person("take a change back")
    fact = memory.fact(args).fact.id if args.words else None
    project = None if fact else memory.number(args)
    last = change.last_change(memory.state.store.facts.log(project, fact))
    if last is None:
        raise AttendError("there is nothing to take back", hint="attend memory history")
    done = change.undo(memory.writable(), last, time.time(), memory.actor)
    if args.json:
        changed = [{"id": each.id, "status": each.status} for each in done]
        return output.document({"undid": memory_words.entry(last), "facts": changed})
    print(f"taken back: #{last.fact[:8]} {memory_words.what(last)}")
    for each in done:
        print(f"#{each.id[:8]} is {each.status} now")
    return 0


def turn_on(args: argparse.Namespace) -> int:
    """Turn this project's memory on."""
    return _turn(args, "on")


def turn_off(args: argparse.Namespace) -> int:
    """Turn it off."""
    return _turn(args, "off")


def adopt(args: argparse.Namespace) -> int:
    """Take over the memory of a project that lay elsewhere.

    Raises:
        AttendError: there is none, or this project has facts of its own.
    """
    memory = Memory()
    memory.insist_on_person("take over a memory")
    old = str(Path(args.words[0]).absolute())
    store = memory.writable()
    places = {args.words[0], identity.project_of(old), old, f"{old}/.git"}
    others = [each for each in store.memories.projects() if each.place != memory.place]
    found = next((each for each in others if each.place in places), None)
    if found is None:
        known = ", ".join(output.safe(words.project(each.place)) for each in others[:5])
        hint = f"there is one of {known}" if known else "there is none of another project"
        if memory.place in places:
            raise AttendError(f"{args.words[0]!r} is this project itself", hint=hint)
        raise AttendError(f"no memory is known of {args.words[0]!r}", hint=hint)
    if memory.project and store.facts.all(memory.project.id, "active"):
        raise AttendError("this project has facts of its own", hint="attend memory list")
    store.memories.adopt(found.id, memory.place)
    count = words.many(len(store.facts.all(found.id, "active")), "fact")
    print(f"this project has the memory of {output.safe(words.project(found.place))}: {count}")
    return 0


def _turn(args: argparse.Namespace, wish: str) -> int:
    memory = Memory()
    memory.insist_on_person(f"turn memory {wish}")
    store = memory.writable()
    wall = time.time()
    project = store.memories.settle(memory.place, wall)
    store.memories.wish(project, wish, wall, configured=configured())
    if args.json:
        return output.document({"project": memory.place, "enabled": wish == "on"})
    print(f"memory is {wish} for {output.safe(words.project(memory.place))}")
    if wish == "on":
        print(
            "sessions of it are taught with their next prompt; `attend memory list` shows facts"
        )
        _say_how_to_hide(store)
    return 0


def _say_how_to_hide(store: Store) -> None:
    """Say how tags are hidden, unless they are to be seen."""
    if in_force(load().sensors).config.memory.hide_tags:
        print(
            "agents write facts between tags into their answers; to have those hidden from you:"
        )
        print(f"  {memory_hiding.COMMAND}")
        print("answers then appear line by line, not word by word")
        store.call(lambda db: hot.write(db, memory_hiding.told))


def _said_by_person(memory: Memory, quotation: str) -> bool:
    """Tell whether the person of the session whose agent asks has said something, verbatim."""
    path = memory.caller.transcript if quotation else ""
    return bool(path) and capture.stands_in(quotation, person.said(Path(path)))


def _text(said: list[str]) -> str:
    """Return the text of a command line, or of standard input where that is ``-``.

    Raises:
        UsageError: what comes in is not UTF-8; kept otherwise, its words would not be found.
    """
    if said != ["-"]:
        return " ".join(said)
    data = sys.stdin.buffer.read(_MOST_BYTES)
    flaw, hint = encoded.flaw(data)
    if flaw and len(data) < _MOST_BYTES:
        raise UsageError(f"memory: standard input: {flaw}", hint=hint)
    return data.decode("utf-8", "replace")


def _outcome(kind: str, fact: Fact) -> str:
    if kind == "duplicate":
        return ", which was known"
    return f", in place of #{fact.supersedes[:8]}" if kind == "updated" else ""


def _say_off(store: Store, memory: Memory) -> None:
    """Say if what was remembered reaches nobody."""
    found = store.memories.project_at(memory.place)
    if not (found and found.enabled) and not configured():
        print("memory is off here, so no session is shown it; `attend memory on` turns it on")


def _insist_that_it_may(memory: Memory, fact: Fact, what: str) -> None:
    """Leave what a person said, or wished to be kept, to a person."""
    if fact.core or fact.producer == "user":
        memory.insist_on_person(what)


def _confirmed(fact: Fact) -> bool:
    """Ask a person at a terminal, if there is one."""
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    answer = input(f"forget for good: {memory_words.line(fact.text)}\n[y/N] ")
    return answer.strip().lower() in ("y", "yes")


def _changed(args: argparse.Namespace, fact: Fact, what: str) -> int:
    if args.json:
        return output.document(
            {"id": fact.id, "status": fact.status, "weight": fact.weight / 100}
        )
    print(f"{what} #{fact.id[:8]}: {memory_words.line(fact.text)}")
    return 0
