"""Transcripts as Claude Code writes them, row by row, for what no recording shows."""

import datetime
import json
from collections.abc import Sequence
from typing import Any

START = 1_800_000_000.0
OPUS = "claude-opus-5-5"


class Written:
    """A transcript in the making. Every row follows the last one unless it is told otherwise.

    Attributes:
        rows: what was written, without newlines.
        leaf: uuid of the row written last.
        at: the time of the next row; each takes a second.
    """

    def __init__(self, start: float = START) -> None:
        self.rows: list[bytes] = []
        self.leaf: str | None = None
        self.at = start

    @property
    def data(self) -> bytes:
        """The whole file."""
        return b"".join(row + b"\n" for row in self.rows)

    def row(self, kind: str, *, parent: str | None = "last", **fields: Any) -> str:
        """Write a row of the conversation and return its uuid."""
        uuid = f"row-{len(self.rows)}"
        stamp = datetime.datetime.fromtimestamp(self.at, datetime.UTC)
        row = {
            "parentUuid": self.leaf if parent == "last" else parent,
            "isSidechain": False,
            "type": kind,
            "uuid": uuid,
            "timestamp": stamp.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "version": "2.1.328",
            "gitBranch": "main",
            **fields,
        }
        self.rows.append(json.dumps(row).encode())
        if not row["isSidechain"]:
            self.leaf = uuid
        self.at += 1.0
        return uuid

    def prompt(self, text: str = "do it", **fields: Any) -> str:
        """Write a person's prompt."""
        said = {"role": "user", "content": text}
        fields = {"origin": {"kind": "human"}, "promptSource": "typed"} | fields
        return self.row("user", message=said, **fields)

    def answer(
        self, tokens: int, *, calls: Sequence[tuple[str, str]] = (), **fields: Any
    ) -> str:
        """Write an answer of one row, with (id, tool) for each call it makes."""
        message = {
            "id": fields.pop("id", f"msg-{len(self.rows)}"),
            "model": fields.pop("model", OPUS),
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": i, "name": n, "input": {}} for i, n in calls
            ],
            "usage": {
                "input_tokens": 0,
                "output_tokens": 0,
                "cache_creation_input_tokens": None,
                "cache_read_input_tokens": tokens,
            },
        }
        return self.row("assistant", message=message, **fields)

    def result(self, call: str, **fields: Any) -> str:
        """Write what a call returned."""
        block = {"type": "tool_result", "tool_use_id": call, "content": "…"}
        return self.row("user", message={"role": "user", "content": [block]}, **fields)

    def compact(self, left: int | None) -> str:
        """Write a compaction's boundary and summary."""
        self.row(
            "system",
            parent=None,
            logicalParentUuid=self.leaf,
            subtype="compact_boundary",
            compactMetadata={"trigger": "auto", "preTokens": 1, "postTokens": left},
        )
        said = {"role": "user", "content": "(summary)"}
        return self.row("user", message=said, isCompactSummary=True)

    def error(self) -> str:
        """Write an error in the shape of an answer."""
        return self.answer(0, model="<synthetic>", isApiErrorMessage=True)

    def end(self) -> str:
        """Write the end of a turn."""
        return self.row("system", subtype="turn_duration")

    def noise(self) -> None:
        """Write rows that are no part of the conversation."""
        self.rows.append(b'{"type":"last-prompt","leafUuid":"x"}')
        self.rows.append(b'{"type":"api-request-blob","message":{"role":"user"}}')
