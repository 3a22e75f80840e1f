"""Messages and their fates, as the store would give them, made by hand."""

from typing import Any

from attendd.store import Fate, Message, Received

WALL = 1_700_000_000.0


def message(body: bytes = b"text", **over: Any) -> Message:
    plain: dict[str, Any] = {
        "id": "k3f9q2xm",
        "author": "as:mira",
        "author_kind": "declared",
        "author_name": "mira",
        "author_how": "--as",
        "project": "/w",
        "place": "w",
        "target": "bob",
        "kind": "directed",
        "re": "",
        "thread": "k3f9q2xm",
        "depth": 0,
        "via": "",
        "created_at": WALL,
        "retracted_at": None,
    }
    return Message(body=body, **(plain | over))


def fate(state: str = "stored", **over: Any) -> Fate:
    plain: dict[str, Any] = dict.fromkeys(Fate.__struct_fields__, "")
    plain |= {name: None for name in Fate.__struct_fields__ if name.endswith(("_at", "_ms"))}
    plain |= {
        "id": 1,
        "session": "as:bob",
        "kind": "directed",
        "repeats": 0,
        "created_at": WALL,
    }
    return Fate(**(plain | {"state": state} | over))


def came(body: bytes = b"text", state: str = "stored", **over: Any) -> Received:
    return Received(message=message(body, **over), fate=fate(state))
