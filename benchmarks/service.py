"""How soon a service that systemd starts at the first question answers it."""

import os
import signal
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path

from benchmarks import place
from benchmarks.figure import Figure, Options, Row, Sampler, Taken, ratio_row

COLD = "service, first answer"
FRESH = "service, first answer ever"
LIMIT = 60.0

_HAND_OVER = 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"'
_ASK = b'{"v": 1, "ask": "status"}\n'


class Service(Figure):
    """From the connection that has it started to the answer, each time by another process."""

    name = "service"

    def prepare(self, stack: ExitStack, options: Options) -> None:  # noqa: ARG002 - Figure's
        """Make a home with a store."""
        self._home = place.Home(options.folder / "service")
        self._program = str(Path(place.launcher()).with_name("attendd"))
        self._numbers = count()
        self._first_answer("known")

    def samplers(self) -> Mapping[str, Sampler]:
        """See `Figure.samplers`."""
        return {
            COLD: lambda: self._first_answer("known"),
            FRESH: lambda: self._first_answer(f"fresh{next(self._numbers)}"),
        }

    def rows(self, taken: Taken) -> Sequence[Row]:
        """See `Figure.rows`."""
        return [
            ratio_row("cold start by socket to the first answer", taken, COLD, LIMIT),
            ratio_row("the same in a new home", taken, FRESH, LIMIT),
        ]

    def _first_answer(self, home: str) -> float:
        path = str(self._home.path / f"{home}.sock")
        env = {**self._home.env, "ATTEND_HOME": str(self._home.path / home)}
        words = ["/bin/sh", "-c", _HAND_OVER, "sh", self._program, "--log-level=error"]
        with socket.socket(socket.AF_UNIX) as door, socket.socket(socket.AF_UNIX) as client:
            door.bind(path)
            door.listen()
            started = time.perf_counter()
            client.connect(path)
            client.sendall(_ASK)
            actions = [(os.POSIX_SPAWN_DUP2, door.fileno(), 3)]
            pid = os.posix_spawn(words[0], words, env, file_actions=actions)
            answered = client.recv(4096).startswith(b'{"v":1,"ok":')
            taken = time.perf_counter() - started
        os.kill(pid, signal.SIGTERM)
        os.waitpid(pid, 0)
        Path(path).unlink()
        if not answered:
            raise RuntimeError("it answered something else")
        return taken
