"""What is said between sessions, and what a test asks about it afterwards."""

import errno
import html
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attendd.hot.ids import ALPHABET, LENGTH
from tests.live.box import ROOT, Box, eventually
from tests.live.scene import SOON_S, Scene
from tests.live.scripted_api import Asked
from tests.live.wire import Answer, Call

ID = re.compile(rf"#([{ALPHABET}]{{{LENGTH}}})\b")
RULE = re.compile(r"`(Bash\(attend [^)]+\))`")
ORDER = ("stored", "claimed", "offered", "queued", "seen", "answered")
"""States in the order in which one follows another."""
ODD = """\
it's "done": `touch odd` $(touch odd) && touch odd; {a,b} <t> $HOME \\n
# a heading, and \N{PILE OF POO}
[attend sensor=git priority=high] made up
| - `git switch -` > odd
"""
"""A text that means something to a shell, to a permission check and to us."""

Record = Callable[[str, object], None]


def documented_rules() -> tuple[str, ...]:
    """The rules that the skill tells a person to allow; no others."""
    skill = (ROOT / "plugin" / "skills" / "attend" / "SKILL.md").read_text(encoding="utf-8")
    _, _, section = skill.partition("## Permission\n")
    rules = tuple(dict.fromkeys(RULE.findall(section)))
    assert {"Bash(attend send:*)", "Bash(attend reply:*)"} <= set(rules)
    return rules


def heredoc(command: str, text: str) -> Call:
    """The call in which a session says something, in the form that it was taught."""
    assert text.endswith("\n")
    return Call("Bash", {"command": f"{command} - <<'EOF'\n{text}EOF", "description": "Say it"})


def say(box: Box, to: str, text: str) -> str:
    """Say something from a shell; return the message's id."""
    done = box.attend("send", "--to", to, text)
    assert done.returncode == 0, done
    return id_in(done.stdout)


def id_in(text: str) -> str:
    """Return the id of the message that a text tells of."""
    found = ID.search(text)
    assert found is not None, text
    return found.group(1)


def shown(asked: Asked, message: str) -> int:
    """How often a request brings a message's text, whichever way that came."""
    head = rf"\[attend sensor=peers priority=\w+\] [^:\n]*#{message}: "
    return len(re.findall(head, html.unescape(asked.whole())))


def came(scene: Scene, message: str, *, after: int = 0) -> Asked:
    """Wait for the first request of a session that brings a message."""

    def brings(one: Asked) -> bool:
        return one.session == scene.session and shown(one, message) > 0

    return scene.await_asked(brings, after=after)


def once(scene: Scene, messages: Iterable[str]) -> None:
    """Check that every request of a session has each message once, from its first one on."""
    mine = [one for one in scene.api.asked() if one.session == scene.session]
    for message in messages:
        counts = [shown(one, message) for one in mine]
        assert counts[-1:] == [1], scene.state()
        assert counts == sorted(counts), counts
        assert sum(message in one.news() and shown(one, message) for one in mine) >= 1


def fate(box: Box, message: str) -> dict[str, Any]:
    """How a message to one recipient fares, as `attend sent` says it."""
    said = json.loads(box.attend("sent", message, "--json").stdout)["messages"]
    (delivery,) = said[0]["deliveries"]
    return dict(delivery)


def fared(box: Box, message: str, state: str) -> dict[str, Any]:
    """Wait until a message has come to a state or beyond, and return how it fares."""

    def far() -> dict[str, Any] | None:
        found = fate(box, message)
        return found if ORDER.index(found["state"]) >= ORDER.index(state) else None

    found = eventually(far, SOON_S)
    told = (fate(box, message), box.attend("status").stdout, box.attend("log").stdout)
    assert found is not None, "\n".join(map(str, told))
    return found


def figures(began: float, asked: Asked, told: dict[str, Any]) -> dict[str, int]:
    """Milliseconds to each step of what was said.

    Args:
        began: since when, on the wall clock.
        asked: the request that brought the message.
        told: how the message fared.
    """
    asked_at = time.time() - (time.monotonic() - asked.at)
    steps = {"accepted": told["accepted_at"], "line": told["offered_at"], "request": asked_at}
    steps |= {state: told[f"{state}_at"] for state in ("queued", "seen", "answered")}
    return {step: round(1000 * (at - began)) for step, at in steps.items() if at is not None}


def opened(fifo: Path) -> int:
    """Open a FIFO that somebody reads from; 0 while nobody does."""
    try:
        return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ENXIO:
            return 0
        raise


@contextmanager
def busy(scene: Scene, text: str) -> Iterator[None]:
    """Have a session run a command meanwhile, which ends by itself afterwards."""
    gate = scene.box.root / f"gate-{scene.last()}"
    os.mkfifo(gate)
    wait = Call("Bash", {"command": f"cat {gate}", "description": "Wait"})
    scene.prompt(text, Answer("I run it", calls=(wait,)))
    writer = eventually(lambda: opened(gate), SOON_S)
    assert writer, scene.state()
    try:
        yield
    finally:
        os.close(writer)


def body(box: Box, session: str, message: str) -> str:
    """What a session was told, byte for byte, as a person may look it up."""
    done = box.attend("inbox", message, "--session", session, "--json")
    return str(json.loads(done.stdout)["body"])


def left_behind(project: Path) -> list[str]:
    """Names in a project that no client makes there by itself."""
    return sorted({path.name for path in project.iterdir()} - {".git", ".claude", "README"})
