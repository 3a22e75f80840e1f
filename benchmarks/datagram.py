"""The reference for waking somebody: a unix datagram to a waiting process and its answer.

Those who answer take turns, as the readers do that are compared with them, so that each has
waited as long: a processor forgets a process that has done nothing for seconds.
"""

import os
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from itertools import cycle
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
"""Long enough that whoever rings has waited as well."""


class Echoes:
    """Processes that answer every datagram."""

    def __init__(self, stack: ExitStack, folder: Path, count: int) -> None:
        """Start so many; the stack ends them."""
        here = str(folder / "here")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        stack.callback(self._socket.close)
        self._socket.bind(here)
        paths = [str(folder / f"there{at}") for at in range(count)]
        for path in paths:
            words = [sys.executable, "-I", "-S", "-c", _ECHO, path, here]
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL)
            stack.callback(process.wait)
            stack.callback(process.kill)
        while not all(os.path.exists(path) for path in paths):  # noqa: PTH110 - no files to read
            time.sleep(_PAUSE_S)
        self._turns = cycle(paths)

    def round(self) -> float:
        """Ring the next one and wait for its answer."""
        path = next(self._turns)
        time.sleep(_PAUSE_S)
        started = time.perf_counter()
        self._socket.sendto(b"!", path)
        self._socket.recv(64)
        return time.perf_counter() - started
