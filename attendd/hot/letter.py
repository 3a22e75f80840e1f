"""How messages look: as lines of a batch, each naming who says it and how that is known. Pure.

The head of a message's line ends with its id and a colon, ``#k3f9q2xm: ``; nothing before it
holds a colon. Only a line that brings the text has that form: `id_of` finds it, for instance
in a transcript. Lines that merely point at a message have none.
"""

from attendd.hot import frame, ids
from attendd.hot.frame import CONTINUATION
from attendd.hot.moment import Moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

SENSOR = "peers"
WHOLE_CHARS = 1_200
"""A longer text shows its beginning, and the command for the rest."""
LETTER_UNITS = 2_300
"""UTF-16 units that one message may take, newlines included, so that a hint fits beside it."""
LETTER_LINES = 30
YOUNG_S = 60.0
"""The age from which a message's line tells it."""
POINTED_FROM = 2
"""So often in doubt, a message is no longer shown, only pointed to."""
HINT = (
    "`attend reply -` with a quoted heredoc (<<'EOF') answers the last, `--re ID` any;"
    " no answer is needed"
)
"""Told once to a mailbox, with the first message."""

HANDED_OVER = "handed over"
"""How an author is known whose message came out of a sandbox: from what it says itself."""

_OPENING = "message from "
_MARK = f" {frame.AGAIN}"
_GROUPS = {"project": "to this project", "open": "to #open"}
_PLAIN_CHARS = 300
_LONGEST_WORD = 48
_ENDS = dict.fromkeys(
    map(
        ord,
        ":\uff1a\ufe55\ufe13\u2a74#\uff03\ufe5f[\uff3b\ufe47]\uff3d\ufe48(\uff08\ufe59)\uff09\ufe5a",
    ),
    "-",
)
"""What ends a part of a head, and what passes for that."""


_NAMES = (
    "delivery box kind channel meant repeats id author author_kind author_name author_how place"
    " body re depth created_at created_boot created_bt hinted gap_s beside"
)
_FIELDS = tuple(_NAMES.split())


class Letter:
    """A message on its way into one mailbox.

    Attributes:
        delivery: its delivery's id.
        box: whose mailbox.
        kind: ``directed``, ``project``, ``channel`` or ``open``.
        channel: through which channel it came, or ``''``.
        meant: the earlier session of the recipient to which it was said, or ``''``.
        repeats: 0; 1 if it may have been shown; 2 if it may have been shown twice.
        id: the message's id.
        author: the mailbox of its author; ``''`` where there is none.
        author_kind: ``agent``, ``human``, ``declared`` or ``script``.
        author_name: how its author was called.
        author_how: how its author is known.
        place: the short name of its author's project.
        body: text, or bytes that are none; ``''`` where it was not asked for.
        re: the message it answers, or ``''``.
        depth: how many links it is from a human.
        created_at: when it was said, wall clock.
        created_boot: the boot that was.
        created_bt: when it was said, on the clock that counts suspend.
        hinted: whether its mailbox was told how to answer.
        gap_s: the least seconds between two lines that the host wishes for this mailbox.
        beside: whether something that the host composed waits for the same session.
    """

    __slots__ = _FIELDS

    delivery: int
    box: str
    kind: str
    channel: str
    meant: str
    repeats: int
    id: str
    author: str
    author_kind: str
    author_name: str
    author_how: str
    place: str
    body: str | bytes
    re: str
    depth: int
    created_at: float
    created_boot: str
    created_bt: float
    hinted: bool
    gap_s: float
    beside: bool

    def __init__(self, row: "Sequence[Any]") -> None:
        """Take a row in the order of the fields."""
        for name, value in zip(_FIELDS, row, strict=True):
            setattr(self, name, value)


class Batch:
    """What one write shows.

    Attributes:
        text: whole lines, each ended by a newline; ``''`` for nothing.
        letters: the letters it is about, in order.
        announced: whether it tells only of them, and not their texts.
        hinted: whether it says how to answer.
        digest: what its one line is known by if it is one; see `attendd.hot.digest`.
    """

    __slots__ = ("announced", "digest", "hinted", "letters", "text")

    def __init__(
        self,
        lines: "Sequence[str]",
        letters: "Sequence[Letter]",
        *,
        announced: bool = False,
        hinted: bool = False,
        digest: str = "",
    ) -> None:
        self.text = "\n".join((*lines, ""))
        self.letters = list(letters)
        self.announced, self.hinted, self.digest = announced, hinted, digest


def batch(
    letters: "Sequence[Letter]", now: Moment, max_units: int = frame.BATCH_UNITS
) -> Batch:
    """Make one write of as many letters as fit, the oldest first.

    Args:
        letters: what waits, at most `mail.FOLD_OVER` of them; for more there is `digest.make`.
        now: the present, for their ages.
        max_units: room in UTF-16 units, newlines included; at least 800.

    Returns:
        Texts, or, where the first letter was in doubt too often, only pointers. What did not
        fit is in no batch.
    """
    pointers = bool(letters) and letters[0].repeats >= POINTED_FROM
    hint = [] if pointers or not letters or letters[0].hinted else [CONTINUATION + HINT]
    room = max_units - size(hint)
    lines: list[str] = []
    shown: list[Letter] = []
    for letter in letters:
        if (letter.repeats >= POINTED_FROM) is not pointers:
            break
        made = [pointer(letter)] if pointers else full(letter, now, min(room, LETTER_UNITS))
        need = size(made)
        if need > room:
            break
        lines += made
        shown.append(letter)
        room -= need
    return Batch([*lines, *hint], shown, announced=pointers, hinted=bool(hint))


def full(letter: Letter, now: Moment, max_units: int = LETTER_UNITS) -> list[str]:
    """Make the lines of one message, with its text, or the beginning of a long one."""
    text = text_of(letter.body)
    if _is_plain(text) and not letter.repeats:
        line = (
            f"[attend sensor={SENSOR} priority={priority(letter)}] {head(letter, now)}: {text}"
        )
        if len(line) <= frame.LINE_UNITS and line.isascii():
            return [line]
    whole = len(text) <= WHOLE_CHARS
    shown = text if whole else frame.cut(text, WHOLE_CHARS)
    lines = frame.frame(SENSOR, priority(letter), f"{head(letter, now)}: {shown}")
    if letter.repeats:
        lines[0] = frame.again(lines[0])
    if whole and size(lines) <= max_units and len(lines) <= LETTER_LINES:
        return lines
    more = f"{CONTINUATION}… {len(text):,} characters in all: attend inbox {letter.id}"
    kept = frame.clip(lines, max_units - size([more]), LETTER_LINES - 1)
    if kept[-1] == CONTINUATION + frame.ELLIPSIS:
        kept.pop()
    return [*kept, more]


def _is_plain(text: str) -> bool:
    """Whether a text needs none of what framing does, as most don't: that takes a while."""
    if len(text) > _PLAIN_CHARS or not text.isascii() or not text.isprintable():
        return False
    return "<" not in text and "[" not in text and text == text.strip()


def pointer(letter: Letter) -> str:
    """Make the line that stands for a message which may have been shown twice."""
    text = f"#{letter.id} from {author(letter)} was perhaps not shown; attend inbox {letter.id}"
    return frame.frame(SENSOR, priority(letter), text)[0]


def head(letter: Letter, now: Moment) -> str:
    """Say whose message it is, how that is known, to whom it went, and its id."""
    parts = [f"{_OPENING}{author(letter)}"]
    age = age_s(letter, now)
    if age >= YOUNG_S:
        parts.append(f"{duration(age)} ago")
    if letter.channel or letter.kind in _GROUPS:
        parts.append(f"to #{_word(letter.channel)}" if letter.channel else _GROUPS[letter.kind])
    if letter.meant:
        parts.append("said to an earlier session here")
    if letter.re:
        parts.append(f"answering #{_word(letter.re)}")
    return f"{', '.join(parts)} #{letter.id}"


def author(letter: Letter) -> str:
    """Name an author, and say how it is known that it was that one."""
    name = _word(letter.author_name)
    place = _word(letter.place)
    if letter.author_kind == "human":
        return f"{name} (at a terminal)"
    if letter.author_kind == "declared":
        return f"{name} (a name of its own choosing{place and ', ' + place})"
    if letter.author_kind == "agent" and letter.author_how != HANDED_OVER:
        return f"{name} ({place})" if place else name
    known = "by its own account" if letter.author_kind == "agent" else letter.author_how
    return f"{name} ({', '.join(each for each in (place, _word(known)) if each)})"


def priority(letter: Letter) -> str:
    """Grade a message: what everybody is told matters less than what one is told."""
    return "medium" if letter.kind == "open" else "high"


def age_s(letter: Letter, now: Moment) -> float:
    """Count the seconds since a message was said."""
    return now.since(letter.created_at, letter.created_boot, letter.created_bt)


def duration(seconds: float) -> str:
    """Say a duration roughly: in the largest unit of which it has two, else in minutes."""
    for unit, length in (("days", 86_400), ("h", 3_600)):
        if seconds >= 2 * length:
            return f"{seconds // length:.0f} {unit}"
    return f"{seconds // 60:.0f} min"


def text_of(body: "str | bytes") -> str:
    """Return a body as text, also where its bytes are none."""
    return body if isinstance(body, str) else body.decode("utf-8", "replace")


def id_of(line: str) -> str:
    """Return the id of the message whose text begins on a line of ours, or ``''``."""
    opening, colon, _ = said(line).partition(":")
    found = opening[-ids.LENGTH :]
    if not colon or not opening.startswith(f" {_OPENING}") or not ids.is_id(found):
        return ""
    return found if opening.endswith(f" #{found}") else ""


def said(line: str) -> str:
    """Return what a line of ours about messages says behind its header and mark, or ``''``."""
    header, bracket, rest = line.partition("]")
    ours = bracket and header.startswith(f"[attend sensor={SENSOR} priority=")
    return rest.removeprefix(_MARK) if ours else ""


def size(lines: "Sequence[str]") -> int:
    """Count the UTF-16 units of lines, their newlines included."""
    return frame.units("".join(lines)) + len(lines)


def _word(text: str) -> str:
    """Make sure that a part of a head ends nothing and begins nothing."""
    if len(text) <= _LONGEST_WORD and text.isascii() and text.replace("-", "").isalnum():
        return text  # as most are: the rest takes a while
    return frame.cut(frame.inert(text), _LONGEST_WORD).translate(_ENDS)
