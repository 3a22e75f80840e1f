"""How a host is asked what it knows this moment: one JSON document a line, each way.

``{"v": 1, "ask": "status"}`` is answered by ``{"v": 1, "ok": …}``, or ``"error"`` in its place.
The questions are in `attendd.host.questions`; who is not answered looks into the store instead.
"""

import os
import socket
import struct
import sys
import time
from typing import Any

import msgspec

from attendd.hot import places

VERSION = 1
"""Of the protocol. A field more is no new version; whoever reads skips what it doesn't know."""
NAME = "control.sock"
"""Name, in the runtime folder, of the socket that whoever is the host listens at."""
LONGEST_ASK = 4096
"""Bytes that a question may have."""
PATIENCE_S = 1.0
"""How long an answer is waited for. A host that is well takes a few milliseconds."""

_LONGEST_ANSWER = 16 * 1024 * 1024
_CHUNK = 65_536


class Ask(msgspec.Struct, frozen=True):
    """A question.

    Attributes:
        ask: which one.
        v: the version that the asker speaks.
        session: only of this session; empty: of all.
        sensor: only of this sensor; empty: of all.
    """

    ask: str
    v: int = VERSION
    session: str = ""
    sensor: str = ""


class NoAnswerError(Exception):
    """Somebody listens, but does not answer, or not so that it can be understood."""


def path(*, make: bool = False) -> str:
    """Name the socket of the host.

    Args:
        make: whether its folder is made if missing.

    Raises:
        PlaceError: ``$ATTEND_HOME`` is not an absolute path, or no folder can be used.
    """
    return f"{places.runtime_dir() if make else places.known_runtime_dir()}/{NAME}"


def ask(question: Ask, patience_s: float = PATIENCE_S) -> Any:  # noqa: ANN401 - as JSON has it
    """Ask the host.

    Returns:
        What it answers; ``None`` where nobody listens, or not to us.

    Raises:
        NoAnswerError: it does not answer in time, or answers what can't be understood.
    """
    until = time.monotonic() + patience_s
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as host:
            host.settimeout(patience_s)
            host.connect(path())
            if owner(host) != os.geteuid():
                return None
            host.sendall(msgspec.json.encode(question) + b"\n")
            answer = msgspec.json.decode(_line(host, until), type=dict[str, Any])
    except (TimeoutError, BlockingIOError):  # the latter: it accepts nobody any more
        raise NoAnswerError(f"no answer within {patience_s:g} s") from None
    except (msgspec.MsgspecError, RecursionError):
        raise NoAnswerError("an answer that can't be understood") from None
    except (
        OSError,
        ValueError,
        places.PlaceError,
    ):  # ValueError: no path that a socket can have
        return None
    return answer.get("ok")


def answer(*, ok: object = None, error: str = "") -> bytes:
    """Write down what was asked for, or why that is not to be had."""
    said = {"v": VERSION, "error": error} if error else {"v": VERSION, "ok": ok}
    return msgspec.json.encode(said) + b"\n"


def owner(peer: socket.socket) -> int | None:
    """Return the user behind the other end of a connection; ``None`` if that can't be told.

    Source:
        unix(7), SO_PEERCRED: pid, uid, gid. On macOS and FreeBSD unix(4), LOCAL_PEERCRED: a
        struct xucred, whose version (0) comes first, then the effective uid.
    """
    try:
        if sys.platform == "linux":
            raw = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            return int(struct.unpack("3i", raw)[1])
        raw = peer.getsockopt(0, 1, 128)  # SOL_LOCAL, LOCAL_PEERCRED
        version, uid = struct.unpack_from("=II", raw)
        return None if version else int(uid)
    except (OSError, struct.error):
        return None


def _line(host: socket.socket, until: float) -> bytes:
    """Read up to the end of a line.

    Raises:
        TimeoutError: it did not come in time.
        OSError: the connection was closed before, or the line is too long.
    """
    data = bytearray()
    while not data.endswith(b"\n"):
        host.settimeout(max(0.001, until - time.monotonic()))
        chunk = host.recv(_CHUNK)
        if not chunk or len(data) > _LONGEST_ANSWER:
            raise ConnectionError("closed")
        data += chunk
    return bytes(data)
