"""The script of a day: what happens to each of three sessions, and the clients they run in."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from attendd.api import Activity, Focus, Observation, SensorConfig, SensorType, Status
from attendd.harness import ClaudeHarness, NoView, SessionView
from attendd.hot import places
from tests.fakes_clock import SimClock
from tests.unit.day import SENSORS, happenings
from tests.unit.test_day import DAY

BEGIN_S = 7 * 3600.0
SESSIONS = ("one", "two", "three")

_APART_S = 420.0
"""How much later each session has the day of the one before."""
_MOODS = {
    "new": Activity(status=Status.IDLE, prompted=False),
    "idle": Activity(status=Status.IDLE),
    "busy": Activity(status=Status.BUSY),
}


class Script:
    """What happens to each session, and when."""

    def __init__(self) -> None:
        rows = happenings(DAY)
        self._rows = {
            name: [(at + n * _APART_S, who, what) for at, who, what in rows]
            for n, name in enumerate(SESSIONS)
        }

    def mood(self, session: str, now: float) -> Activity:
        """Return what a session does."""
        past = [what for at, who, what in self._rows[session] if who == "session" and at <= now]
        return _MOODS[str(past[-1])] if past else _MOODS["new"]

    def between(self, session: str, who: str, since: float, now: float) -> list[Observation]:
        """Return what a sensor finds that looks again."""
        return [
            what
            for at, said_by, what in self._rows[session]
            if said_by == who and since < at <= now and isinstance(what, Observation)
        ]


class Scripted(NoView):
    """A session's files, by the script."""

    def __init__(self, session: str, script: Script, now: SimClock, transcript: str) -> None:
        super().__init__(session)
        self.transcript = transcript
        self._script = script
        self._now = now

    def activity(self) -> Activity:
        """See `SessionView.activity`."""
        return self._script.mood(self.session, self._now.now())


class ScriptedHarness(ClaudeHarness):
    """Clients by the script, none of which is anywhere to be seen."""

    def __init__(self, script: Script, now: SimClock) -> None:
        super().__init__(Path(places.client_dir()))
        self._script = script
        self._now = now
        self._transcript = Path(places.home()) / "transcript"
        self._transcript.touch()

    def watch_paths(self) -> Sequence[Path]:
        """See `Harness.watch_paths`."""
        return []

    def view(  # type: ignore[override]
        self,
        session: str,
        client_pid: int | None,  # noqa: ARG002 - Harness's
        client_start: str,  # noqa: ARG002 - Harness's
        workdir: str,  # noqa: ARG002 - Harness's
        transcript: str = "",  # noqa: ARG002 - Harness's
    ) -> SessionView:
        """See `Harness.view`."""
        return Scripted(session, self._script, self._now, str(self._transcript))


def sensors(script: Script) -> Iterable[SensorType]:
    """Return the sensors of the script."""
    for name, shape in SENSORS.items():

        class Config(SensorConfig, frozen=True, kw_only=True):
            interval_s: float = shape.interval_s
            min_interval_s: float = shape.min_interval_s
            threshold: float = shape.threshold
            decay_threshold: int = shape.decay_threshold

        class Sensor:
            def __init__(self, _config: Config, name: str = name) -> None:
                self._name, self._since = name, BEGIN_S

            async def poll(self, focus: Focus) -> Sequence[Observation]:
                since, self._since = self._since, focus.now
                return script.between(focus.session, self._name, since, focus.now)

        yield SensorType(name, "is by the script", Config, Sensor)
