"""The streamed form of one answer of the messages API, as far as a client needs it.

Source: the public description of the API's streaming events; the fields are those that
release 2.1.328 of the client reads.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """A tool call of the scripted model."""

    tool: str
    arguments: Json


@dataclass(frozen=True)
class Usage:
    """What an answer says it cost, in tokens: the sum is the context then in use."""

    fresh: int = 20
    cached: int = 0
    written: int = 0
    output: int = 5

    def as_json(self) -> Json:
        return {
            "input_tokens": self.fresh,
            "cache_read_input_tokens": self.cached,
            "cache_creation_input_tokens": self.written,
            "output_tokens": self.output,
        }


@dataclass(frozen=True)
class Answer:
    """One answer of the scripted model: text first, then tool calls.

    Attributes:
        held: name of the gate that stops the stream half-way through the text; empty: no stop.
        status: an HTTP error to answer with instead; 0 for an answer.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    usage: Usage = field(default_factory=Usage)
    held: str = ""
    status: int = 0

    def blocks(self, number: int) -> list[Json]:
        """The content blocks; ``number`` makes the ids of tool calls unique."""
        text = [{"type": "text", "text": self.text}] if self.text else []
        calls = [
            {
                "type": "tool_use",
                "id": f"toolu_{number:05d}{place}",
                "name": call.tool,
                "input": call.arguments,
            }
            for place, call in enumerate(self.calls)
        ]
        return [*text, *calls]

    def message(self, number: int, model: str) -> Json:
        """The whole answer, for a request that does not stream."""
        return {
            "id": f"msg_{number:05d}",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": self.blocks(number),
            "stop_reason": "tool_use" if self.calls else "end_turn",
            "stop_sequence": None,
            "usage": self.usage.as_json(),
        }


GATE: Json = {"type": "gate"}
"""Stands in the stream where a held answer stops; never sent."""

PING: Json = {"type": "ping"}


def events(answer: Answer, number: int, model: str) -> Iterator[Json]:
    """The events of the stream, in order, with `GATE` where a held answer stops."""
    whole = answer.message(number, model)
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for index, block in enumerate(whole["content"]):
        empty = {**block, "text": ""} if block["type"] == "text" else {**block, "input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        for delta in _deltas(block, stop=bool(answer.held)):
            yield (
                GATE
                if delta is GATE
                else {
                    "type": "content_block_delta",
                    "index": index,
                    "delta": delta,
                }
            )
        yield {"type": "content_block_stop", "index": index}
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": whole["usage"]}
    yield {"type": "message_stop"}


def _deltas(block: Json, *, stop: bool) -> Iterator[Json]:
    if block["type"] == "tool_use":
        yield {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        return
    text = block["text"]
    middle = len(text) // 2
    yield {"type": "text_delta", "text": text[:middle]}
    if stop:
        yield GATE
    yield {"type": "text_delta", "text": text[middle:]}


def encode(event: Json) -> bytes:
    """One event as the stream carries it, in a chunk of its own."""
    data = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
    return b"%x\r\n%s\r\n" % (len(data), data)
