"""What a shell ate of a command line, by its signs: names of files, empty quotes. Pure."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MANY = 3
"""So many names of files in a row are no accident."""
_MOST_LOOKS = 64
_GAPS = ("''", '""', "``")


def signs(words: list[str], exists: "Callable[[str], bool]") -> list[str]:
    """Say what looks as if a shell had expanded, run or dropped part of a text.

    Args:
        words: the text as it came, one for each argument.
        exists: tells whether something of that name is in the current directory.

    Returns:
        Sentences, the surest first; none where nothing looks odd. None of them is certain.
    """
    text = " ".join(words)
    found: list[str] = []
    if _names_in_a_row(words, exists) >= _MANY:
        found.append("a '*' or '?' in the text seems to have become names of files")
    if "\n" not in text and any(_dropped(word) for word in words):
        found.append("something behind a '$' or between backticks seems to be gone")
    if "\\n" in text and "\n" not in text:
        found.append("the text holds '\\n' as two characters, not as a new line")
    return found


def _names_in_a_row(words: list[str], exists: "Callable[[str], bool]") -> int:
    """Count the longest run of words in order that are names of files, as a shell puts them."""
    longest = run = looks = 0
    last = ""
    for word in words:
        if not word or " " in word or word <= last:
            run = 0
        if word and " " not in word and looks < _MOST_LOOKS:
            looks += 1
            run = run + 1 if exists(word) else 0
        else:
            run = 0
        last = word
        longest = max(longest, run)
    return longest


def _dropped(word: str) -> bool:
    """Whether an argument of several words has a hole where one may have been."""
    if " " not in word.strip():
        return False
    inner = word.strip()
    if any(f" {mark} " in f"{inner} " for mark in (".", ",", *_GAPS)) or inner != word:
        return True
    return any(
        before and after and not before.endswith((".", ":", "!", "?", " "))
        for before, after in _around_double_blanks(inner)
    )


def _around_double_blanks(text: str) -> list[tuple[str, str]]:
    """Return what stands around each double blank; one behind a sentence's end is a habit."""
    parts = text.split("  ")
    return [(parts[at], parts[at + 1].lstrip(" ")) for at in range(len(parts) - 1)]
