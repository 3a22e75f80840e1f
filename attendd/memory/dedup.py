"""Whether a fact says the same as one that is stored, or corrects it. Pure.

Two texts are about the same thing if they share most of their words. They say the same unless
one denies what the other says, names another number or term, or turns the words around an
opposition, as in "tabs not spaces".
"""

import enum
import re

import msgspec

from attendd.hot import terms

SIMILAR = 0.6
"""The share of common words, from which on two texts are about the same thing."""

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_QUOTED = re.compile(r"`[^`]+`|\"[^\"]+\"|“[^”]+”|(?<!\w)'[^']+'(?!\w)")
_CODE = re.compile(r"[_/\\$@]|::|\w\.\w|\(\)|[a-z][A-Z]|^--?\w")
_NEGATIONS = frozenset({
    "no", "not", "never", "none", "nobody", "nothing", "nowhere", "neither", "nor", "without",
    "cannot", "isnt", "dont", "doesnt", "didnt", "wont", "cant", "mustnt", "shouldnt", "arent",
    "wasnt", "werent", "couldnt", "wouldnt", "stop", "avoid", "не", "нет", "никогда", "nicht",
    "kein", "keine", "keinen", "nie", "niemals", "pas", "jamais", "nunca", "non", "mai", "nao",
    "não",
})  # fmt: skip
_OPPOSITIONS = frozenset({"over", "instead", "rather", "statt", "sondern"})
_UNSPACED_NEGATIONS = (
    "不",
    "没",
    "沒",
    "無",
    "无",
    "非",
    "未",
    "別",
    "别",
    "ない",
    "ません",
    "ず",
)
_APOSTROPHES = str.maketrans(dict.fromkeys("'\u2019\u02bc"))


class Kind(enum.Enum):
    """What a new text is to a stored one."""

    OTHER = "other"
    SAME = "same"
    UPDATE = "update"


class Match(msgspec.Struct, frozen=True):
    """How a new text stands to a stored one.

    Attributes:
        kind: what it is to it.
        score: the share of words they have in common, 0 to 1.
    """

    kind: Kind
    score: float


def compare(stored: str, new: str) -> Match:
    """Tell what a new text is to a stored one."""
    if terms.folded(stored) == terms.folded(new):
        return Match(Kind.SAME, 1.0)
    score = _jaccard(_content(stored), _content(new))
    if score < SIMILAR:
        return Match(Kind.OTHER, score)
    return Match(Kind.SAME if _agree(stored, new) else Kind.UPDATE, score)


def _jaccard(one: list[str], other: list[str]) -> float:
    """Return common words by all words; a text without words is like no other."""
    common, together = set(one) & set(other), set(one) | set(other)
    return len(common) / len(together) if together else 0.0


def _content(text: str) -> list[str]:
    return [word for word in terms.words(text) if word not in terms.STOP]


def _agree(stored: str, new: str) -> bool:
    return (
        _stance(stored) == _stance(new)
        and _specifics(stored) == _specifics(new)
        and not _turned_around(stored, new)
    )


def _stance(text: str) -> tuple[int, int]:
    """Count what a text denies, and what it sets against each other.

    "not" behind a word with a meaning of its own opposes two things, as "over" does; behind a
    little word ("do not", "is not") or at the start it denies.
    """
    denied = sum(text.count(sign) for sign in _UNSPACED_NEGATIONS)
    opposed, before = 0, ""
    for word in terms.words(text.translate(_APOSTROPHES)):
        if word in _OPPOSITIONS or (word == "not" and before and before not in terms.STOP):
            opposed += 1
        elif word in _NEGATIONS:
            denied += 1
        before = word
    return denied, opposed


def _specifics(text: str) -> set[str]:
    """Return numbers, quoted text and code, which name one thing and no other."""
    code = (word for word in text.split() if _CODE.search(word))
    plain = {each.strip("`\"'“”.,;:").casefold() for each in (*_QUOTED.findall(text), *code)}
    return {*plain, *_NUMBER.findall(text)} - {""}


def _turned_around(stored: str, new: str) -> bool:
    """Tell whether the words of two texts come in another order around an opposition."""
    if not (_stance(stored)[1] or _stance(new)[1]):
        return False
    one, other = (list(dict.fromkeys(_content(text))) for text in (stored, new))
    common = set(one) & set(other) - _OPPOSITIONS
    return [word for word in one if word in common] != [
        word for word in other if word in common
    ]
