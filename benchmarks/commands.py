"""What the commands cost that run thousands of times a day, as people and clients call them."""

import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path

from benchmarks import hostile, place, timing
from benchmarks.figure import Figure, Options, Row, Sampler, Taken, ratio_row

HOOK = "attend hook, nothing to say"
PLUGIN_HOOK = "attend hook, as the plugin calls it"
DISPLAY = "attend hook, lines of an answer without tags"
SEND = "attend send, from a session"
SEND_TERMINAL = "attend send, from a terminal"
STATUSLINE = "attend statusline, figures changed"
STATUSLINE_SAME = "attend statusline, nothing changed"
VERSION = "attend --version"
LIMIT = 1.5
_SESSION = "6d1c2a40-0000-4000-8000-000000000001"


class Commands(Figure):
    """`attend hook`, `send`, `statusline` and `--version` in a usual environment."""

    name = "commands"
    repeats = 3

    def prepare(self, stack: ExitStack, options: Options) -> None:
        """Have somebody attend to this very process as if it were a client, and one more."""
        self._home = place.Home(options.folder / "commands")
        self._attend = place.launcher()
        self._line = [self._attend, "statusline"]
        self._stated = str(self._home.path / "stated.json")
        self._shown = str(self._home.path / "shown.json")
        self._tokens = count(60_000)
        ready(stack, self._home)
        self._statusline()

    def samplers(self) -> Mapping[str, Sampler]:
        """See `Figure.samplers`."""
        return {
            **hot_samplers(self._home, self._attend, ""),
            PLUGIN_HOOK: self._plugin_hook,
            DISPLAY: self._display,
            STATUSLINE: self._statusline,
            STATUSLINE_SAME: lambda: timing.run(self._line, inside(self._home), self._stated),
            VERSION: lambda: timing.run([self._attend, "--version"], self._home.env),
        }

    def rows(self, taken: Taken) -> Sequence[Row]:
        """See `Figure.rows`."""
        return [
            ratio_row(HOOK, taken, HOOK, LIMIT),
            ratio_row(PLUGIN_HOOK, taken, PLUGIN_HOOK, LIMIT),
            ratio_row(DISPLAY, taken, DISPLAY, LIMIT),
            ratio_row(SEND, taken, SEND, LIMIT),
            ratio_row(SEND_TERMINAL, taken, SEND_TERMINAL, LIMIT),
            ratio_row(STATUSLINE, taken, STATUSLINE, LIMIT),
            ratio_row(STATUSLINE_SAME, taken, STATUSLINE_SAME, LIMIT),
            ratio_row(VERSION, taken, VERSION, 0),
        ]

    def _plugin_hook(self) -> float:
        """Call a hook as the client does, by the plugin's own path to the program."""
        path = f"{Path(self._attend).parent}{os.pathsep}{os.environ['PATH']}"
        plugin = str(place.ROOT / "plugin" / "bin" / "attend")
        event = str(self._home.path / "event.json")
        return timing.run([plugin, "hook"], {**inside(self._home), "PATH": path}, event)

    def _display(self) -> float:
        """Show the second lines of an answer; the first are put down before."""
        shown = {
            "hook_event_name": "MessageDisplay",
            "session_id": _SESSION,
            "message_id": f"m-{next(self._tokens)}",
            "final": False,
            "delta": "A line of an answer.\nAnd another one.\n",
        }
        for index in (0, 1):
            Path(self._shown).write_text(json.dumps({**shown, "index": index}))
            taken = timing.run([self._attend, "hook"], inside(self._home), self._shown)
        return taken

    def _statusline(self) -> float:
        """Draw the line after an answer."""
        tokens = next(self._tokens)
        stated = {
            "session_id": _SESSION,
            "model": {"id": "claude-opus-5-5", "display_name": "Opus 5.5"},
            "version": "2.1.328",
            "cost": {"total_cost_usd": 0.76},
            "context_window": {
                "total_input_tokens": tokens,
                "context_window_size": 1_000_000,
                "current_usage": {"cache_read_input_tokens": tokens},
                "used_percentage": 6,
            },
        }
        Path(self._stated).write_text(json.dumps(stated))
        return timing.run(self._line, inside(self._home), self._stated)


class Hostile(Figure):
    """The same among 300 distributions, one of which runs something at every start."""

    name = "hostile"
    repeats = 3

    def prepare(self, stack: ExitStack, options: Options) -> None:
        """Make such an environment."""
        self._home = place.Home(options.folder / "hostile")
        self._attend = hostile.environment(options.folder / "venv")
        ready(stack, self._home)

    def samplers(self) -> Mapping[str, Sampler]:
        """See `Figure.samplers`."""
        return hot_samplers(self._home, self._attend, _AMONG)

    def rows(self, taken: Taken) -> Sequence[Row]:
        """See `Figure.rows`."""
        return [ratio_row(name + _AMONG, taken, name + _AMONG, LIMIT) for name in (HOOK, SEND)]


_AMONG = ", 300 distributions and a hostile .pth"


def ready(stack: ExitStack, home: place.Home) -> None:
    """Write this process down as a client, and have it and somebody else listened for."""
    for words, env in ((["--as=other"], _outside(home)), ([], inside(home))):
        folder = home.repository("other" if words else "own")
        if not words:
            _record(home, folder)
        reader = timing.Program([place.launcher(), "run", *words], env, folder)
        stack.callback(reader.end)
        if words:
            reader.out.until(place.HEADER)
    _event(home)


def hot_samplers(home: place.Home, attend: str, mark: str) -> dict[str, Sampler]:
    """Return the samplers of hook and send."""
    within, outside = inside(home), _outside(home)
    send = [attend, "send", "--to", "other", "the", "build", "is", "green"]
    event = str(home.path / "event.json")
    return {
        HOOK + mark: lambda: timing.run([attend, "hook"], within, event),
        SEND + mark: lambda: timing.run(send, within),
        SEND_TERMINAL + mark: lambda: timing.run(send, outside),
    }


def inside(home: place.Home) -> dict[str, str]:
    """Return the environment of what this very process calls as a client."""
    return {**home.env, "CLAUDECODE": "1", "CLAUDE_PID": str(os.getpid())}


def _outside(home: place.Home) -> dict[str, str]:
    return {**home.env, "CLAUDE_CONFIG_DIR": str(home.path / "none")}


def _record(home: place.Home, workdir: Path) -> None:
    start = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
    now = int(time.time() * 1000)
    record = {
        "pid": os.getpid(),
        "sessionId": _SESSION,
        "cwd": str(workdir),
        "startedAt": now,
        "procStart": start,
        "version": "2.1.328",
        "kind": "interactive",
        "entrypoint": "cli",
        "pidDomain": f"linux:0:{Path('/proc/self/ns/pid').readlink()}",
        "name": "bench",
        "status": "busy",
        "updatedAt": now,
        "statusUpdatedAt": now,
    }
    path = home.path / ".claude" / "sessions" / f"{os.getpid()}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record))


def _event(home: place.Home) -> None:
    """Write down what a client says to a hook when a person has prompted it."""
    event = {
        "session_id": _SESSION,
        "transcript_path": str(home.path / ".claude" / "projects" / "p" / f"{_SESSION}.jsonl"),
        "cwd": str(home.path / "own"),
        "permission_mode": "default",
        "hook_event_name": "UserPromptSubmit",
        "prompt": "please look at the failing test and repair it",
    }
    (home.path / "event.json").write_text(json.dumps(event))
