"""What passes through `attend filter`, in each of its formats.

Only text of the model is looked at. All else, and what can't be read, passes as it is. What
follows a tag that is never closed is given out as it was: in a pipe nothing may get lost.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import msgspec

from attendd.hot.percept_events import Percept, Refusal, Withheld
from attendd.hot.percepts import Parser

BURNT = "its mark was seen in a tool's result before"


class Caught(msgspec.Struct, frozen=True):
    """What was taken out.

    Attributes:
        text: a fact; empty where it is none.
        consumer: whom it is for; empty: everybody.
        reason: why it is refused; empty: it is not.
        turn: the prompt under which it was said, from 1 on.
        session: the client's id of the session; empty where the format doesn't say.
        sub: whether a subagent said it.
    """

    text: str
    consumer: str = ""
    reason: str = ""
    turn: int = 1
    session: str = ""
    sub: bool = False


Catch = Callable[[Caught], None]
Begin = Callable[[str], Parser | None]
"""Makes the parser of a message of a session; ``None`` where its tags are not known."""


class Pipe(ABC):
    """Takes what comes in, and returns what goes out at once."""

    def __init__(self, begin: Begin, catch: Catch) -> None:
        self._begin = begin
        self._catch = catch

    @abstractmethod
    def feed(self, data: bytes) -> bytes:
        """Take a piece; return what can go out now."""

    @abstractmethod
    def finish(self) -> bytes:
        """End; return the rest."""


class Text(Pipe):
    """Plain text: all of it is one message."""

    def __init__(self, begin: Begin, catch: Catch) -> None:
        super().__init__(begin, catch)
        self._parser = begin("")

    def feed(self, data: bytes) -> bytes:
        """See `Pipe.feed`."""
        return self._out(self._parser.feed(data)) if self._parser else data

    def finish(self) -> bytes:
        """See `Pipe.finish`."""
        return self._out(self._parser.finish()) if self._parser else b""

    def _out(self, events: list[Any]) -> bytes:
        for each in events:
            if caught := _caught(each):
                self._catch(caught)
        return _shown(events)


class Stream(Pipe):
    """Lines of JSON, as ``claude --output-format stream-json`` prints them."""

    def __init__(self, begin: Begin, catch: Catch) -> None:
        super().__init__(begin, catch)
        self._pieces: list[bytes] = []
        self._deltas: dict[object, Parser | None] = {}
        self._session = ""
        self._turn = 1
        self._burnt = False

    def feed(self, data: bytes) -> bytes:
        """See `Pipe.feed`: whole lines."""
        head, newline, rest = data.rpartition(b"\n")
        if not newline:
            self._pieces.append(data)
            return b""
        lines = b"".join([*self._pieces, head]).split(b"\n")
        self._pieces = [rest]
        return b"".join(self._line(line) + b"\n" for line in lines)

    def finish(self) -> bytes:
        """See `Pipe.finish`."""
        return self._line(b"".join(self._pieces))

    def _line(self, line: bytes) -> bytes:
        looked_at = b":percept:" in line or b'"stream_event"' in line or b'"result"' in line
        if not looked_at and self._session:
            return line
        try:
            row = json.loads(line)
            before = self._row(row)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return line  # it is not as any line we know
        return line if before is None else b"\n".join(map(_written, [*before, row]))

    def _row(self, row: dict[str, Any]) -> list[dict[str, Any]] | None:
        """Change a row; return rows to go before it, or ``None`` where nothing is changed."""
        self._session = self._session or str(row.get("session_id") or "")
        kind = row["type"]
        if kind == "assistant":
            found = [self._said(block, row) for block in row["message"]["content"]]
            return [] if any(found) else None
        if kind == "result":
            self._turn += 1
            return [] if self._replace(row, "result") else None
        if kind == "stream_event":
            return self._event(row)
        self._burnt = self._burnt or (kind == "user" and self._known_in(json.dumps(row)))
        return None

    def _said(self, block: dict[str, Any], row: dict[str, Any]) -> bool:
        return block["type"] == "text" and self._replace(block, "text", row)

    def _replace(
        self, holder: dict[str, Any], key: str, row: dict[str, Any] | None = None
    ) -> bool:
        """Take tags out of a whole text; what was in them counts if a row is named."""
        parser = self._begin(self._session)
        text = holder.get(key)
        if parser is None or not isinstance(text, str):
            return False
        events = [*parser.feed(text), *parser.finish()]
        shown = _shown(events).decode("utf-8", "surrogatepass")
        for each in events if row is not None else ():
            if caught := _caught(each):
                self._catch(self._known(caught, row))
        holder[key] = shown
        return bool(shown != text)

    def _known(self, caught: Caught, row: dict[str, Any] | None) -> Caught:
        return msgspec.structs.replace(
            caught,
            reason=BURNT if self._burnt else caught.reason,
            turn=self._turn,
            session=self._session,
            sub=bool(row and row.get("parent_tool_use_id")),
        )

    def _known_in(self, text: str) -> bool:
        """Tell whether an own tag stands in a text."""
        parser = self._begin(self._session)
        events = [*parser.feed(text), *parser.finish()] if parser else []
        return any(not isinstance(each, bytes) for each in events)

    # -- pieces of a message that is being written ----------------------------------

    def _event(self, row: dict[str, Any]) -> list[dict[str, Any]] | None:
        event = row["event"]
        key = (row.get("parent_tool_use_id"), event.get("index"))
        if event["type"] == "content_block_start":
            self._deltas[key] = self._begin(self._session)
        if event["type"] == "content_block_stop":
            parser = self._deltas.pop(key, None)
            rest = _shown(parser.finish()) if parser else b""
            return [_delta(row, rest.decode("utf-8", "surrogatepass"))] if rest else None
        delta = event.get("delta", {})
        parser = self._deltas.get(key)
        if delta.get("type") != "text_delta" or parser is None:
            return None
        shown = _shown(parser.feed(delta["text"])).decode("utf-8", "surrogatepass")
        same = shown == delta["text"]
        delta["text"] = shown
        return None if same else []


def _delta(stop: dict[str, Any], text: str) -> dict[str, Any]:
    """Make the row that brings the rest of a block before that ends."""
    delta = {"type": "text_delta", "text": text}
    index = stop["event"]["index"]
    return {**stop, "event": {"type": "content_block_delta", "index": index, "delta": delta}}


def _shown(events: list[Any]) -> bytes:
    parts = (each.raw if isinstance(each, Withheld) else each for each in events)
    return b"".join(each for each in parts if isinstance(each, bytes))


def _caught(event: object) -> Caught | None:
    if isinstance(event, Percept):
        return Caught(event.text, event.consumer)
    if isinstance(event, Refusal):
        return Caught("", reason=event.reason)
    if isinstance(event, Withheld):
        lost = event.end - event.start - len(event.raw)
        cut = f", {lost:,} bytes of what followed are lost" if lost else ""
        return Caught("", reason=f"its tag was never closed{cut}")
    return None


def _written(row: dict[str, Any]) -> bytes:
    """Write a row as the client does."""
    text = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:  # half a character
        return json.dumps(row, separators=(",", ":")).encode()
