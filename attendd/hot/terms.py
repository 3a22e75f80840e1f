"""The words of a text, by which facts are found and compared. Pure.

A word is a run of letters, digits and underscores in any script, case folded; little words that
say nothing of what a text is about are left out.
"""

STOP = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did",
    "do", "does", "for", "from", "had", "has", "have", "i", "if", "in", "into", "is", "it",
    "its", "me", "my", "no", "not", "of", "on", "or", "our", "should", "so", "that", "the",
    "their", "them", "they", "this", "to", "was", "we", "were", "what", "when", "which",
    "who", "will", "with", "would", "you", "your",
))  # fmt: skip

LONGEST = 64
"""Characters by which a word is found."""

_UNSPACED = (
    ("\u3040", "\u30ff"), ("\u3400", "\u4dbf"), ("\u4e00", "\u9fff"), ("\uf900", "\ufaff"),
    ("\u0e00", "\u0eff"), ("\U00020000", "\U0003ffff"),
)  # fmt: skip
"""Scripts that are written without spaces between words."""


def words(text: str) -> list[str]:
    """Return all words of a text in order, the little ones included."""
    text = _composed(text).casefold()
    if text.isascii():
        return "".join(ch if ch.isalnum() or ch == "_" else " " for ch in text).split()
    return "".join(ch if _is_in_word(ch) else " " for ch in text).split()


def terms(text: str) -> set[str]:
    """Return the words by which a text is found.

    A run of a script without spaces is found by each two characters in it as well.
    """
    found = {word[:LONGEST] for word in words(text) if word not in STOP}
    if text.isascii():
        return found
    runs = [word for word in found if len(word) > 1 and any(map(_is_unspaced, word))]
    return found.union(*({run[at : at + 2] for at in range(len(run) - 1)} for run in runs))


def folded(text: str) -> str:
    """Return what two texts have in common that differ in case and white space only."""
    return " ".join(_composed(text).casefold().split())


def _composed(text: str) -> str:
    if text.isascii():
        return text
    import unicodedata

    return unicodedata.normalize("NFC", text)


def _is_in_word(ch: str) -> bool:
    if ch.isalnum() or ch == "_":
        return True
    if ch.isascii():
        return False
    import unicodedata

    return unicodedata.category(ch)[0] == "M"


def _is_unspaced(ch: str) -> bool:
    return any(first <= ch <= last for first, last in _UNSPACED)
