"""What one character of text is to a reader: its weight, where it may be cut, whether it shows.

Loaded by `attendd.hot.frame` for text that is not plain ASCII. The rules follow Unicode's
UAX #29 for extended grapheme clusters, worked out from `unicodedata` instead of the published
property tables; where the two differ, more is kept together here, never less. That module is
loaded for the first character that needs it: readers load this one beforehand.
"""

NEWLINE_MARK = "⏎"
REPLACEMENT = "\ufffd"
_BASE_FOR_LONE_MARK = "\u25cc"

MARKS_MAX = 10
"""Combining marks kept on one character; orthographies need fewer, stacks to hide text more."""
JOINS_MAX = 8
"""Joiners kept in one emoji sequence; the longest in use has four."""
CLUSTER_MAX = 64
"""UTF-16 units after which a cluster may be cut all the same, so that lines stay bounded."""

_OTHER, _CONTROL, _MARK, _SELECTOR, _JOINER, _SPACING, _PREPEND = range(7)
_PICTURE, _MODIFIER, _REGION, _L, _V, _T, _LV, _LVT, _VIRAMA, _HIDDEN = range(7, 17)
_EXTENDING = frozenset((_MARK, _SELECTOR, _JOINER, _SPACING, _MODIFIER, _VIRAMA))
_AS_IT_IS = frozenset((_OTHER, _PREPEND, _PICTURE, _REGION, _L, _V, _T, _LV, _LVT))
_HANGUL = frozenset(
    (a, b)
    for first, then in (
        ((_L,), (_L, _V, _LV, _LVT)),
        ((_LV, _V), (_V, _T)),
        ((_LVT, _T), (_T,)),
    )
    for a in first
    for b in then
)
_KEYCAPS = frozenset("0123456789#*")

_RANGES = (
    # spaces, newlines and others that get a stand-in, where their category does not say so
    (0x2800, 0x2800, _CONTROL), (0xFDD0, 0xFDEF, _CONTROL),
    # show nothing, whatever their category
    (0x034F, 0x034F, _HIDDEN), (0x115F, 0x1160, _HIDDEN), (0x17B4, 0x17B5, _HIDDEN),
    (0x180B, 0x180F, _HIDDEN), (0x2065, 0x2065, _HIDDEN), (0x3164, 0x3164, _HIDDEN),
    (0xFFA0, 0xFFA0, _HIDDEN), (0xFFF0, 0xFFF8, _HIDDEN), (0xE0000, 0xE00FF, _HIDDEN),
    (0xE01F0, 0xE0FFF, _HIDDEN),
    # format characters that do show, in front of what they enclose
    (0x0600, 0x0605, _PREPEND), (0x06DD, 0x06DD, _PREPEND), (0x070F, 0x070F, _PREPEND),
    (0x0890, 0x0891, _PREPEND), (0x08E2, 0x08E2, _PREPEND), (0x110BD, 0x110BD, _PREPEND),
    (0x110CD, 0x110CD, _PREPEND), (0x13430, 0x1343F, _PREPEND),
    # emoji
    (0x200D, 0x200D, _JOINER), (0xFE00, 0xFE0F, _SELECTOR), (0xE0100, 0xE01EF, _SELECTOR),
    (0x1F1E6, 0x1F1FF, _REGION), (0x1F3FB, 0x1F3FF, _MODIFIER), (0x1F000, 0x1FAFF, _PICTURE),
    (0x203C, 0x203C, _PICTURE), (0x2049, 0x2049, _PICTURE), (0x2139, 0x2139, _PICTURE),
    (0x2194, 0x2195, _PICTURE), (0x25FB, 0x25FE, _PICTURE), (0x3030, 0x3030, _PICTURE),
    (0x303D, 0x303D, _PICTURE),
    # Hangul letters, and letters of other scripts that belong to the one before
    (0x1100, 0x115E, _L), (0x1161, 0x11A7, _V), (0x11A8, 0x11FF, _T), (0xA960, 0xA97C, _L),
    (0xD7B0, 0xD7C6, _V), (0xD7CB, 0xD7FB, _T), (0x0E33, 0x0E33, _SPACING),
    (0x0EB3, 0x0EB3, _SPACING), (0xFF9E, 0xFF9F, _SPACING),
)  # fmt: skip
"""First match wins; what is in none of them goes by its general category."""

_CATEGORIES = dict.fromkeys(("Cc", "Cs", "Zl", "Zp", "Zs"), _CONTROL) | {
    "Cf": _HIDDEN, "Mn": _MARK, "Me": _MARK, "Mc": _SPACING, "So": _PICTURE,
}  # fmt: skip
_VIRAMA_CLASS = 9
_NONCHARACTER = 0xFFFE
_SYLLABLES = range(0xAC00, 0xD7A4)
_TAILS = 28

_KINDS: dict[str, int] = {}
_KINDS_MAX = 4096


def kind(ch: str) -> int:
    """Classify one character; the answer is remembered for the common ones."""
    found = _KINDS.get(ch)
    if found is None:
        found = _classify(ch, ord(ch))
        if len(_KINDS) < _KINDS_MAX:
            _KINDS[ch] = found
    return found


def _classify(ch: str, cp: int) -> int:
    for first, last, what in _RANGES:
        if first <= cp <= last:
            return what
    if ch == " ":
        return _OTHER
    if cp in _SYLLABLES:
        return _LVT if (cp - _SYLLABLES.start) % _TAILS else _LV
    if cp & _NONCHARACTER == _NONCHARACTER:
        return _CONTROL
    import unicodedata

    if unicodedata.combining(ch) == _VIRAMA_CLASS:
        return _VIRAMA
    return _CATEGORIES.get(unicodedata.category(ch), _OTHER)


def stands_first(ch: str) -> bool:
    """Tell whether a cluster may begin with it after a space."""
    return kind(ch) not in _EXTENDING and kind(ch) != _HIDDEN


class Clusters:
    """Walks over text and tells, character by character, where a cluster begins."""

    __slots__ = ("_joined_to_picture", "_last", "_picture", "_regions")

    def __init__(self) -> None:
        self._last = _CONTROL
        self._picture = False
        self._joined_to_picture = False
        self._regions = 0

    def starts(self, ch: str) -> bool:
        """Take the next character; tell whether it may stand first after a cut."""
        what, last = kind(ch), self._last
        self._last = what
        if what == _OTHER and last == _OTHER:
            return True
        glued = last != _CONTROL and self._glued(last, what, ch)
        self._joined_to_picture = what == _JOINER and self._picture
        self._picture = what == _PICTURE or (self._picture and what in _EXTENDING)
        self._regions = self._regions + 1 if what == _REGION else 0
        return not glued

    def _glued(self, last: int, what: int, ch: str) -> bool:
        if what in _EXTENDING or what == _HIDDEN:
            return True
        if last == _PREPEND:
            return what != _CONTROL
        if what == _REGION:
            return self._regions % 2 == 1
        if what == _PICTURE:
            return self._joined_to_picture
        if last == _VIRAMA:
            return what == _OTHER and not ch.isascii()
        return (last, what) in _HANGUL


def fit(text: str, start: int, room: int) -> int:
    """Find how far text fits without cutting a cluster.

    Args:
        text: anything.
        start: where to begin; taken to be the beginning of a cluster.
        room: UTF-16 units there are.

    Returns:
        The end of the last whole cluster that fits; ``start`` when not even one does.
    """
    clusters = Clusters()
    end, used, size = start, 0, 0
    for at in range(start, len(text)):
        ch = text[at]
        weight = 2 if ch > "\uffff" else 1
        if clusters.starts(ch) or size + weight > CLUSTER_MAX:
            end, size = at, 0
        used += weight
        size += weight
        if used > room:
            return end
    return len(text)


def settle(text: str) -> str:
    """Leave only characters that show, joined only where joining makes one picture.

    Args:
        text: anything without ESC; surrogates must have been replaced.

    Returns:
        The text with newlines as `NEWLINE_MARK`, other controls as visible stand-ins, every
        kind of space as a plain one, and without bidirectional, zero-width, tag and other
        characters that show nothing. Settling twice changes nothing more.
    """
    if all(kind(ch) in _AS_IT_IS for ch in text):
        return text
    settler = _Settler()
    for at, ch in enumerate(text):
        settler.take(ch, text[at + 1 : at + 2])
    return "".join(settler.out)


class _Settler:
    """What has been let through so far, and what may follow it.

    Each decision rests on what has been let through and on the next character alone, which
    is why settling twice changes nothing more.
    """

    def __init__(self) -> None:
        self.out: list[str] = []
        self._base = ""
        self._marks = 0
        self._joins = 0
        self._picture = False
        self._joining = False

    def take(self, ch: str, following: str) -> None:
        """Let one character through, or a stand-in, or nothing."""
        what = kind(ch)
        if what == _CONTROL:
            self._put_base(_visible(ch), picture=False)
        elif what in (_MARK, _SPACING, _VIRAMA):
            self._put_mark(ch)
        elif what == _SELECTOR:
            self._put_selector(ch)
        elif what == _MODIFIER and self._picture and self._marks == 0:
            self._put_mark(ch)
        elif what == _JOINER:
            self._put_joiner(ch, following)
        elif what != _HIDDEN:
            self._put_base(ch, picture=what in (_PICTURE, _MODIFIER))

    def _put_base(self, ch: str, *, picture: bool) -> None:
        self._joins = self._joins + 1 if self._joining else 0
        self.out.append(ch)
        self._base, self._marks, self._picture, self._joining = ch, 0, picture, False

    def _put_mark(self, ch: str) -> None:
        if not self.out:
            self._put_base(_BASE_FOR_LONE_MARK, picture=True)
        if self._marks < MARKS_MAX:
            self.out.append(ch)
            self._base = ""
            self._marks += 1

    def _put_selector(self, ch: str) -> None:
        if ch in "\ufe0e\ufe0f":
            wanted = self._base in _KEYCAPS or (self._picture and self._base != "")
        else:
            import unicodedata

            wanted = self._base != "" and unicodedata.name(self._base, "")[:3] == "CJK"
        if wanted:
            self._put_mark(ch)

    def _put_joiner(self, ch: str, following: str) -> None:
        if self._joining or not self._picture or self._joins >= JOINS_MAX:
            return
        if following and kind(following) == _PICTURE:
            self.out.append(ch)
            self._base, self._joining = "", True


def _visible(ch: str) -> str:
    if ch in "\n\r\v\f\x85\u2028\u2029":
        return NEWLINE_MARK
    if ch < " " and ch != "\t":
        return chr(0x2400 + ord(ch))
    if ch == "\x7f":
        return "\u2421"
    import unicodedata

    blank = ch in "\t\u2800" or unicodedata.category(ch) == "Zs"
    return " " if blank else REPLACEMENT
