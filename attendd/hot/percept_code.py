"""What of a text is code, in which a tag is only shown: fences and spans, in one pass.

A fence is three or more backticks or tildes at a line's start, at most three spaces in, up to a
line of as many or to the end. A span is a run of backticks up to the next run of just as many,
not beyond a blank line or a fence. A run that opens nothing is plain text.

Only where a tag is asked about are spans looked at; all other text is passed over by a few
searches. No byte is looked at more than a fixed number of times, and what is kept is bounded.

Source:
    CommonMark 0.31, "Fenced code blocks" and "Code spans".
"""

from attendd.hot import percept_marks as marks
from attendd.hot.percept_marks import BLANK, INDENT, LINE, RUN

LIVE, LITERAL, UNDECIDED = range(3)
"""A tag outside of code, one inside, and one of which it depends on what is still to come."""
SPAN = 16 << 10
"""Bytes that a span may take, its ends included."""

_NEWLINE, _SPACE = b"\n "
_PLAIN = -1
_AHEAD = SPAN + LINE + RUN
"""Bytes behind a run within which it is known whether it opens a span."""


class Code:
    """Follows one text, of which each call gets what is kept and what is new.

    Attributes:
        pos: how far all is decided; from there on the text has to be kept.
    """

    __slots__ = (
        "_at_line", "_base", "_fence", "_follow", "_halted", "_in_run", "_last", "_scan", "pos",
    )  # fmt: skip

    def __init__(self) -> None:
        self.pos = 0
        self._at_line = True  # whether a line begins at `pos`
        self._fence = b""  # what opened the fence that `pos` is in
        self._in_run = False  # whether `pos` is in a run that is too long to count
        # A look ahead for the ends of spans, by place in the whole text:
        self._base = 0
        self._scan = 0
        self._follow: dict[int, int] = {}  # run to the next one of its length
        self._last: dict[int, int] = {}  # length to the last run, since a blank line
        self._halted = False  # at a fence

    def shift(self, count: int) -> None:
        """Take note that so many bytes at the text's beginning are kept no longer."""
        self.pos -= count
        self._scan -= count
        self._base += count

    def jump(self, to: int) -> None:
        """Go on behind what was no text."""
        self.pos, self._at_line, self._in_run = to, False, False
        if self._scan < to:
            self._look_from(to)

    def where(self, text: bytes, at: int, *, final: bool) -> int:
        """Tell whether a tag stands in code: `LIVE`, `LITERAL` or `UNDECIDED`.

        Args:
            text: what is kept.
            at: where in it the tag begins; never before an earlier call's.
            final: whether nothing more comes, so that all can be decided.
        """
        if at - self.pos > LINE:
            self.pass_over(text, at)
        found = self._walk(text, at, final=final)
        if at > self.pos and (found == LIVE or self._fence):
            self.pos, self._at_line = at, found == LIVE and text[at - 1] == _NEWLINE
        return found

    def pass_over(self, text: bytes, end: int) -> None:
        """Go on as far as can be where there are no tags: up to ``end`` or a bit before it."""
        while True:
            if self._fence:
                if self._leave_fence(text, end):
                    continue
                if end - self.pos >= LINE:  # no line that could yet end it
                    self.pos, self._at_line = end, False
                return
            if not self._enter_fence(text, end):
                break
        self._keep_paragraph(text, end)
        if end - self.pos > _AHEAD + LINE:
            self._walk(text, end, final=False)
            self._keep_paragraph(text, end)

    # -- spans --------------------------------------------------------------------

    def _walk(self, text: bytes, to: int, *, final: bool) -> int:
        """Decide one piece of code after another, up to a place."""
        while True:
            if self._fence:
                if not self._leave_fence(text, to):
                    return LITERAL
                continue
            if self._in_run:
                self._leave_run(text)
            tick = text.find(b"`", self.pos, to)
            tilde = self._tilde(text, self.pos, to if tick < 0 else tick)
            at = tick if tilde < 0 else tilde
            if at < 0:
                return LIVE
            found = self._decide(text, at, to, final=final)
            if found != LIVE:
                return found

    def _decide(self, text: bytes, at: int, to: int, *, final: bool) -> int:
        """Decide what begins with a mark: `LIVE` if it is over, and ends before a place."""
        end = marks.run_end(text, at)
        if end - at > RUN:
            self.pos, self._at_line, self._in_run = end, False, True
            return LIVE
        fence = marks.fence(text, at, end, final=final) if self._begins_line(text, at) else b""
        if fence:
            self._fence, self.pos, self._at_line = fence, end, False
            return LIVE
        close = None if fence is None else self._close(text, at, end, final=final)
        if close is None:
            self._keep_from(text, at)
            return UNDECIDED
        if close == _PLAIN:
            self.pos, self._at_line = end, False
            return LIVE
        if close + end - at > to:
            return LITERAL
        self.pos, self._at_line = close + end - at, False
        return LIVE

    def _close(self, text: bytes, at: int, end: int, *, final: bool) -> int | None:
        """Find the run that ends the span which one at this place opens.

        Returns:
            `_PLAIN` where it opens none; ``None`` where that depends on what is still to come.
        """
        near = self._near(text, at, end, final=final)
        if near >= 0:
            return near
        length, name = end - at, at + self._base
        if self._scan <= at:
            self._look_from(at)
        while name not in self._follow:
            seen = self._scan > at
            if seen and (self._halted or self._last.get(length) != name):
                return _PLAIN
            if self._scan - at > SPAN or not self._look(text, final=final):
                over = final or self._halted or self._scan - at > SPAN
                return _PLAIN if over or len(text) - at > _AHEAD else None
        close = self._follow[name] - self._base
        return close if close + length - at <= SPAN else _PLAIN

    def _near(self, text: bytes, at: int, end: int, *, final: bool) -> int:
        """Find it in the same line, where it mostly is; -1 if it isn't."""
        close = text.find(text[at:end], end, end + LINE)
        if close < 0 or text.find(b"\n", end, close) >= 0:
            return -1
        after = marks.run_end(text, close)
        return close if after - close == end - at and (final or after < len(text)) else -1

    def _look_from(self, at: int) -> None:
        self._scan, self._halted = at, False
        self._last.clear()
        self._follow.clear()

    def _look(self, text: bytes, *, final: bool) -> bool:
        """Look at the next run or line; false where more of the text is needed, or no use."""
        if self._halted:
            return False
        end = min(len(text), self._scan + LINE)  # so that what is not there is sought once
        tick = text.find(b"`", self._scan, end)
        line = text.find(b"\n", self._scan, end if tick < 0 else tick)
        if line < 0:
            if tick >= 0:
                return self._look_at_run(text, tick, final=final)
            self._scan = end
            return end < len(text)
        kind = marks.line(text, line + 1, final=final)
        if kind is None:
            self._scan = line
            return False
        if kind:
            self._last.clear()
            self._halted = kind != b"\n"
        self._scan = line + 1
        return True

    def _look_at_run(self, text: bytes, at: int, *, final: bool) -> bool:
        end = marks.run_end(text, at)
        if end == len(text) and not final:
            self._scan = at
            return False
        if end - at <= RUN:
            name, before = at + self._base, self._last.get(end - at)
            if before is not None:
                self._follow[before] = name
            self._last[end - at] = name
        self._scan = end
        if len(self._follow) > SPAN:
            done = self.pos + self._base
            self._follow = {name: to for name, to in self._follow.items() if name >= done}
        return True

    def _leave_run(self, text: bytes) -> None:
        if text.startswith(b"`", self.pos):
            self.pos = marks.run_end(text, self.pos)
        self._in_run = self.pos == len(text)

    # -- lines --------------------------------------------------------------------

    def _begins_line(self, text: bytes, at: int) -> bool:
        """Tell whether nothing but a little space is before this place in its line."""
        start = at
        while start > self.pos and at - start < INDENT and text[start - 1] == _SPACE:
            start -= 1
        return self._at_line if start == self.pos else text[start - 1] == _NEWLINE

    def _tilde(self, text: bytes, start: int, end: int) -> int:
        """Find the tildes at a line's start between two places."""
        at = text.find(b"~~~", start, end) if text.find(b"~", start, end) >= 0 else -1
        while at >= 0 and not self._begins_line(text, at):
            at = text.find(b"~~~", marks.run_end(text, at), end)
        return at

    # -- fences -------------------------------------------------------------------

    def _enter_fence(self, text: bytes, end: int) -> bool:
        """Go to the next fence before a place, whatever spans there are; false without one."""
        if self._in_run:
            self._leave_run(text)
        stop = self.pos
        while True:
            at = text.find(b"```", stop, end) if text.find(b"`", stop, end) >= 0 else -1
            tilde = self._tilde(text, stop, end if at < 0 else at)
            at = at if tilde < 0 else tilde
            if at < 0:
                return False
            stop = marks.run_end(text, at)
            if self._begins_line(text, at):
                self._fence = marks.fence(text, at, stop, final=False) or b""
            if self._fence:
                self.pos, self._at_line = stop, False
                return True

    def _leave_fence(self, text: bytes, to: int) -> bool:
        """Go behind the line that ends the fence, if that is whole before a place."""
        at = text.find(self._fence, self.pos, to)
        while at >= 0:
            end = marks.run_end(text, at)
            if self._begins_line(text, at) and end < to:
                line = text.find(b"\n", end, min(to, at + LINE - INDENT))
                if line >= 0 and not text[end:line].strip(BLANK):
                    self.pos, self._at_line = line + 1, True
                    self._fence = b""
                    return True
            at = text.find(self._fence, end, to)
        line = text.rfind(b"\n", self.pos, to)
        if line >= 0:
            self.pos, self._at_line = line + 1, True
        return False

    # -- what is kept -------------------------------------------------------------

    def _keep_paragraph(self, text: bytes, end: int) -> None:
        """Go to the first run since a blank line, or else to the line that is not over."""
        tick = text.find(b"`", self.pos, end)
        if tick >= 0:
            blank = text.rfind(b"\n\n", tick, end)
            if blank >= 0:
                self.pos, self._at_line = blank + 2, True
                tick = text.find(b"`", self.pos, end)
        if tick >= 0:
            self._keep_from(text, tick)
            return
        line = text.rfind(b"\n", self.pos, end)
        if line >= 0:
            self.pos, self._at_line = line + 1, True
        if end - self.pos > LINE or not self._at_line:
            self.pos, self._at_line = end, False

    def _keep_from(self, text: bytes, at: int) -> None:
        if not self._begins_line(text, at):
            self.pos, self._at_line = at, False
            return
        self.pos = max(self.pos, text.rfind(b"\n", self.pos, at) + 1)
        self._at_line = True
