"""Commands as one would type them. The standard library's way to quote brings `re` along."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@%_+=:,./-")
"""Characters of a word that mean nothing to a shell."""


def typed(words: "Iterable[str]") -> str:
    """Write a command so that a shell takes it apart into the same words."""
    return " ".join(map(quoted, words))


def quoted(word: str) -> str:
    """Write one word, in quotes only where a shell would make something else of it."""
    if word and _PLAIN.issuperset(word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"
