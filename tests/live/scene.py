"""A session of the real client with attend beside it, and what a test asks of the two."""

import html
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tests.live.box import ROOT, Box, eventually, throw_away
from tests.live.client import Client
from tests.live.scripted_api import Asked, ScriptedApi
from tests.live.wire import Answer

SOON_S = 30.0
"""Within which anything that is to happen must have happened; a busy machine is no failure."""

QUIET_S = float(os.environ.get("ATTEND_LIVE_QUIET_S", "300"))
"""How long a session without a prompt is watched for a request it must not make."""

EVENT = re.compile(r"<event>(.*?)</event>", re.DOTALL)
TOLD = re.compile(r"^\[attend sensor=\S+ priority=\S+\] .*$", re.MULTILINE)
TEACHING = "sensor=disclosure"
LONG = "A long answer. " * 40


def told(asked: Asked) -> list[str]:
    """Every line of attend that came into the conversation as an event, oldest first."""
    bodies = (html.unescape(body) for body in EVENT.findall(asked.whole()))
    return [line for body in bodies for line in TOLD.findall(body)]


def has_told(sensor: str, text: str, asked: Asked) -> bool:
    """Whether a sensor's line with a text is among the events of a request."""
    return any(f"sensor={sensor} " in line and text in line for line in told(asked))


@dataclass
class Scene:
    """A running session, its model and its surroundings."""

    api: ScriptedApi
    box: Box
    client: Client

    @property
    def session(self) -> str:
        """The client's id of its session."""
        return str(self.client.record()["sessionId"])

    def prompt(self, text: str, answer: Answer | None = None) -> Asked:
        """Type a prompt, and return the request that carries it; ``answer`` is the model's."""
        if answer is not None:
            self.api.cue(re.escape(text), answer)
        before = self.last()
        self.client.type(text)
        return self.await_asked(lambda one: text in one.news(), after=before)

    def last(self) -> int:
        """The number of the conversation's last request so far; 0 before the first."""
        return max((one.number for one in self.api.asked()), default=0)

    def await_asked(self, wanted: object, *, after: int = 0) -> Asked:
        """Wait for a request of the conversation, or fail with all that is known."""
        assert callable(wanted)
        found = self.api.wait_asked(wanted, SOON_S, after=after)
        assert found is not None, self.state()
        return found

    def await_event(self, sensor: str, text: str, *, after: int = 0) -> Asked:
        """Wait until a sensor's line has come into the conversation."""
        return self.await_asked(lambda one: has_told(sensor, text, one), after=after)

    def await_queued(self, text: str, *, times: int = 1, within_s: float = SOON_S) -> None:
        """Wait until the client has taken lines of attend for the conversation."""

        def queued() -> bool:
            rows = self.client.transcript()
            taken = [row for row in rows if row.get("operation") == "enqueue"]
            return sum(text in html.unescape(row["content"]) for row in taken) >= times

        assert eventually(queued, within_s), self.state()

    def compact(self) -> None:
        """Have the conversation compacted, and wait until it is."""

        def compacted() -> bool:
            rows = self.client.transcript()
            return any(row.get("subtype") == "compact_boundary" for row in rows)

        self.client.type("/compact")
        assert eventually(compacted, SOON_S), self.state()
        self.client.wait_resting()

    def await_looks(self) -> None:
        """Wait until every sensor has had its first look, which others are compared with."""

        def looked() -> bool:
            try:
                sessions = json.loads(self.box.attend("sensors", "--json").stdout)["sessions"]
            except (ValueError, KeyError):
                return False
            looks = [each["polled_at"] for one in sessions for each in one["sensors"]]
            return bool(looks) and all(looks)

        assert eventually(looked, SOON_S), self.state()

    def await_journal(self, sensor: str, code: str) -> None:
        """Wait until attend's journal has this of a sensor: ``own``, ``held.idle``, …"""

        def found() -> bool:
            return any((row["sensor"], row["code"]) == (sensor, code) for row in self.journal())

        assert eventually(found, SOON_S), self.state()

    def journal(self) -> list[dict[str, Any]]:
        """The rows of attend's journal, oldest first."""
        done = self.box.attend("log", "--json")
        try:
            rows: list[dict[str, Any]] = json.loads(done.stdout)["entries"]
        except (ValueError, KeyError):
            return []
        return rows

    def reader_runs(self) -> bool:
        """Whether attend knows of a living `attend run` of this session."""
        return self.readers() > 0

    def readers(self) -> int:
        """How many sessions attend knows a living `attend run` of."""
        sessions = json.loads(self.box.attend("status", "--json").stdout)["sessions"]
        listeners = [one["listener"] for one in sessions]
        return sum(one["listening"] and one["conduit"] != "hook" for one in listeners)

    def state(self) -> str:
        """What is known, for a person who reads of a failure."""
        log = self.box.root / "attend" / "state" / "hook.log"
        outputs = sorted((self.box.root / "tmp").rglob("tasks/*.output"))
        parts = {
            "screen": self.client.drawn()[-1500:],
            "asked": "\n".join(f"{a.number}: {a.news()[-600:]}" for a in self.api.asked()),
            "processes": "\n".join(f"{p} {c[:160]}" for p, c in self.box.processes().items()),
            "status": self.box.attend("status").stdout,
            "journal": self.box.attend("log").stdout[-6000:],
            "monitors": "\n".join(path.read_text()[-2000:] for path in outputs),
            "hook.log": log.read_text(encoding="utf-8") if log.exists() else "",
        }
        return "\n".join(f"--- {name}\n{text}" for name, text in parts.items())


class Unprompted(NamedTuple):
    """A session that nobody has typed at, and since when on ``time.monotonic``'s clock."""

    scene: Scene
    since: float


@dataclass(frozen=True)
class Setting:
    """How a session is set up.

    Attributes:
        plugin: ``installed`` from this clone, ``copied`` (loaded from a copy, with no attend to
            be found anywhere), or ``""``: none.
        allowed: rules of what may run without a question; ``None``: everything may.
        config: what attend's configuration file says.
        sandbox: whether the client runs what its model asks for in its sandbox.
        besides: other plugins of this clone that are installed, too.
        twice: whether the plugin's hooks stand in the person's settings as well.
    """

    plugin: str = "installed"
    allowed: tuple[str, ...] | None = None
    config: str = ""
    sandbox: bool = False
    besides: tuple[str, ...] = ()
    twice: bool = False


@contextmanager
def scene(claude: Path, log: Path, setting: Setting) -> Iterator[Scene]:
    """Start a session and end it. Nothing may be left of it then.

    Args:
        claude: the client's program.
        log: where the API writes what it was asked.
        setting: how the session is set up.
    """
    with ScriptedApi(log) as api, throw_away(api.url) as box:
        flags = prepare(claude, box, setting)
        with Client(claude, box, *flags) as client:
            client.wait_resting()
            yield Scene(api, box, client)
        assert eventually(lambda: not box.processes(), 5.0), box.processes()


def prepare(claude: Path, box: Box, setting: Setting) -> list[str]:
    """Set up a box, and return the client's arguments."""
    box.configure(setting.config)
    flags = []
    settings: dict[str, Any] = {"sandbox": {"enabled": setting.sandbox}}
    if setting.allowed is None:
        flags.append("--dangerously-skip-permissions")
    else:
        flags += ["--permission-mode", "default"]
        settings["permissions"] = {"allow": list(setting.allowed)}
    if setting.twice:
        hooks = (ROOT / "plugin" / "hooks" / "hooks.json").read_text(encoding="utf-8")
        programs = hooks.replace("${CLAUDE_PLUGIN_ROOT}/bin", str(box.programs))
        settings |= {"hooks": json.loads(programs)["hooks"]}
    (box.client_dir / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    if setting.plugin == "installed":
        install(claude, box)
        for name in setting.besides:
            box.run(str(claude), "plugin", "install", f"{name}@attend")
    elif setting.plugin == "copied":
        copy = box.root / "a copy" / "plugin"
        shutil.copytree(ROOT / "plugin", copy)
        box.programs = box.root / "programs"
        flags += ["--plugin-dir", str(copy)]
    return flags


def install(claude: Path, box: Box) -> None:
    """Install the plugin as a person would from a clone, by two commands."""
    box.run(str(claude), "plugin", "marketplace", "add", str(ROOT))
    box.run(str(claude), "plugin", "install", "attend@attend")
