"""How a fact is recorded: what is refused, what is known already, what it replaces."""

import math
import os

import msgspec

from attendd.hot import goal, terms
from attendd.memory import weight
from attendd.memory.dedup import SIMILAR, Kind, Match, compare
from attendd.store import Store
from attendd.store.fact_book import FactBook
from attendd.store.fact_rows import Fact, mark_of

MAX_BYTES = 2048
"""The longest fact: a longer one could never be shown."""
PER_TURN = 20
PER_SESSION = 200


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be recorded. What each field means is said with `Fact`.

    Attributes:
        wished: whether a person wished it to be kept for good.
    """

    text: str
    project: int
    producer: str = "agent"
    consumer: str = ""
    untrusted: bool = False
    wished: bool = False
    session: str = ""
    turn: int = 0
    agent: str = ""
    source: str = ""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How much one session may record; 0: any number.

    Attributes:
        per_turn: facts under one prompt.
        per_session: facts in all.
    """

    per_turn: int = PER_TURN
    per_session: int = PER_SESSION


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it.

    Attributes:
        kind: ``recorded``, ``updated`` (it replaces another), ``duplicate``, ``known`` (taken
            from the same place before) or ``refused``.
        fact: the fact that says it now; empty if none does.
        reason: why nothing was recorded, in a few words.
    """

    kind: str
    fact: str = ""
    reason: str = ""


_KNOWN = Outcome(kind="known", reason="it was taken from there before")


def record(store: Store, said: Said, wall: float, limits: Limits | None = None) -> Outcome:
    """Record a fact, or say why not.

    Raises:
        StoreError: the store can't be used; nothing was recorded.
    """
    said = msgspec.structs.replace(said, text=clean(said.text))
    return store.facts.change(
        lambda book: _record(book, said, limits or Limits()), wall, said.session or "user"
    )


def refuse(store: Store, said: Said, reason: str, wall: float, *, times: int = 1) -> Outcome:
    """Note that a fact was refused by whoever looked at it first; its text is not kept.

    Args:
        store: the store.
        said: what is known of it besides its text.
        reason: why, in a few words.
        wall: now.
        times: how many there were of the kind.

    Raises:
        StoreError: it was not noted.
    """

    def work(book: FactBook) -> Outcome:
        if _was_taken(book, said):
            return _KNOWN
        return [_refused(book, said, reason) for _ in range(times)][-1]

    return store.facts.change(work, wall, said.session or "user")


def _record(book: FactBook, said: Said, limits: Limits) -> Outcome:
    if _was_taken(book, said):
        return _KNOWN
    if reason := _objection(book, said):
        return _refused(book, said, reason)
    aim = said.consumer == goal.CONSUMER
    found = None if aim else _closest(book, said)
    if found is not None and found[1].kind is Kind.SAME:
        return _again(book, found[0], said)
    if _too_many(book, said, limits):
        return _refused(book, said, "the session has recorded enough")
    if aim:
        return _set_goal(book, said)
    return _replace(book, found[0], said) if found else _new(book, said)


def _was_taken(book: FactBook, said: Said) -> bool:
    """Claim the place in a session that something is from; a person may say the same twice."""
    return bool(said.source and said.session) and not book.take(said.source)


def _objection(book: FactBook, said: Said) -> str:
    """Say why a text is no fact to be kept, whatever else is known; ``''`` if it may be."""
    if not any(map(str.isalnum, said.text)):
        return "it says nothing"
    if len(said.text.encode()) > MAX_BYTES:
        return f"it is longer than {MAX_BYTES:,} bytes"
    if said.producer != "user" and _withdrawn(book, said):
        return "a person had it forgotten"
    if said.consumer == goal.CONSUMER and said.producer != "agent":
        return "a subagent has its goal from whoever started it"
    return ""


def clean(text: str) -> str:
    """Make of anything a text that can be kept: lone surrogates and NUL are none."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\u2400").strip()


def _refused(book: FactBook, said: Said, reason: str, fact: str = "") -> Outcome:
    book.refuse(said.project, said.session, said.turn, reason, fact)
    return Outcome(kind="refused", reason=reason, fact=fact)


def _withdrawn(book: FactBook, said: Said) -> bool:
    known = book.marked(said.project, said.text)
    anew = any(each.status == "active" for each in known)
    return not anew and book.was_forgotten(said.project, said.text)


def _too_many(book: FactBook, said: Said, limits: Limits) -> bool:
    if not said.session:
        return False
    recorded = book.of_session(said.session)
    in_turn = sum(each.turn == said.turn for each in recorded) if said.turn else 0
    return 0 < limits.per_session <= len(recorded) or 0 < limits.per_turn <= in_turn


def _closest(book: FactBook, said: Said) -> tuple[Fact, Match] | None:
    """Find the active fact that says the same, or that this one corrects."""
    words = {word for word in terms.words(said.text) if word not in terms.STOP}
    known = book.marked(said.project, said.text)
    same = [each for each in known if each.status == "active" and _is_for_others(each)]
    if same:
        return same[0], Match(Kind.SAME, 1.0)
    best: tuple[Fact, Match] | None = None
    at_least = max(1, math.ceil(SIMILAR * len(words)))
    near = book.similar(said.project, words, at_least) if words else []
    for each in filter(_is_for_others, near):
        match = compare(each.text, said.text)
        if match.kind is not Kind.OTHER and (best is None or _beats(match, best[1])):
            best = (each, match)
    return best


def _is_for_others(fact: Fact) -> bool:
    return fact.consumer != goal.CONSUMER


def _set_goal(book: FactBook, said: Said) -> Outcome:
    """Keep what a session's person is after now, in the place of what that was before."""
    before = [
        each
        for each in book.of_session(said.session)
        if each.consumer == goal.CONSUMER and each.status == "active"
    ]
    if any(each.text == said.text for each in before):
        for each in before:
            book.alter(each, "confirmed", turn=said.turn, updated_at=book.wall)
        return Outcome(kind="duplicate", fact=before[0].id)
    fact = _add(book, said, supersedes=before[0].id if before else "")
    for each in before:
        book.alter(each, "superseded", {"_by": fact.id}, status="superseded")
    return Outcome(kind="updated" if before else "recorded", fact=fact.id)


def _beats(match: Match, best: Match) -> bool:
    """Tell whether a match is better; of equals the same beats a correction, else the first."""
    return (match.score, match.kind is Kind.SAME) > (best.score, best.kind is Kind.SAME)


def _again(book: FactBook, fact: Fact, said: Said) -> Outcome:
    """Let a fact gain by being said once more."""
    to: dict[str, object] = {}
    if said.wished:
        to |= {"core": True, "weight": weight.CORE, "scope": "project", "producer": "user"}
        to["untrusted"] = False
    said_by, first_by = weight.initial(said.producer), weight.initial(fact.producer)
    if said_by >= first_by and not fact.core:
        to.setdefault("weight", max(fact.weight, first_by, said_by))
        to["updated_at"] = book.wall
    if said.consumer != fact.consumer:
        to["consumer"] = ""
    trusted = not (said.untrusted or fact.untrusted)
    if said.session and said.session != fact.session and trusted:
        to["scope"] = "project"  # two sessions found the same: it is no passing thought
    if any(getattr(fact, name) != value for name, value in to.items()):
        fact = book.alter(fact, "confirmed", {"_by": said.session or "user"}, **to)
    book.hit(fact, said.session if said.session != fact.session else "")
    return Outcome(kind="duplicate", fact=fact.id)


def _replace(book: FactBook, old: Fact, said: Said) -> Outcome:
    """Put a correction in the place of what it corrects; all who saw that see this."""
    if said.untrusted and (old.core or old.producer == "user"):
        return _refused(book, said, "it contradicts what a person said", old.id)
    consumer = said.consumer if said.consumer == old.consumer else ""
    fact = _add(book, said, supersedes=old.id, consumer=consumer)
    book.alter(old, "superseded", {"_by": fact.id}, status="superseded")
    return Outcome(kind="updated", fact=fact.id)


def _new(book: FactBook, said: Said) -> Outcome:
    return Outcome(kind="recorded", fact=_add(book, said).id)


def _add(book: FactBook, said: Said, **over: str) -> Fact:
    fact = Fact(
        id=os.urandom(8).hex(),
        project=said.project,
        scope=weight.first_scope(core=said.wished),
        text=said.text,
        mark=mark_of(said.text),
        producer=said.producer,
        consumer=said.consumer,
        weight=weight.initial(said.producer, core=said.wished),
        core=said.wished,
        untrusted=said.untrusted,
        session=said.session,
        turn=said.turn,
        agent=said.agent,
        source=said.source,
        created_at=book.wall,
        updated_at=book.wall,
    )
    fact = msgspec.structs.replace(fact, **over)
    book.add(fact)
    return fact
