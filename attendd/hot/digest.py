"""Many messages as one line: how many, which, from whom, and where they can be read. Pure.

The line names the first and the last message it tells of. By those two ids it is known again,
for instance in a transcript, which proves that it came in.
"""

from attendd.hot import frame, ids, letter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from attendd.hot.letter import Batch, Letter
    from attendd.hot.moment import Moment

_RANK = ("medium", "high")
_NAMED = 3
_WAIT = ("message waits", "messages wait")


def make(letters: "Sequence[Letter]", now: "Moment") -> "Batch":
    """Make one line of messages.

    Args:
        letters: at least one, in the order in which they were said; their texts may be missing.
        now: the present, for the age of the oldest.
    """
    counts: dict[str, int] = {}
    for each in letters:
        who = letter.author(each)
        counts[who] = counts.get(who, 0) + 1
    ranked = sorted(counts.items(), key=lambda each: -each[1])
    named = [f"{count} from {who}" for who, count in ranked[:_NAMED]]
    if others := sum(count for _, count in ranked[_NAMED:]):
        named.append(f"{others} from others")
    oldest = max(letter.age_s(each, now) for each in letters)
    wait = f", the oldest for {letter.duration(oldest)}" if oldest >= letter.YOUNG_S else ""
    first, last, many = letters[0].id, letters[-1].id, len(letters) > 1
    which = f"messages wait (#{first} to #{last})" if many else f"message waits (#{last})"
    lists = f"`attend inbox` lists {'them' if many else 'it'}"
    text = f"{len(letters)} {which}{wait}: {', '.join(named)}; {lists}"
    priority = max(map(letter.priority, letters), key=_RANK.index)
    lines = frame.frame(letter.SENSOR, priority, text)
    if any(each.repeats for each in letters):
        lines[0] = frame.again(lines[0])
    return letter.Batch(lines, letters, announced=True, digest=key(first, last))


def key(first: str, last: str) -> str:
    """Name a line by the first and the last message that it tells of."""
    return f"{first}-{last}"


def key_of(line: str) -> str:
    """Return what a line of ours that tells of messages is known by, or ``''``."""
    said = letter.said(line).partition(":")[0]
    wait, opened, which = said.partition(" (#")
    count, _, rest = wait.lstrip(" ").partition(" ")
    if not opened or not count.isdigit() or rest not in _WAIT:
        return ""
    first, _, last = which.partition(")")[0].partition(" to #")
    last = last or first
    return key(first, last) if ids.is_id(first) and ids.is_id(last) else ""
