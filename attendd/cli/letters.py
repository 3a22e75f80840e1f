"""How messages look to those who ask for them: blocks, rows of a table, and documents.

A block begins with its message's id; every line of the text stands behind ``| ``, so that no
text can be taken for the beginning of another message, or for anything but a text.
"""

import base64
from typing import Any

from attendd.cli import fates, table, words
from attendd.hot import frame, letter
from attendd.hot.letter import Letter
from attendd.store import Fate, Message, Received

HEADS = ("id", "when", "from", "how", "state", "text")
_WAYS = {"directed": "directly", "project": "to the project", "open": "to #open"}
_BEGINNING = 200


def author(message: Message) -> str:
    """Name who said it, and how that is known."""
    return letter.author(
        Letter([getattr(message, field, None) for field in Letter.__slots__]),
    )


def way(fate: Fate) -> str:
    """Say how it was said to its recipient: alone, or with a group."""
    return f"to #{fate.channel}" if fate.channel else _WAYS.get(fate.kind, fate.kind)


def beginning(message: Message) -> str:
    """Return the beginning of a text, on one line."""
    return frame.cut(table.one_line(message.text[: _BEGINNING * 2].strip()), _BEGINNING)


def text_lines(message: Message, width: int | None = None) -> list[str]:
    """Return the whole text, line by line, each behind the mark of a continuation.

    Args:
        message: whose.
        width: cells that a line may take; ``None`` breaks nothing.
    """
    found: list[str] = []
    for line in frame.lines_of(message.text):
        plain = frame.neutral(frame.inert(line))
        found += (
            [plain] if width is None else table.pieces(plain, width - len(frame.CONTINUATION))
        )
    return [f"{frame.CONTINUATION}{line}".rstrip() for line in found]


def block(came: Received, width: int | None = None) -> list[str]:
    """Make the lines of one message, whole.

    Args:
        came: the message.
        width: cells that a line may take; ``None`` breaks nothing.
    """
    message, fate = came.message, came.fate
    parts = [
        f"#{message.id} from {author(message)}",
        way(fate),
        f"{words.moment(message.created_at)} ({words.ago(message.created_at)})",
        fates.said(fate),
    ]
    if message.re:
        parts.insert(2, f"answering #{message.re}")
    if fate.meant:
        parts.insert(2, "said to an earlier session here")
    head = table.one_line(", ".join(parts))
    if fate.state == "retracted":
        return [head, f"{frame.CONTINUATION}(its author took it back before it was shown)"]
    heads = [head] if width is None else [h.rstrip() for h in table.pieces(head, width)]
    return [*heads, *text_lines(message, width)]


def row(came: Received) -> list[str]:
    """Make the cells of a message under `HEADS`."""
    message, fate = came.message, came.fate
    return [
        f"#{message.id}",
        words.moment(message.created_at),
        author(message),
        way(fate),
        fate.state,
        "" if fate.state == "retracted" else beginning(message),
    ]


def plain(came: Received) -> dict[str, Any]:
    """Return a message that came, under the keys that `--json` prints."""
    said = said_plainly(came.message)
    if came.fate.state == "retracted":
        said |= {"body": None, "body_base64": None}
    return said | fates.plain(came.fate)


def said_plainly(message: Message) -> dict[str, Any]:
    """Return what was said, under the keys that `--json` prints.

    The body is byte for byte what was sent: as text, or in base64 where it is no UTF-8.
    """
    try:
        body, encoded = message.body.decode(), None
    except UnicodeDecodeError:
        body, encoded = None, base64.b64encode(message.body).decode()
    return {
        "id": message.id,
        "from": {
            "name": message.author_name,
            "place": message.place,
            "kind": message.author_kind,
            "how": message.author_how,
            "session": message.author or None,
        },
        "target": message.target,
        "re": message.re or None,
        "thread": message.thread,
        "depth": message.depth,
        "via": message.via or None,
        "said_at": message.created_at,
        "retracted_at": message.retracted_at,
        "body": body,
        "body_base64": encoded,
    }
