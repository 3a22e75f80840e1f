"""Did-you-mean suggestions: the known words near to a mistyped one. Imported on mistakes."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST = 64
_SHORTEST_PART = 3


def suggest(word: str, known: "Iterable[str]", most: int = 3) -> list[str]:
    """Return the known words that somebody may have meant, the nearest first.

    A word is near if it takes few changes of a character to turn one into the other, or if one
    begins with, or holds, the other; of several such, the one that takes the fewest changes.
    """
    asked = word.casefold()[:_LONGEST]
    ranked: list[tuple[int, int, str]] = []
    for each in dict.fromkeys(known):
        other = each.casefold()[:_LONGEST]
        rank = changes = distance(asked, other)
        if len(asked) >= _SHORTEST_PART and (asked in other or (other and other in asked)):
            rank = min(rank, 1 if other.startswith(asked) else 2)
        if rank <= max(1, max(len(asked), len(other)) // 3):
            ranked.append((rank, changes, each))
    return [each for _, _, each in sorted(ranked)[:most]]


def distance(one: str, other: str) -> int:
    """Count the insertions, removals, replacements and swaps of neighbours between two words.

    Source:
        Optimal string alignment, a restricted form of the Damerau-Levenshtein distance.
    """
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            least = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                least = min(least, before[j - 2] + 1)
            row.append(least)
        before, last = last, row
    return last[-1]
