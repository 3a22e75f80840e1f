"""Finds in a text what must not be kept: keys, tokens, passwords, card numbers.

The patterns are those of detect-secrets, of which only the detectors are used: nothing is
verified over a network. What it leaves to the reader of code is added here: a password that is
said in a sentence, a word that only chance can have made, and the number of a card.

Loading it takes 17 MB, so the host has it done by a process that ends again; see
`attendd.memory.vetting`.
"""

import functools
import re
from collections.abc import Iterable, Iterator

from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from detect_secrets.filters import heuristic
from detect_secrets.plugins.base import BasePlugin
from detect_secrets.plugins.high_entropy_strings import (
    Base64HighEntropyString,
    HexHighEntropyString,
)

_NO_SECRETS = ("IPPublicDetector", "Base64HighEntropyString", "HexHighEntropyString")
"""Detectors of what may well be a fact; words are looked at one by one instead."""
_NAMED = re.compile(
    r"(?:pass(?:word|wd|phrase|code)|pwd|secret|token|credentials?|(?:api|access|private|secret)"
    r"[ _-]?key)\w*\b[^\n.;]{0,40}?(?:\bis|\bare|\bto|=|:)\s*[\"'`]?(?P<value>[^\s\"'`]{6,})",
    re.IGNORECASE,
)
_ODD = re.compile(r"(?=.*[A-Za-z]).*[\d!#$%&*+=?@^~]|\d{8}")
_WORD = re.compile(r"[A-Za-z0-9+/=_-]{20,}")
_HEX = re.compile(r"[0-9a-fA-F]+")
_ABOUT_KEYS = re.compile(r"secret|token|password|passphrase|credential|\bkey", re.IGNORECASE)
_CARD = re.compile(r"(?<![\d.-])[3-6](?:[ -]?\d){12,18}(?![\d-])")


def objection(text: str) -> str:
    """Say in a few words which secret a text holds; ``''`` if it seems to hold none."""
    kind = next(_kinds(text), "")
    return f"it holds what looks like a secret: {kind}" if kind else ""


def _kinds(text: str) -> Iterator[str]:
    for detector in _detectors():
        if any(detector.analyze_string(text)):
            yield str(detector.secret_type)
    if any(_may_be_one(found["value"]) for found in _NAMED.finditer(text)):
        yield "Secret Keyword"
    about_keys = bool(_ABOUT_KEYS.search(text))
    if any(_by_chance(word, about_keys=about_keys) for word in _WORD.findall(text)):
        yield "High Entropy String"
    if any(map(_is_card, _CARD.findall(text))):
        yield "Card Number"


def _may_be_one(value: str) -> bool:
    """Tell whether what is called a password is one, and not a word, a figure or a template."""
    return bool(_ODD.match(value)) and not heuristic.is_templated_secret(value)


@functools.cache
def _detectors() -> list[BasePlugin]:
    kinds: Iterable[type[BasePlugin]] = get_mapping_from_secret_type_to_class().values()
    return [kind() for kind in kinds if kind.__name__ not in _NO_SECRETS]


def _by_chance(word: str, *, about_keys: bool) -> bool:
    """Tell whether a word is a key rather than a name, a path or the hash of a commit."""
    if heuristic.is_potential_uuid(word) or heuristic.is_sequential_string(word):
        return False
    if _HEX.fullmatch(word):
        hexadecimal = HexHighEntropyString()
        return about_keys and _exceeds(hexadecimal, word)
    mixed = all(any(map(test, word)) for test in (str.isdigit, str.islower, str.isupper))
    return mixed and _exceeds(Base64HighEntropyString(), word)


def _exceeds(detector: Base64HighEntropyString | HexHighEntropyString, word: str) -> bool:
    return bool(detector.calculate_shannon_entropy(word) > detector.entropy_limit)


def _is_card(text: str) -> bool:
    """Check the last digit, which is computed from all others.

    Source:
        ISO/IEC 7812-1, annex B.
    """
    digits = [int(each) for each in text if each.isdigit()]
    doubled = [2 * each - 9 * (each > 4) for each in digits[-2::-2]]  # noqa: PLR2004 - two digits
    return (sum(doubled) + sum(digits[-1::-2])) % 10 == 0
