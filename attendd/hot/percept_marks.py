"""Runs of backticks and tildes, lines that begin with one, and characters that were cut."""

LINE = 1 << 10
"""Bytes of a line that tell whether it is blank or a fence."""
RUN = 256
"""A run of more than so many marks opens and closes nothing."""
INDENT = 3
"""Spaces that may stand before a fence."""
BLANK = b" \t\r"
NEWLINE = b"\n"

_FENCE = 3
_NEWLINE, _TICK, _TILDE = b"\n`~"


def run_end(text: bytes, at: int) -> int:
    """Return where a run of equal marks ends."""
    mark = text[at : at + 1]
    if not text.startswith(mark, at + 1):
        return at + 1  # as mostly
    while at < len(text):
        piece = text[at : at + RUN]
        rest = piece.lstrip(mark)
        at += len(piece) - len(rest)
        if rest:
            return at
    return at


def fence(text: bytes, at: int, end: int, *, final: bool) -> bytes | None:
    """Return the run at a line's start if it opens a fence, nothing if it doesn't.

    Returns:
        ``None`` where that depends on what is still to come.
    """
    if end == len(text) and not final and end - at <= RUN:
        return None
    if not _FENCE <= end - at <= RUN:
        return b""
    if text[at] == _TILDE:
        return text[at:end]
    newline = text.find(NEWLINE, end, at + LINE)
    if text.find(b"`", end, at + LINE if newline < 0 else newline) >= 0:
        return b""
    known = newline >= 0 or len(text) >= at + LINE or final
    return text[at:end] if known else None


def line(text: bytes, start: int, *, final: bool) -> bytes | None:
    """Tell what a line is: `NEWLINE` if blank, the run that opens a fence, or nothing of that.

    Returns:
        ``None`` where that depends on what is still to come.
    """
    head = text[start : start + LINE]
    rest = head.lstrip(BLANK)
    at = start + len(head) - len(rest)
    if not rest:
        return None if len(head) < LINE and not final else b""
    if rest[0] == _NEWLINE:
        return NEWLINE
    if rest[0] not in (_TICK, _TILDE) or at - start > INDENT or text[start:at].strip(b" "):
        return b""
    return fence(text, at, run_end(text, at), final=final)


def torn(data: bytes, end: int) -> int:
    """Count the bytes before a place that are the beginning of a character."""
    for back in range(1, min(end, 3) + 1):
        byte = data[end - back]
        if byte < 0x80:  # noqa: PLR2004 - ASCII
            return 0
        if byte >= 0xC0:  # noqa: PLR2004 - the first of several
            return back if back < 2 + (byte >= 0xE0) + (byte >= 0xF0) else 0  # noqa: PLR2004
    return 0
