"""`attend demo`: what an agent would be told in one minute of its life, with nothing set up.

The lines are real: a real `attend run` in a scratch repository, real git, attend's own gates
with their own numbers. Only the session is pretended (see `attendd.cli.stage`).
"""

import argparse
import os
import selectors
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from attendd.cli import output, table
from attendd.cli.silence import silences
from attendd.cli.stage import Stage, left_behind, remove
from attendd.cli.state import State
from attendd.errors import AttendError
from attendd.hot import frame

LENGTH_S = 66.0
_END_S = 2.0
"""How long `attend run` may take to end before it is killed."""

_NARROWEST = 20
_WIDEST = 10_000
_COLLEAGUE = "Mira"
_TEACHING = "[attend sensor=disclosure"
_TAUGHT = (
    "First attend tells the agent what such lines are and what it can do with attend. It says"
    " so once, and again when that is far back in the conversation. A line that an agent gets"
    " stands behind a >."
)


class Scene(NamedTuple):
    """Something that happens: when, what a person is told about it, and how it is done."""

    at_s: float
    said: str
    act: Callable[[Stage], None]


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes: nothing."""
    parser.epilog = "It needs git and a minute, leaves nothing behind, and Ctrl-C ends it."


def run(args: argparse.Namespace) -> int:
    """Play the minute.

    Raises:
        AttendError: git is missing, or `attend run` did not start.
    """
    del args
    with _ended_politely():
        return play(SCENES, LENGTH_S)


def play(scenes: Sequence[Scene], length_s: float) -> int:
    """Play scenes before a real `attend run`, and show what it says.

    Args:
        scenes: in the order of their times.
        length_s: when the curtain falls.

    Raises:
        AttendError: git is missing, or `attend run` did not start.
    """
    for left in left_behind():
        remove(left)
    stage = Stage()
    try:
        stage.insist_on_git()
        _tell(0.0, f"A session works in {stage.repository}. attend starts beside it.")
        stage.build()
        with _attending(stage) as child:
            _perform(stage, child, scenes, length_s)
        _explain(stage, length_s)
    finally:
        stage.strike()
    _tell(length_s, "The scratch folder is gone. In earnest: `attend run`, or the plugin.")
    return 0


def _perform(
    stage: Stage, child: "subprocess.Popen[bytes]", scenes: Sequence[Scene], length_s: float
) -> None:
    started = time.monotonic()
    waiting = list(scenes)
    taught = False
    output = _Lines(child)
    while (now := time.monotonic() - started) < length_s:
        if waiting and waiting[0].at_s <= now:
            scene = waiting.pop(0)
            _tell(now, scene.said)
            scene.act(stage)
            continue
        until = min(length_s, waiting[0].at_s if waiting else length_s)
        for line in output.within(until - now):
            at_s = time.monotonic() - started
            if not taught and line.startswith(_TEACHING):
                _tell(at_s, _TAUGHT)
                taught = True
            _quote(at_s, line)
        if output.ended:
            raise _stopped_early(stage)


class _Lines:
    """The lines of a child's stdout, as they come."""

    def __init__(self, child: "subprocess.Popen[bytes]") -> None:
        assert child.stdout is not None  # noqa: S101 - it was started with a pipe
        self._fd = child.stdout.fileno()
        self._rest = b""
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._fd, selectors.EVENT_READ)
        self.ended = False

    def within(self, seconds: float) -> list[str]:
        """Wait at most so long for something to read, and return its whole lines."""
        if not self._selector.select(max(0.0, seconds)):
            return []
        data = os.read(self._fd, 65536)
        self.ended = not data
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [line.decode("utf-8", "replace") for line in lines]


@contextmanager
def _attending(stage: Stage) -> Iterator["subprocess.Popen[bytes]"]:
    """Run `attend run` in the scratch repository."""
    main = Path(__file__).parents[1] / "hot" / "main.py"
    with (stage.root / "attend.log").open("wb") as log:
        child = subprocess.Popen(
            [sys.executable, "-I", "-S", str(main), "run", *stage.options],
            cwd=stage.repository,
            env=stage.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,  # Ctrl-C is for us; we end it ourselves
        )
    try:
        yield child
    finally:
        _end(child)


def _end(child: "subprocess.Popen[bytes]") -> None:
    """End a child that we started, by its own pid."""
    if child.stdout is not None:
        child.stdout.close()
    with suppress(ProcessLookupError):
        child.terminate()
    try:
        child.wait(_END_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _stopped_early(stage: Stage) -> AttendError:
    said = (stage.root / "attend.log").read_text(errors="replace").strip().splitlines()
    last = f": {said[-1]}" if said else ""
    return AttendError(f"`attend run` ended before its time{last}")


@contextmanager
def _ended_politely() -> Iterator[None]:
    """Clean up as well when asked to end as when interrupted."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise KeyboardInterrupt

    before = {s: signal.signal(s, interrupt) for s in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _explain(stage: Stage, at_s: float) -> None:
    """Show what was not said, and why: the journal answers for the whole minute."""
    before = os.environ.get("ATTEND_HOME")
    os.environ["ATTEND_HOME"] = stage.environment()["ATTEND_HOME"]
    try:
        quiet = silences(State(), [stage.session], 10)[0]["quiet"]
    finally:
        os.environ.pop("ATTEND_HOME")
        if before is not None:
            os.environ["ATTEND_HOME"] = before
    for entry in quiet:
        text = output.brief(entry["text"])
        _tell(at_s, f"Noticed and not told, by {entry['sensor']}: {text}: {entry['meaning']}.")


def _tell(at_s: float, text: str) -> None:
    _print(at_s, text)


def _quote(at_s: float, line: str) -> None:
    _print(at_s, f"> {line}")


def _print(at_s: float, text: str) -> None:
    """Print a text behind its time; a line of the session's is shown as the session sees it."""
    stamp = f"{int(at_s // 60)}:{int(at_s % 60):02}  "
    room = max(_NARROWEST, (table.width_of() or _WIDEST) - len(stamp))
    for line in textwrap.wrap(frame.inert(text), room) or [""]:
        print(stamp + line, flush=True)
        stamp = " " * len(stamp)


def _own_commit(stage: Stage) -> None:
    call = stage.tool_call("git commit -am 'Turn the lamp'", tokens=385_000)
    stage.write("lamp.py", "HEIGHT_M = 42\nTURNS_PER_MINUTE = 6\n")
    stage.git("commit", "--quiet", "--all", "--message=Turn the lamp")
    stage.tool_result(call)
    stage.answer(tokens=390_000)


def _foreign_commit(stage: Stage) -> None:
    stage.write("foghorn.py", "PITCH_HZ = 180\n")
    stage.git("add", "foghorn.py")
    stage.git("commit", "--quiet", "--message=Add a foghorn", by=_COLLEAGUE)


def _foreign_branch(stage: Stage) -> None:
    stage.git("switch", "--quiet", "--create", "storm-warning", by=_COLLEAGUE)


def _fill(stage: Stage) -> None:
    stage.answer(tokens=520_000)


def _burst(stage: Stage) -> None:
    for number in range(12):
        stage.write(f"chart_{number:02}.txt", f"chart {number}\n")


def _work_on(stage: Stage) -> None:
    stage.tool_result(stage.tool_call("ls", tokens=525_000))
    stage.answer(tokens=530_000)


SCENES = (
    Scene(5, "The session itself commits. It knows: that is not news.", _own_commit),
    Scene(11, f"{_COLLEAGUE} commits in the same work tree.", _foreign_commit),
    Scene(14, f"{_COLLEAGUE} switches the branch.", _foreign_branch),
    Scene(28, "The session has read a lot: half of its context window is full.", _fill),
    Scene(38, "A script drops twelve new files.", _burst),
    Scene(46, "The session goes on working.", _work_on),
)
"""The minute."""
