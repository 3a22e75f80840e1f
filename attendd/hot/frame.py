"""Framing: how text of any origin becomes lines that can be mistaken for nothing else.

A physical line begins with our header, ``[attend sensor=NAME priority=PRIORITY]``, or with the
continuation mark ``| `` under one. Text is data: nothing in it starts a line, moves a cursor,
hides, or reads as a header, a client's tag or a role marker, escaped or not. Sizes are UTF-16
units, which is what clients count. All functions take time linear in their text.
"""

LINE_UNITS = 480
"""UTF-16 units of one physical line; the client cuts at 500."""
BATCH_UNITS = 2_800
"""UTF-16 units of one batch, newlines included; the client cuts at 3,000."""
CLIENT_UNITS = 3_000

CONTINUATION = "| "
ELLIPSIS = "…"
AGAIN = "(again)"

_NEWLINE_MARK = "⏎"
_ASCII = {code: chr(0x2400 + code) for code in range(32)} | {0x09: " ", 0x7F: "\u2421"}
_ASCII |= dict.fromkeys(b"\n\r\v\f", _NEWLINE_MARK)
_NEWLINES = "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"

_MARKS = "<\uff1c\ufe64[\uff3b\ufe47:\uff1a\ufe55\ufe13\u2a74"
"""Without any of these, a text looks like nothing that `mimicry` knows."""
_COLONS = _MARKS[6:]


def units(text: str) -> int:
    """Count UTF-16 units, as the client does."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def inert(text: str) -> str:
    """Make one line of it that only shows characters.

    Newlines become ``⏎``, other control characters their pictures, odd spaces plain ones;
    colour sequences, bidirectional and zero-width characters, tags and stacks of marks go.
    Emoji sequences stay whole. Doing it twice changes nothing more.
    """
    if text.isascii() and text.isprintable():
        return text
    if "\x1b[" in text:
        text = _uncoloured(text)
    text = text.replace("\r\n", "\n")
    if text.isascii():
        return text.translate(_ASCII)
    from attendd.hot import graphemes

    return graphemes.settle(_whole(text))


def neutral(text: str) -> str:
    """Break what a reader might take for the frame around the text.

    Our own header, the client's notices and tags, tool results and role markers at a line's
    start lose their first bracket or their colon to a look-alike. Expects text that `inert`
    has been through, or several lines of it. Doing it twice changes nothing more.
    """
    if not any(mark in text for mark in _MARKS):
        return text
    from attendd.hot import mimicry

    return mimicry.broken(text)


def cut(text: str, max_units: int) -> str:
    """Shorten text to what fits, with an ellipsis where something went; no grapheme is cut."""
    if units(text) <= max_units:
        return text
    if max_units < 1:
        return ""
    return text[: _fit(text, 0, max_units - 1)].rstrip(" ") + ELLIPSIS


def wrap(text: str, max_units: int) -> list[str]:
    """Break text into pieces that fit, after a space where one is near; joined they are it.

    Args:
        text: one line.
        max_units: at least 2. Under 64 a long grapheme may be broken up.

    Returns:
        At least one piece; an empty text gives one empty piece.
    """
    max_units = max(2, max_units)
    pieces: list[str] = []
    start = 0
    while (end := _break(text, start, max_units)) < len(text):
        pieces.append(text[start:end])
        start = end
    return [*pieces, text[start:]]


def lines_of(text: str) -> list[str]:
    """Split text at every kind of line end; blank lines at both ends are left out."""
    text = text.replace("\r\n", "\n")
    for newline in _NEWLINES:
        if newline in text:
            text = text.replace(newline, "\n")
    return text.strip("\n").split("\n")


def header(sensor: str, priority: str) -> str:
    """Write the head of a line; anything odd in the two words becomes ``-``."""
    return f"[attend sensor={_word(sensor)} priority={_word(priority)}]"


def frame(sensor: str, priority: str, text: str, line_units: int = LINE_UNITS) -> list[str]:
    """Turn text into physical lines: a header with its beginning, then continuations.

    Nothing is left out, however long; see `clip`.

    Args:
        sensor: who says it.
        priority: ``high``, ``medium`` or ``low``.
        text: one or more lines of anything.
        line_units: UTF-16 units that a physical line may take; at least 200.

    Returns:
        Lines without their newlines.
    """
    first, *more = lines_of(text)
    prefix = header(sensor, priority) + " "
    line = neutral(inert(first))
    end = _break(line, 0, line_units - len(prefix))
    framed = [(prefix + line[:end]).rstrip(" ")]
    room = line_units - len(CONTINUATION)
    rest = [line[end:]] if end < len(line) else []
    for line in (*rest, *(neutral(inert(each)) for each in more)):
        framed += [CONTINUATION + _said_by_nobody(piece) for piece in wrap(line, room)]
    return framed


def clip(lines: list[str], max_units: int, max_lines: int = 1_000_000) -> list[str]:
    """Keep as many whole physical lines as fit, newlines counted, and show where more was.

    Args:
        lines: one framed text, at least its first line.
        max_units: room for all of them; at least `LINE_UNITS` + 5.
        max_lines: how many there may be; at least 2.

    Returns:
        All lines, or the first ones followed by ``| …``.
    """
    more = CONTINUATION + ELLIPSIS
    kept: list[str] = []
    room = max_units
    for at, line in enumerate(lines):
        room -= units(line) + 1
        last = at == len(lines) - 1
        if room < (0 if last else len(more) + 1) or (len(kept) + 1 >= max_lines and not last):
            return [*kept, more] if kept else [line]
        kept.append(line)
    return kept


def again(text: str) -> str:
    """Mark a rendered batch as a repeat: behind each header, or the first if room is scarce."""
    lines = text.split("\n")
    heads = [at for at, line in enumerate(lines) if line.startswith("[attend sensor=")]
    note = AGAIN
    if units(text) + len(heads) * (len(AGAIN) + 1) >= CLIENT_UNITS:
        heads, note = heads[:1], "(again, all of this)"
    for at in heads:
        head, bracket, rest = lines[at].partition("]")
        lines[at] = f"{head}{bracket} {note}{rest}"
    return "\n".join(lines)


def _uncoloured(text: str) -> str:
    """Drop colour and style sequences, ``ESC [ numbers m``; other ESC stay, to be shown."""
    first, *parts = text.split("\x1b[")
    kept = [first]
    for part in parts:
        after = part.lstrip("0123456789;:")
        kept.append(after[1:] if after[:1] == "m" else f"\x1b[{part}")
    return "".join(kept)


def _whole(text: str) -> str:
    """Join surrogate pairs and replace lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _said_by_nobody(piece: str) -> str:
    """See `mimicry.without_role`; what has no colon needs no looking."""
    if not any(colon in piece for colon in _COLONS):
        return piece
    from attendd.hot import mimicry

    return mimicry.without_role(piece)


def _word(text: str) -> str:
    kept = (ch if ch.isascii() and (ch.isalnum() or ch in "._-") else "-" for ch in text[:40])
    return "".join(kept)


def _fit(text: str, start: int, room: int) -> int:
    """See `graphemes.fit`; ASCII needs no looking."""
    if text.isascii():
        return min(len(text), start + room)
    from attendd.hot import graphemes

    return graphemes.fit(text, start, room)


def _break(text: str, start: int, room: int) -> int:
    """Find where a line of it ends: behind the last space, unless that wastes half the line."""
    end = _fit(text, start, room)
    if end >= len(text):
        return len(text)
    if end == start:
        return start + max(1, room // 2)
    at = text.rfind(" ", start + (end - start) // 2, end)
    if at < 0:
        return end
    following = text[at + 1]
    if not following.isascii():
        from attendd.hot import graphemes

        return at + 1 if graphemes.stands_first(following) else end
    return at + 1
