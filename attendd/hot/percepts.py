"""Takes percepts out of a text as it comes: facts that an agent put between tags of its own.

What is left is shown as soon as it can't change, and is the same however the text was cut into
pieces. One parser is for one message: what a tag left open has no effect on the next.

- In code (`attendd.hot.percept_code`) a tag is only shown.
- An own pair is cut out, and what it holds is a percept. An own tag in it begins it anew.
- What follows an own tag that is never closed is withheld.
- A foreign pair is cut out with all that is in it. A foreign tag alone is text.
- An own closing tag alone is cut out. All else is text.
"""

from _collections import deque  # type: ignore[import-not-found]

from attendd.hot import percept_limits as limits
from attendd.hot.percept_code import LITERAL, UNDECIDED, Code
from attendd.hot.percept_events import Percept, Refusal, Withheld
from attendd.hot.percept_marks import torn
from attendd.hot.percept_tags import (
    BEGUN,
    FOREIGN_CLOSE,
    FOREIGN_OPEN,
    OWN_CLOSE,
    OWN_OPEN,
    Tags,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from attendd.hot.percept_tags import Tag

    Event = bytes | Percept | Refusal | Withheld
    """A piece of text to be shown, or what was taken out."""

NAMESPACE = "attend"
LEFT = 24 << 10
"""Bytes of shown text that are kept before they are looked through for code."""
PAIR = 32 << 10
"""Bytes from a foreign tag to the one that closes it; farther apart they are text."""


class _Open:
    """A foreign tag that may yet be closed; until then all that follows it is held back."""

    __slots__ = ("raw", "start", "token")

    def __init__(self, token: bytes, raw: bytes, start: int) -> None:
        self.token = token
        self.raw = raw
        self.start = start


class _Body:
    """What follows an own tag, as far as it is kept."""

    __slots__ = ("raw", "size", "start", "tag")

    def __init__(self, tag: bytes, start: int) -> None:
        self.tag = tag
        self.start = start
        self.raw = bytearray()
        self.size = 0

    def add(self, data: bytes) -> None:
        self.size += len(data)
        self.raw += data[: limits.KEPT - len(self.raw)]


class Parser:
    """Reads one message."""

    def __init__(
        self,
        nonce: str,
        *,
        namespace: str = NAMESPACE,
        agents: "Sequence[str]" = (),
        escaped: bool = False,
    ) -> None:
        """Begin a message.

        Args:
            nonce: what tells own tags from foreign ones.
            namespace: the first word of tags.
            agents: names that a percept may be addressed to.
            escaped: see `attendd.hot.percept_tags.Tags`.

        Raises:
            ValueError: nonce or namespace can't be in a tag.
        """
        self._tags = Tags(namespace, nonce, escaped=escaped)
        self._agents = tuple(name for name in agents if name)
        self._code = Code()
        self._data = b""  # what is kept: all from `_base` on
        self._base = 0
        self._shown = 0
        self._seek = 0
        self._body: _Body | None = None
        self._held: deque[_Open | bytearray | Event] = deque()
        self._open: dict[bytes, deque[_Open]] = {}
        self._half = ""
        self._events: list[Event] = []

    def feed(self, data: "bytes | str") -> "list[Event]":
        """Take the next piece of the message, and return what is now certain.

        Bytes are UTF-8, cut anywhere; what is no UTF-8 is text like any other. Text in strings
        is returned as UTF-8, too; halves of a surrogate pair are joined.
        """
        if isinstance(data, str):
            data = self._encoded(data)
        if self._body is None and self._shown - self._code.pos > LEFT:
            self._code.pass_over(self._data, self._shown)
            self._drop()
        self._data = self._data + data if self._data else data
        return self._run(final=False)

    def finish(self) -> "list[Event]":
        """End the message, and return what was held back."""
        self._data += self._half.encode("utf-8", "surrogatepass")
        self._half = ""
        self._run(final=True)
        while self._held:
            self._release()
        if self._body is not None:
            raw = self._body.tag + bytes(self._body.raw)
            self._events.append(Withheld(raw, self._body.start, self._base))
            self._body = None
        return self._events

    def _run(self, *, final: bool) -> "list[Event]":
        self._events = []
        while self._inside(final=final) if self._body else self._outside(final=final):
            pass
        self._drop()
        self._expire(self._base + self._shown)
        return self._events

    def _drop(self) -> None:
        """Let go of the bytes that are needed no more."""
        gone = self._shown if self._body else min(self._shown, self._code.pos)
        if gone:
            self._data = self._data[gone:]
            self._code.shift(gone)
            self._base += gone
            self._shown -= gone
            self._seek = max(0, self._seek - gone)

    # -- text ---------------------------------------------------------------------

    def _outside(self, *, final: bool) -> bool:
        """Go on to the next tag; false if there is no more to be done."""
        tag = self._tags.find(self._data, self._seek, final=final)
        if tag is not None:
            where = self._code.where(self._data, tag[2], final=final)
            if where == UNDECIDED:
                self._show(tag[2])
                return False
            if where == LITERAL:
                self._seek = tag[3]
                return tag[0] != BEGUN or self._rest(len(self._data), final=final)
            self._show(tag[2])
            if tag[0] != BEGUN:
                self._meet(tag)
                return True
        return self._rest(len(self._data) if tag is None else tag[2], final=final)

    def _rest(self, end: int, *, final: bool) -> bool:
        """Show what has no tag in it, and return that there is no more."""
        whole = end if final else end - torn(self._data, end)
        self._show(whole)
        self._seek = whole
        return False

    def _meet(self, tag: "Tag") -> None:
        kind, token, start, end = tag
        raw, at = self._data[start:end], self._base + start
        if kind == FOREIGN_CLOSE and not self._close(token, at):
            self._seek = end
            return
        self._shown = self._seek = end
        if kind == OWN_OPEN:
            self._body = _Body(raw, at)
        elif kind == FOREIGN_OPEN:
            opened = _Open(token, raw, at)
            self._held.append(opened)
            self._open.setdefault(token, deque()).append(opened)

    def _show(self, to: int) -> None:
        if to > self._shown:
            self._emit(self._data[self._shown : to])
            self._shown = to

    def _emit(self, event: "Event") -> None:
        held = self._held
        if not held:
            self._events.append(event)
        elif isinstance(event, bytes) and isinstance(held[-1], bytearray):
            held[-1] += event
        else:
            held.append(bytearray(event) if isinstance(event, bytes) else event)

    # -- own tags -----------------------------------------------------------------

    def _inside(self, *, final: bool) -> bool:
        """Go on to what ends a percept, or begins it anew; false if there is no more."""
        body = self._body
        assert body is not None  # noqa: S101 - the caller's condition
        tag = self._tags.find(self._data, self._seek, final=final)
        if tag is None or tag[0] == BEGUN:
            end = len(self._data) if tag is None else tag[2]
            body.add(self._data[self._shown : end])
            self._shown = self._seek = end
            return False
        kind, token, start, end = tag
        self._seek = end
        if kind == FOREIGN_OPEN or (
            kind == FOREIGN_CLOSE and not self._close(token, self._base + start)
        ):
            return True
        if kind == OWN_OPEN:
            self._body = _Body(self._data[start:end], self._base + start)
        else:
            self._body = None
            self._code.jump(end)
        if kind == OWN_CLOSE:
            body.add(self._data[self._shown : start])
            self._take(body, self._base + end)
        self._shown = end
        return True

    def _take(self, body: _Body, end: int) -> None:
        try:
            text, consumer = limits.read(bytes(body.raw), body.size, self._agents)
        except ValueError as error:
            self._emit(Refusal(str(error), body.start, end))
            return
        if text:
            self._emit(Percept(text, consumer, body.start, end))

    # -- foreign tags -------------------------------------------------------------

    def _close(self, token: bytes, at: int) -> bool:
        """Cut out all since the first tag with this token; false if there is none."""
        self._expire(at)
        if token not in self._open:
            return False
        first, last = self._open[token][0], None
        while last is not first:
            if isinstance(last := self._held.pop(), _Open):
                self._forget(last, -1)
        return True

    def _expire(self, at: int) -> None:
        """Let go of what is too far back to be closed."""
        while self._held and self._held[0].start + PAIR < at:
            self._release()

    def _release(self) -> None:
        """Let go of the first foreign tag, and of all up to the next."""
        held, first = self._held, self._held.popleft()
        assert isinstance(first, _Open)  # noqa: S101 - nothing else is ever first
        self._forget(first, 0)
        self._events.append(first.raw)
        while held and not isinstance(held[0], _Open):
            event = held.popleft()
            self._events.append(bytes(event) if isinstance(event, bytearray) else event)

    def _forget(self, opened: _Open, at: int) -> None:
        same = self._open[opened.token]
        del same[at]
        if not same:
            del self._open[opened.token]

    # -- bytes --------------------------------------------------------------------

    def _encoded(self, text: str) -> bytes:
        """Encode a piece of text; half a character at its end waits for the other."""
        text = self._half + text
        self._half = ""
        if "\ud800" <= text[-1:] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        try:
            return text.encode()
        except UnicodeEncodeError:
            joined = text.encode("utf-16-le", "surrogatepass").decode(
                "utf-16-le", "surrogatepass"
            )
            return joined.encode("utf-8", "surrogatepass")
