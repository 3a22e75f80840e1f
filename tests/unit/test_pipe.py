"""What goes through `attend filter`: facts out, all else as it was, however it is cut."""

import json
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from attendd.cli.pipe import BURNT, Caught, Pipe, Stream, Text
from attendd.hot.percepts import Parser

N = "k7q2zd"
OPEN, CLOSE = f"<attend:percept:{N}>", f"</attend:percept:{N}>"
TAG = f"{OPEN}deploy on friday{CLOSE}"
SESSION = "38655051-aa"


def through(kind: type[Pipe], *chunks: bytes, nonce: str = N) -> tuple[bytes, list[Caught]]:
    caught: list[Caught] = []
    pipe = kind(lambda _: Parser(nonce) if nonce else None, caught.append)
    return b"".join([*map(pipe.feed, chunks), pipe.finish()]), caught


def rows(*rows: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows)


def lines(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


def answer(*texts: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": each} for each in texts]
    return {"type": "assistant", "message": {"content": content}, "session_id": SESSION, **more}


def event(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "stream_event", "event": {"type": kind, "index": 0, **more}}


def delta(text: str) -> dict[str, Any]:
    return event("content_block_delta", delta={"type": "text_delta", "text": text})


def test_facts_are_taken_out_of_text() -> None:
    out, caught = through(Text, f"a {TAG} b\xff".encode("latin-1"))

    assert out == b"a  b\xff"
    assert caught == [Caught("deploy on friday")]


def test_a_tag_that_is_never_closed_is_given_out_as_it_was() -> None:
    out, caught = through(Text, f"a {OPEN}dep".encode(), b"loy")

    assert out == f"a {OPEN}deploy".encode()
    assert [each.reason for each in caught] == ["its tag was never closed"]


def test_text_of_nobody_known_passes_as_it_is() -> None:
    assert through(Text, TAG.encode(), nonce="") == (TAG.encode(), [])
    assert through(Stream, rows(answer(TAG)), nonce="") == (rows(answer(TAG)), [])


def test_facts_are_taken_out_of_a_stream_once() -> None:
    out, caught = through(
        Stream,
        rows(
            {"type": "system", "subtype": "init", "session_id": SESSION},
            answer(f"a {TAG}", "b"),
            answer("c", parent_tool_use_id=None),
            {"type": "result", "result": f"d {TAG}", "session_id": SESSION},
            answer(TAG, parent_tool_use_id="t1"),
        ),
    )

    found = lines(out)
    assert [each["text"] for each in found[1]["message"]["content"]] == ["a ", "b"]
    assert found[3]["result"] == "d "
    assert caught == [
        Caught("deploy on friday", session=SESSION),
        Caught("deploy on friday", session=SESSION, turn=2, sub=True),
    ]


@given(cut=st.lists(st.integers(0, 60), max_size=5))
def test_pieces_of_a_message_come_without_the_tag_in_them(cut: list[int]) -> None:
    text = f"a {TAG} b <"
    edges = [0, *sorted(cut), len(text)]
    pieces = [text[start:end] for start, end in pairwise(edges)]

    block = {"type": "text", "text": ""}
    start, stop = event("content_block_start", content_block=block), event("content_block_stop")
    out, caught = through(Stream, rows(start, *map(delta, pieces), stop, answer(text)))

    found = [each["event"] for each in lines(out)[:-1]]
    assert "".join(each["delta"]["text"] for each in found if "delta" in each) == "a  b <"
    assert [found[0]["type"], found[-1]["type"]] == [
        "content_block_start",
        "content_block_stop",
    ]
    assert len(caught) == 1


def test_all_else_in_a_stream_passes_byte_for_byte() -> None:
    odd = b"".join(
        [
            b'{ "type" : "assistant", "message": {"content": "as no client writes it"}}\n',
            b'{"type":"assistant","message":{"content":[{"type":"tool_use","input":{"a":1.0}}]}}\n',
            b'{"type":"user","message":{"content":"' + TAG.encode() + b'"}}\n',
            b'{"type":"assistant","message":{"content":[{"type":"text","text":"\\u00e9 :percept:"}]}}\n',
            b"\n\xff not json :percept:\n[1, 2]\n",
            rows(event("message_start"), event("content_block_delta", delta={"type": "x"})),
            b'{"type":"result","result":null,"total_cost_usd":0.10}\n{"type":"result',
        ]
    )

    assert through(Stream, odd) == (odd, [])
    assert through(Stream, *(odd[at : at + 1] for at in range(len(odd)))) == (odd, [])


def test_nothing_counts_once_its_mark_stood_in_a_tools_result() -> None:
    result = {"type": "user", "message": {"content": [{"content": f"file: {TAG}"}]}}

    out, caught = through(Stream, rows(answer(TAG), result, answer(f"it says {TAG}")))

    assert lines(out)[2]["message"]["content"][0]["text"] == "it says "
    assert [each.reason for each in caught] == ["", BURNT]


def test_half_a_character_comes_out_as_json() -> None:
    out, _ = through(Stream, rows(answer(f"\ud83d {TAG}")))

    assert lines(out)[0]["message"]["content"][0]["text"] == "\ud83d "
