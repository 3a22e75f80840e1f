"""A messages API on loopback whose model follows a script, and which remembers what it was asked.

A script is a list of cues. A cue answers the first request that brings something new in which
its pattern is found: new is what came after the model's last answer, tool results included. A
request without a cue is answered "ok". Only requests of the conversation itself take a cue;
titles, token counts and the like are answered beside it.
"""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from tests.live.wire import GATE, PING, Answer, Json, encode, events

DEFAULT = Answer("ok")
HOLD_LIMIT_S = 240.0


@dataclass
class Cue:
    """One line of the script: what a request must bring, and the answer to it, given once."""

    pattern: str
    answer: Answer
    taken: bool = False


@dataclass
class Asked:
    """One request, as received.

    Attributes:
        at: seconds on the clock of ``time.monotonic``.
        kind: ``main`` (the conversation), ``side`` (another use of the model) or ``other``.
    """

    number: int
    at: float
    kind: str
    path: str
    body: Json
    answer: Answer = field(default_factory=Answer)

    @property
    def session(self) -> str:
        """The client's id of the session that asks; empty where it does not say."""
        metadata = self.body.get("metadata") or {}
        try:
            return str(json.loads(metadata["user_id"])["session_id"])
        except (KeyError, ValueError, TypeError):
            return ""

    def whole(self) -> str:
        """Every text of the request: system prompt, messages, tool results."""
        return "\n".join([*_texts(self.body.get("system")), *_texts(self.messages())])

    def news(self) -> str:
        """The texts after the model's last answer."""
        return "\n".join(_texts(self._new()))

    def brought(self) -> set[str]:
        """The types of the blocks after the model's last answer."""
        blocks = [m["content"] for m in self._new() if isinstance(m["content"], list)]
        return {str(block["type"]) for content in blocks for block in content}

    def _new(self) -> list[Json]:
        messages = self.messages()
        last = max((i for i, m in enumerate(messages) if m["role"] == "assistant"), default=-1)
        return messages[last + 1 :]

    def messages(self) -> list[Json]:
        """The messages of the conversation, oldest first."""
        found = self.body.get("messages", [])
        return found if isinstance(found, list) else []

    def tools(self) -> dict[str, Json]:
        """The tools offered, by name."""
        return {tool["name"]: tool for tool in self.body.get("tools", []) if "name" in tool}


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            yield from _texts(part)
    elif isinstance(content, dict):
        yield from _texts(content.get("text"))
        yield from _texts(content.get("content"))


class ScriptedApi:
    """The server; a context manager. Its log is safe to read and to wait on while it runs."""

    def __init__(self, log: Path) -> None:
        self._log = log.open("w", encoding="utf-8")
        self._changed = threading.Condition()
        self._asked: list[Asked] = []
        self._cues: list[Cue] = []
        self._gates: dict[str, threading.Event] = {}
        self._reached: set[str] = set()
        handler = type("Bound", (_Handler,), {"api": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for gate in self._gates.values():
            gate.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        with self._changed:
            self._log.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def cue(self, pattern: str, answer: Answer) -> None:
        """Append one line to the script."""
        with self._changed:
            self._cues.append(Cue(pattern, answer))
            if answer.held:
                self._gates[answer.held] = threading.Event()

    def release(self, gate: str) -> None:
        """Let a held answer go on."""
        self._gates[gate].set()

    def asked(self, kind: str = "main") -> list[Asked]:
        """The requests of one kind so far, oldest first."""
        with self._changed:
            return [one for one in self._asked if one.kind == kind]

    def wait_asked(
        self, wanted: Callable[[Asked], bool], within_s: float, *, after: int = 0
    ) -> Asked | None:
        """Wait for a request of the conversation; ``None`` when the time has passed.

        Args:
            wanted: whether a request is the one.
            within_s: how long to wait.
            after: number of the last request that does not count.
        """

        def first() -> Asked | None:
            main = (one for one in self._asked if one.kind == "main" and one.number > after)
            return next((one for one in main if wanted(one)), None)

        with self._changed:
            self._changed.wait_for(first, within_s)
            return first()

    def wait_held(self, gate: str, within_s: float) -> bool:
        """Wait until a held answer has stopped at its gate."""
        with self._changed:
            return self._changed.wait_for(lambda: gate in self._reached, within_s)

    # -- for the handler --

    def receive(self, kind: str, path: str, body: Json) -> Asked:
        """Remember a request, and choose its answer."""
        with self._changed:
            one = Asked(len(self._asked) + 1, time.monotonic(), kind, path, body)
            one.answer = self._choose(one)
            self._asked.append(one)
            if not self._log.closed:
                said = {"number": one.number, "at": one.at, "kind": kind, "path": path}
                self._log.write(json.dumps({**said, "body": body}) + "\n")
                self._log.flush()
            self._changed.notify_all()
        return one

    def _choose(self, one: Asked) -> Answer:
        if one.kind != "main":
            return DEFAULT
        news = one.news()
        for cue in self._cues:
            if not cue.taken and re.search(cue.pattern, news):
                cue.taken = True
                return cue.answer
        return DEFAULT

    def hold(self, gate: str) -> Iterator[None]:
        """Yield about once a second until the gate opens."""
        with self._changed:
            self._reached.add(gate)
            self._changed.notify_all()
        limit = time.monotonic() + HOLD_LIMIT_S
        while not self._gates[gate].wait(1.0) and time.monotonic() < limit:
            yield


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    api: ScriptedApi

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Say nothing: the log file has it all."""

    def do_POST(self) -> None:
        body = self._body()
        route = self.path.split("?")[0].rstrip("/")
        if not route.endswith("/v1/messages"):
            self.api.receive("other", self.path, body)
            self._send_json({"input_tokens": len(json.dumps(body)) // 4})
            return
        asked = self.api.receive("main" if body.get("tools") else "side", self.path, body)
        try:
            self._answer(asked)
        except ConnectionError:
            self.close_connection = True  # the person interrupted, or the client ended

    def do_GET(self) -> None:
        self.api.receive("other", self.path, {})
        self._send_json({"data": [], "has_more": False})

    do_HEAD = do_GET  # noqa: N815 - the base's name

    def _body(self) -> Json:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            parsed: Any = json.loads(raw)
        except ValueError:
            return {}
        return parsed if isinstance(parsed, dict) else {}

    def _answer(self, asked: Asked) -> None:
        answer, model = asked.answer, str(asked.body.get("model", ""))
        if answer.status:
            error = {"type": "api_error", "message": "as the script says"}
            self._send_json({"type": "error", "error": error}, answer.status)
        elif not asked.body.get("stream"):
            self._send_json(answer.message(asked.number, model))
        else:
            self._stream(asked, model)

    def _stream(self, asked: Asked, model: str) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("request-id", f"req_{asked.number:05d}")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for event in events(asked.answer, asked.number, model):
            if event is not GATE:
                self.wfile.write(encode(event))
                continue
            for _ in self.api.hold(asked.answer.held):
                self.wfile.write(encode(PING))
        self.wfile.write(b"0\r\n\r\n")

    def _send_json(self, data: Json, status: int = 200) -> None:
        raw = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)
