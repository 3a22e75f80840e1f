"""The reference for waking somebody: a unix datagram to a waiting process and its answer."""

import os
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

ROUND = "a bare datagram round"
_ECHO = """
import sys, _socket
bell = _socket.socket(_socket.AF_UNIX, _socket.SOCK_DGRAM)
bell.bind(sys.argv[1])
while True:
    bell.recv(64)
    bell.sendto(b"!", sys.argv[2])
"""
_PAUSE_S = 0.01
"""Long enough that the other process waits again, and its processor sleeps."""


class Echo:
    """A process that answers every datagram."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        """Start it; the stack ends it."""
        self._there, here = str(folder / "there"), str(folder / "here")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        stack.callback(self._socket.close)
        self._socket.bind(here)
        words = [sys.executable, "-I", "-S", "-c", _ECHO, self._there, here]
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL)
        stack.callback(process.wait)
        stack.callback(process.kill)
        while not os.path.exists(self._there):  # noqa: PTH110 - it is no file that is read
            time.sleep(_PAUSE_S)

    def round(self) -> float:
        """Ring it and wait for the answer."""
        time.sleep(_PAUSE_S)
        started = time.perf_counter()
        self._socket.sendto(b"!", self._there)
        self._socket.recv(64)
        return time.perf_counter() - started
