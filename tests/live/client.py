"""The real interactive client on a terminal of our own, typed at and watched like a person's."""

import codecs
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from tests.live.box import Box, eventually

ROWS, COLUMNS = 50, 160
ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]P^_][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])|[\x00-\x20\x7f]"
)
"""Terminal control and blanks: the client moves the cursor where a blank would be drawn."""

ESCAPED = re.compile(r"\x1b\[.|.", re.DOTALL)
"""One key each."""

TAKE_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "os.execv(sys.argv[1], sys.argv[1:])"
)


class Client:
    """One session of the client, from start to end; a context manager.

    Its process is ended by its id. What it leaves running is the box's to end, and to tell.
    """

    def __init__(
        self, program: Path, box: Box, *arguments: str, workdir: Path | None = None
    ) -> None:
        self._box = box
        self._workdir = workdir or box.project
        self._command = [
            *(sys.executable, "-I", "-S", "-c", TAKE_TERMINAL),
            *(str(program), *arguments),
        ]
        self._drawn = ""
        self._lock = threading.Condition()

    def __enter__(self) -> Self:
        self._master, slave = pty.openpty()
        size = struct.pack("HHHH", ROWS, COLUMNS, 0, 0)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, size)
        self._process = subprocess.Popen(
            self._command,
            cwd=self._workdir,
            env=self._box.environment(),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self._stop = threading.Event()
        self._watcher = threading.Thread(target=self._watch)
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self._stop.set()
        self._watcher.join()
        os.close(self._master)

    def end(self) -> None:
        """End it as a closed terminal would, or by force if need be."""
        for sign in (signal.SIGTERM, signal.SIGKILL):
            if self._process.poll() is None:
                self._process.send_signal(sign)
                with suppress(subprocess.TimeoutExpired):
                    self._process.wait(10)

    @property
    def pid(self) -> int:
        return self._process.pid

    def _watch(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        while not self._stop.is_set():
            ready, _, _ = select.select([self._master], [], [], 0.2)
            try:
                raw = os.read(self._master, 65536) if ready else b""
            except OSError:  # the other end is closed
                return
            with self._lock:
                self._drawn += decoder.decode(raw)
                self._lock.notify_all()

    # -- what can be seen --

    def drawn(self) -> str:
        """All that was drawn so far, without control sequences and without blanks."""
        with self._lock:
            return ESCAPE.sub("", self._drawn)

    def wait_drawn(self, text: str, within_s: float, *, after: int = 0) -> bool:
        """Wait until a text was drawn; blanks do not count."""
        wanted = "".join(text.split())
        limit = time.monotonic() + within_s
        while wanted not in self.drawn()[after:]:
            with self._lock:
                if not self._lock.wait(limit - time.monotonic()):
                    return wanted in ESCAPE.sub("", self._drawn)[after:]
        return True

    def record(self) -> dict[str, Any]:
        """The client's record of its session; empty while there is none."""
        path = self._box.client_dir / "sessions" / f"{self.pid}.json"
        try:
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found

    def resting(self) -> bool:
        """Whether the client says that no turn is under way."""
        return self.record().get("status") in {"idle", "shell"}

    def wait_resting(self, within_s: float = 30.0) -> None:
        """Wait until no turn is under way, or fail with what is on the screen."""
        assert eventually(self.resting, within_s), self.drawn()[-3000:]

    def transcript(self) -> list[dict[str, Any]]:
        """The rows of the transcript that are complete by now."""
        session = self.record().get("sessionId", "none")
        for path in (self._box.client_dir / "projects").glob(f"*/{session}.jsonl"):
            whole, _, _ = path.read_bytes().rpartition(b"\n")
            return [json.loads(line) for line in whole.splitlines()]
        return []

    # -- what a person does --

    def type(self, text: str) -> None:
        """Type a line and send it, once the client has drawn it."""
        before = len(self.drawn())
        os.write(self._master, text.encode())
        self.wait_drawn(text, 5.0, after=before)
        os.write(self._master, b"\r")

    def press(self, keys: str) -> None:
        """Press some keys, one after another as a hand would."""
        for key in ESCAPED.findall(keys):
            os.write(self._master, key.encode())
            time.sleep(0.2)
