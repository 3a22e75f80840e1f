"""Hooks as a client calls them: through the launcher, with an event on standard input."""

import itertools
import json
import shlex
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.process.box import DEADLINE_S, HOOK, LAUNCHER, Box, Client, Reading, eventually

_NUMBERS = itertools.count()


class Hooks:
    """Calls the hooks of one session, as the child of its client if there is one.

    Attributes:
        session: the client's id of the session.
        words: how they are called.
        last: what the last hook wrote.
    """

    def __init__(
        self, box: Box, session: str = "38655051-aa", client: Client | None = None
    ) -> None:
        self.box = box
        self.session = client.session if client else session
        self.words = HOOK
        self.last = ""
        self._client = client

    def start(self, source: str = "startup") -> str:
        """The session starts."""
        return self.call("SessionStart", source=source)

    def prompt(self, text: str = "hello") -> str:
        """A person types a prompt."""
        return self.call("UserPromptSubmit", prompt=text)

    def stop(self, *, active: bool = False) -> str:
        """A turn ends."""
        return self.call("Stop", stop_hook_active=active, last_assistant_message="done")

    def event(self, name: str, **fields: Any) -> str:
        """Write an event as the client does."""
        event = {
            "session_id": self._client.session if self._client else self.session,
            "transcript_path": str(self._client.transcript) if self._client else "",
            "cwd": str(self._client.workdir if self._client else self.box.home),
            "prompt_id": f"p-{next(_NUMBERS)}",
            "hook_event_name": name,
        }
        return json.dumps(event | fields)

    def call(self, name: str, **fields: Any) -> str:
        """Call a hook; return what it puts before the model, ``''`` for nothing."""
        event = self.event(name, **fields)
        self.last = self._as_child(event) if self._client else self.alone(event)
        return said(self.last)

    def alone(self, event: str) -> str:
        """Call a hook outside any client; return what it wrote."""
        done = subprocess.run(
            [LAUNCHER, *self.words],
            input=event,
            env=self.box.env,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def begin(self, event: str) -> "subprocess.Popen[str]":
        """Start a hook that others are to run beside."""
        process = subprocess.Popen(
            [LAUNCHER, *self.words],
            env=self.box.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdin is not None
        process.stdin.write(event)
        process.stdin.close()
        process.stdin = None
        return process

    def _as_child(self, event: str) -> str:
        assert self._client is not None
        name = f"hook-{next(_NUMBERS)}"
        files = [self.box.home / f"{name}.{end}" for end in ("in", "out", "done")]
        files[0].write_text(event)
        given, written, done = (shlex.quote(str(path)) for path in files)
        command = f"CLAUDECODE=1 CLAUDE_PID={self._client.pid} {shlex.join([str(LAUNCHER), *self.words])}"
        self._client.do(
            f"{command} <{given} >{written}; echo $? >{done}.new; mv {done}.new {done}"
        )
        eventually(files[2].exists)
        assert files[2].read_text() == "0\n"
        return files[1].read_text()


def said(output: str) -> str:
    """Return the context of a hook's answer, which is valid; ``''`` for none."""
    if not output:
        return ""
    answer = json.loads(output)
    assert set(answer) <= {"hookSpecificOutput", "systemMessage"}
    inner = answer["hookSpecificOutput"]
    assert set(inner) == {"hookEventName", "additionalContext"}
    assert len(inner["additionalContext"].encode("utf-16-le")) // 2 < 10_000
    return str(inner["additionalContext"])


def send(box: Box, to: str, text: str, name: str = "bob") -> str:
    """Say something to a session under a name of one's own; return the message's id."""
    words = ("send", "--as", name, "--to", to, "-")
    done = box.hot(*words, input=text, encoding="utf-8", errors="surrogatepass")
    assert done.returncode == 0, done.stderr
    return done.stdout.split("#")[1].split()[0]


def bodies(text: str) -> list[str]:
    """Return what each message in a text says, in order."""
    lines = [line for line in text.split("\n") if "] message from " in line]
    return [line.split(": ", 1)[1] for line in lines]


def rows(box: Box, sql: str, *args: object) -> list[tuple[Any, ...]]:
    """Ask the store."""
    with closing(sqlite3.connect(box.state / "attend.db")) as db:
        return db.execute(sql, args).fetchall()


def change(box: Box, sql: str, *args: object) -> None:
    """Change the store by hand."""
    with closing(sqlite3.connect(box.state / "attend.db")) as db, db:
        db.execute(sql, args)


def hosting(box: Box, temporary: str = "") -> Reading:
    """Start `attendd`, with a folder for temporary files; wait until it is the host."""
    service = box.daemon(TMPDIR=temporary) if temporary else box.daemon()
    lock, pid = box.state / "host.lock", str(service.process.pid)
    eventually(lambda: lock.exists() and lock.read_text().startswith(f"{pid} "))
    return service


def log(box: Box) -> str:
    """Return what hooks have left in their log."""
    path: Path = box.state / "hook.log"
    return path.read_text() if path.exists() else ""
