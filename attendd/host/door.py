"""Where a host is asked what it knows: its control socket, and those that systemd handed over.

Nobody who asks can keep the loop from turning: a question is short, an answer is made at once
from what is in memory, and who asks or reads slowly waits for himself alone.
"""

import asyncio
import contextlib
import os
import socket
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from attendd import control, log
from attendd.control import Ask

MOST = 16
"""So many may be connected at once; whoever comes then is sent away."""
PATIENCE_S = 10.0
"""How long a question or the reading of an answer may take; then the connection is closed."""
PACE_S = 0.02
"""Between two answers, whoever asks: however many do, they cost little."""
_BACKLOG = 64

_log = log.get_logger("door")


class UnknownError(Exception):
    """A question that this host does not know, or about what is not there; says which."""


class Door:
    """Lets this user's processes ask, at a path of its own and at sockets handed over."""

    def __init__(
        self, path: str, handed: Sequence[socket.socket], answer: Callable[[Ask], Any]
    ) -> None:
        """Take where it is and who answers; it is there from `open` on.

        Args:
            path: where it is made. What is there is an earlier host's and goes.
            handed: listening sockets; they are used and never removed.
            answer: answers a question; raises `UnknownError`.
        """
        self._path = path
        self._handed = list(handed)
        self._answer = answer
        self._servers: list[asyncio.Server] = []
        self._own: asyncio.Server | None = None
        self._made = (0, 0)
        self._clients: set[asyncio.StreamWriter] = set()
        self._turn = asyncio.Lock()

    async def open(self) -> None:
        """Listen; where a path of its own can't be had, say so and go on without it."""
        for door in self._handed:
            self._servers.append(await self._listen(door))
        if self._path not in [door.getsockname() for door in self._handed]:
            await self._make()

    async def renew(self) -> None:
        """Have it at its path, from which a log-out may have removed it."""
        if self._own is not None and _found(self._path) != self._made:
            self._own.close()
            await self._make()

    def close(self) -> None:
        """Stop listening, and leave no socket of our own."""
        for server in self._servers:
            server.close()
        if self._own is not None:
            self._own.close()
            if _found(self._path) == self._made:
                os.unlink(self._path)  # noqa: PTH108 - a socket, not a document
        self._servers, self._own = [], None
        for client in self._clients:
            client.transport.abort()

    async def _make(self) -> None:
        try:
            door = _bound(self._path)
            self._made = _found(self._path)
            self._own = await self._listen(door)
        except OSError as error:
            self._own = None
            _log.warning("the host can't be asked", path=self._path, why=str(error))

    async def _listen(self, door: socket.socket) -> asyncio.Server:
        return await asyncio.get_running_loop().create_server(self._comes, sock=door)

    def _comes(self) -> asyncio.BaseProtocol:
        reader = asyncio.StreamReader(limit=control.LONGEST_ASK)
        return asyncio.StreamReaderProtocol(reader, self._serve)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._clients.add(writer)
        try:
            if control.owner(writer.get_extra_info("socket")) != os.geteuid():
                return
            if len(self._clients) > MOST:
                writer.write(control.answer(error="too many ask at once"))
                return
            writer.transport.set_write_buffer_limits(high=0)  # `drain` waits for all of it
            await self._answer_all(reader, writer)
        except asyncio.CancelledError:  # the host ends; Python 3.11 would complain of the task
            writer.transport.abort()
        except (TimeoutError, ValueError, OSError):  # too slow, too long, gone
            writer.transport.abort()
        finally:
            self._clients.discard(writer)
            writer.close()

    async def _answer_all(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while True:
            async with asyncio.timeout(PATIENCE_S):
                line = await reader.readline()
            if not line.endswith(b"\n"):
                return
            async with self._turn:
                writer.write(self._said(line))
                await asyncio.sleep(PACE_S)
            async with asyncio.timeout(PATIENCE_S):
                await writer.drain()

    def _said(self, line: bytes) -> bytes:
        try:
            asked = msgspec.json.decode(line, type=Ask)
            if asked.v != control.VERSION:
                return control.answer(error=f"this host speaks version {control.VERSION}")
            return control.answer(ok=self._answer(asked))
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            return control.answer(error=f"that is no question: {error}")
        except UnknownError as error:
            return control.answer(error=str(error))


def turn_away(handed: Sequence[socket.socket], why: str) -> None:
    """Tell those who already wait at a socket that was handed over why nobody will answer."""
    for door in handed:
        door.settimeout(0)
        with contextlib.suppress(OSError):
            while True:
                peer, _ = door.accept()
                with peer, contextlib.suppress(OSError):
                    peer.settimeout(0)
                    peer.send(control.answer(error=why))


def _bound(path: str) -> socket.socket:
    """Make a socket that listens at a path, for this user alone.

    Raises:
        OSError: it can't be made.
    """
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)  # noqa: PTH108 - whose it was is no host any more
        door.bind(path)
        os.chmod(path, 0o600)  # noqa: PTH101 - its folder is closed to others before that
        door.listen(_BACKLOG)
        door.settimeout(0)
    except BaseException:
        door.close()
        raise
    return door


def _found(path: str) -> tuple[int, int]:
    """Return what file is at a path; 0, 0 for none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - at every scan
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino
