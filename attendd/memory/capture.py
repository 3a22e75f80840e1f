"""What a row of a transcript has for memory: facts that the model emitted in tags. Pure.

Only what the model says counts, never what it was told, thought, or passed to a tool. Where its
session's nonce stands in any of those, or open in what it says, somebody may have copied it;
the lesson that attend itself delivered is the one place where it belongs.
"""

from collections.abc import Iterable, Sequence

import msgspec

from attendd.harness.speech import CONTEXT, RESULT, Speech
from attendd.hot import goal, memory_lesson, terms
from attendd.hot.percept_events import Percept, Refusal, Withheld
from attendd.hot.percepts import Parser

MOST = 100
"""Facts that one row may have; what is more is counted."""
SHORTEST = 3
"""Words from which on what stands in a text as well was taken from there."""

_ANSWER = "an answer"
_FLOOD = f"more than {MOST} stood in one answer"
_WITHHELD = "its tag was never closed, so {:,} bytes of an answer are not shown"
_OPEN = "it holds the mark of this session's tags"


class Signs(msgspec.Struct, frozen=True, kw_only=True):
    """By what a session's own tags are known.

    Attributes:
        nonce: of the session.
        namespace: the beginning of its tags.
        consumers: names that a fact may be addressed to.
    """

    nonce: str
    namespace: str = "attend"
    consumers: Sequence[str] = ()


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What stood in tags.

    Attributes:
        text: the fact; empty where it was refused.
        consumer: whom it is for; empty: everybody.
        source: row and number in it.
        reason: why it was refused, in a few words.
        times: how many of the kind this stands for.
        raw: what is withheld of an answer, for whoever looks for a fault.
    """

    source: str
    text: str = ""
    consumer: str = ""
    reason: str = ""
    times: int = 1
    raw: str = ""


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """What a row has.

    Attributes:
        found: what stood in tags, in order.
        seen: in what the nonce was seen; empty: nowhere.
    """

    found: list[Found]
    seen: str = ""


def take(speech: Speech, signs: Signs) -> Taken:
    """Take from a row what it has for memory."""
    found: list[Found] = []
    seen = next((place for place, text in speech.heard if _is_open(place, text, signs)), "")
    for text in (each for each in speech.said if signs.nonce in each):
        shown, inside = _parsed(text, signs)
        found += inside
        if signs.nonce in shown or any(each.reason == _OPEN for each in inside):
            seen = seen or _ANSWER
    named = [
        msgspec.structs.replace(each, source=f"{speech.row}#{number}")
        for number, each in enumerate(found[:MOST], 1)
    ]
    if len(found) > MOST:
        source, more = f"{speech.row}#{MOST + 1}", len(found) - MOST
        named.append(Found(source=source, reason=_FLOOD, times=more))
    return Taken(found=named, seen=seen)


def stands_in(quotation: str, texts: Iterable[str]) -> bool:
    """Tell whether a quotation that is long enough to be one stands word for word in texts."""
    return _stands_in(quotation, map(terms.folded, texts))


def returned(heard: Iterable[Speech]) -> list[str]:
    """Return what tools have returned, in the form in which texts are compared."""
    results = (words for each in heard for place, words in each.heard if place == RESULT)
    return [terms.folded(words.replace("\\n", " ")) for words in results]


def quoted(text: str, results: Iterable[str]) -> bool:
    """Tell whether a fact stands word for word in what tools have `returned`."""
    return _stands_in(text, results)


def _stands_in(quotation: str, folded: Iterable[str]) -> bool:
    wanted = terms.folded(quotation)
    return len(quotation.split()) >= SHORTEST and any(wanted in each for each in folded)


def _parsed(text: str, signs: Signs) -> tuple[str, list[Found]]:
    """Return what is shown of an answer, and what stood in its tags."""
    agents = (goal.HINT, *signs.consumers)
    parser = Parser(signs.nonce, namespace=signs.namespace, agents=agents, escaped=True)
    shown, found = bytearray(), []
    for event in (*parser.feed(text), *parser.finish()):
        if isinstance(event, bytes):
            shown += event
        elif isinstance(event, Percept) and signs.nonce not in event.text:
            consumer = goal.CONSUMER if event.consumer == goal.HINT else event.consumer
            found.append(Found(source="", text=event.text, consumer=consumer))
        else:
            raw = event.raw.decode("utf-8", "replace") if isinstance(event, Withheld) else ""
            found.append(Found(source="", reason=_reason(event), raw=raw))
    return shown.decode("utf-8", "replace"), found


def _reason(event: Percept | Refusal | Withheld) -> str:
    if isinstance(event, Withheld):
        return _WITHHELD.format(event.end - event.start)
    return event.reason if isinstance(event, Refusal) else _OPEN


def _is_open(place: str, text: str, signs: Signs) -> bool:
    """Tell whether the nonce stands in a text; in what hooks added, besides the lesson."""
    if place == CONTEXT and signs.nonce in text:
        text = text.replace(memory_lesson.tags(signs.nonce, signs.namespace), "")
    return signs.nonce in text
