"""What the host itself says of this moment, where there is one; never waited for long."""

from collections.abc import Sequence
from typing import Any

import msgspec

from attendd.cli import output, reasons, words
from attendd.cli.state import Host, State
from attendd.errors import AttendError
from attendd.store import Health

BRIEFLY_S = 0.3
"""How long a view that is drawn again each second waits for an answer."""


class Said(msgspec.Struct, frozen=True):
    """What a host answered.

    Attributes:
        answer: as JSON has it; ``None`` where nobody answers, as an earlier release doesn't.
        problem: why it owes an answer, in a sentence; empty if it does not.
    """

    answer: Any = None
    problem: str = ""


def asked(host: Host | None, question: str, patience_s: float = 0.0) -> Said:
    """Ask the host, if there is one."""
    if host is None:
        return Said()
    from attendd import control  # its sockets cost more than all else that a look loads

    try:
        return Said(control.ask(control.Ask(question), patience_s or control.PATIENCE_S))
    except control.NoAnswerError as error:
        return Said(problem=f"the host, pid {host.pid}, is stuck or overloaded: {error}")


def sensors(said: Said) -> dict[str, list[Health]]:
    """Return how the sensors of each attachment fare, from an answer to ``top``."""
    try:
        return msgspec.convert(said.answer["attended"], type=dict[str, list[Health]])
    except (TypeError, KeyError, msgspec.ValidationError):  # none, or another release's
        return {}


class Hold(msgspec.Struct, frozen=True):
    """Why something waits; see `attendd.engine.outlook.Hold`."""

    code: str
    text: str = ""
    number: str = ""


class Sensor(Health, frozen=True, kw_only=True):
    """How a sensor fares, and what of it waits for what."""

    holds: tuple[Hold, ...] = ()


class Session(msgspec.Struct, frozen=True):
    """An attended session and its sensors."""

    session: str
    workdir: str
    sensors: list[Sensor]


def held(state: State, sessions: Sequence[str]) -> list[Session]:
    """Return what each sensor of some sessions, or of all, holds back now, and looks next.

    Raises:
        AttendError: no host answers, or none that can be understood.
    """
    host = state.host()
    said = asked(host, "why")
    try:
        found = msgspec.convert(said.answer["sessions"], type=list[Session])
    except (TypeError, KeyError, msgspec.ValidationError):
        why = said.problem or ("nobody is the host" if host is None else "the host is silent")
        raise AttendError(
            why, hint="`attend why --silence` tells what the store knows"
        ) from None
    return [each for each in found if not sessions or each.session in sessions]


def print_held(sessions: Sequence[Session]) -> int:
    """Print it for people; return the exit code."""
    for session in sessions:
        title = f"{words.short(session.session)} ({words.place(session.workdir)})"
        body = [row for sensor in session.sensors for row in _rows(sensor)]
        output.rows(title, ("sensor", "looks", "has", "held by", "latest"), body)
    if not sessions:
        print("no session is attended now, so nothing is held")
    return 0


def _rows(sensor: Sensor) -> list[list[str]]:
    looks = "now" if sensor.next_at is None else words.ago(sensor.next_at)
    row = [sensor.sensor, looks, words.of_enough(sensor.pending, sensor.threshold)]
    if sensor.state == "failing":
        return [[*row, f"it fails: {sensor.detail}", ""]]
    if not sensor.holds:
        return [[*row, "", ""]]
    return [[*row, _why(each), output.brief(each.text)] for each in sensor.holds]


def _why(hold: Hold) -> str:
    number = f" ({hold.number})" if hold.number else ""
    return f"{reasons.said(hold.code)}{number}"
