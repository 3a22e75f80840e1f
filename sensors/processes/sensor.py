"""The sensor: which builds concern a session, and what of them it doesn't know already."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from attendd.api import (
    Command,
    Focus,
    Magnitude,
    Observation,
    Report,
    Seconds,
    SensorConfig,
)
from sensors.processes import naming, table, words
from sensors.processes.parties import Party
from sensors.processes.rest import Alarm
from sensors.processes.runs import Runs
from sensors.processes.table import Table
from sensors.processes.words import Run

_CLIENT_SAYS_S = 4.0
"""How long the client itself may take to say that what it kept in the background has ended."""
_AGAIN_S = 1.0
"""How long until the next look at what should be known by now."""
_SLACK_S = 2.0
_NEARLY_S = 0.3
_LEAVING = ("nohup ", "setsid ", "disown")
"""What in a command says that it does not wait for what it starts."""


class ProcessesConfig(SensorConfig, frozen=True, kw_only=True):
    """``[sensors.processes]``.

    Attributes:
        watch: what counts as a build, in place of the built-in list: names of programs, or a
            program and the word that says what it is to do, as ``cargo test``.
        least_s: how long a run must last to be worth a word, unless it fails. The end of what
            `attend build` runs is always told.
    """

    interval_s: Seconds = 30.0
    min_interval_s: Seconds = 5.0
    threshold: Magnitude = 2.0
    decay_threshold: int = 5
    watch: tuple[str, ...] = naming.WATCHED
    least_s: Seconds = 5.0


class ProcessesSensor:
    """Tells of each build that it was started and how it ended, at most once each."""

    def __init__(self, config: ProcessesConfig, source: Table | None = None) -> None:
        self._config = config
        self._table = source
        self._said: dict[str, bool] | None = None
        self._reports_at: Path | None = None
        self._worked_at: float | None = None
        self._rests = False
        self._crowded = False
        self._alarm = Alarm()
        self._runs = Runs()

    async def poll(self, focus: Focus) -> Sequence[Observation]:
        """Compare the builds with those told of."""
        if self._table is None:
            self._table = table.shared(self._config.watch)
        if not focus.activity.awake and focus.activity.worked_at != self._worked_at:
            self._table.outdated()  # by what its turn has left running
        self._worked_at = focus.activity.worked_at
        workdir = str(focus.workdir)
        party = Party(workdir, focus.client_pid, focus.is_here, focus.wake)
        often_s = self._config.min_interval_s if focus.activity.awake else None
        self._table.take(self, party, often_s)
        reports = await focus.reports()
        self._reports_at = focus.reports_at
        runs: list[Run] = []
        if self._said != {} or reports or not self._table.idle(focus.now):
            runs = await self._look(self._table, reports, focus)
        if self._said is None:
            self._said, news = {run.key: run.ended is not None for run in runs}, []
        else:
            news = await self._news(runs, self._said, focus)
            if self._table.crowded(self) and not self._crowded:
                news.append(words.crowded(table.MOST))
        self._crowded = self._table.crowded(self)
        self._alarm.set(self._next_s(runs, self._said or {}, focus), focus.wake)
        over = all(self._said.get(run.key) for run in runs)
        every_s = self._config.interval_s
        self._rests = over and self._table.may_rest(self, focus.wake, every_s)
        return news

    async def _look(self, shared: Table, reports: Sequence[Report], focus: Focus) -> list[Run]:
        neighbours = await focus.neighbours(follow=False)  # they don't end its rest
        pids = (focus.client_pid, *(each.pid for each in neighbours))
        clients = {pid for pid in pids if pid is not None}
        stories = await shared.shared_look(self, focus.now, clients)
        await self._runs.settle(str(focus.workdir))
        return self._runs.all(stories, reports, neighbours, focus)

    def may_rest(self) -> bool:
        """Tell whether no build is followed, and another sensor looks for new ones."""
        return self._rests

    def watches(self) -> Sequence[Path]:
        """Return the folder in which `attend build` reports."""
        return [] if self._reports_at is None else [self._reports_at]

    def snapshot(self) -> Any:  # noqa: ANN401 - whatever JSON can hold
        """Return what was told."""
        return self._said

    def restore(self, state: Any) -> None:  # noqa: ANN401 - what `snapshot` returned
        """Take up what was told.

        Raises:
            msgspec.ValidationError: it is not that.
        """
        self._said = msgspec.convert(state, dict[str, bool] | None)

    async def _news(
        self, runs: Sequence[Run], said: dict[str, bool], focus: Focus
    ) -> list[Observation]:
        commands = await focus.commands() if any(run.mine for run in runs) else ()
        self._said = {run.key: said[run.key] for run in runs if run.key in said}
        news, began = [], list[Run]()
        for run in runs:
            if said.get(run.key) or self._waits(run, commands, focus):
                continue
            if run.ended is not None:
                self._said[run.key] = True
                lasted_s = run.longest_s if run.mine else run.lasted_s
                if run.wished or lasted_s >= self._config.least_s or run.code:
                    news.append(_ended(run, commands))
            elif run.key not in said and run.lasted_s >= self._config.least_s:
                self._said[run.key] = False
                began.append(run)
        aloud = max(1, sum(not run.mine for run in began))
        return news + [words.started(run, among=aloud) for run in began]

    def _next_s(self, runs: Sequence[Run], said: dict[str, bool], focus: Focus) -> float | None:
        """Return when there will be something to tell of what waits; ``None`` of nothing."""
        times = []
        for run in runs:
            if run.ended is not None and not said.get(run.key):
                wait_s = _CLIENT_SAYS_S if run.final else table.SETTLES_S
                times.append(run.ended + wait_s - focus.now)
            elif run.ended is None and run.key not in said:
                times.append(run.began + self._config.least_s - focus.now)
        soonest = min(times, default=None)
        return soonest if soonest is None or soonest > 0 else _AGAIN_S

    def _waits(self, run: Run, commands: Sequence[Command], focus: Focus) -> bool:
        """Whether more will be known of its end, or its client is about to tell of it."""
        if run.ended is None:
            return False
        if not run.final:
            return True
        if not run.mine or focus.now - run.ended >= _CLIENT_SAYS_S:
            return False
        command = _command(run, commands)
        return command is not None and command.background and not command.announced


def _ended(run: Run, commands: Sequence[Command]) -> Observation:
    """Say how it ended: to who started it only what its client has not said."""
    if not run.mine:
        return words.ended(run, own=False, wakes=False)
    command = _command(run, commands)
    waited = command is not None and _was_waited_for(command, run)
    if command is not None and run.code is None and (waited or command.background):
        run = msgspec.structs.replace(run, code=command.code)
    own = waited or (command is not None and command.announced)
    return words.ended(run, own=own, wakes=not own)


def _was_waited_for(command: Command, run: Run) -> bool:
    """Whether the session had the build's end as the result of its own call."""
    if command.background or any(word in command.text for word in _LEAVING):
        return False
    if command.text.rstrip().endswith("&"):
        return False
    return command.ended_at is None or command.ended_at >= run.seen_at - _NEARLY_S


def _command(run: Run, commands: Sequence[Command]) -> Command | None:
    """Find the command of the session's own that a build is part of: the last before it."""
    tool = run.called.partition(" ")[0].strip("'…")
    before = [
        each
        for each in commands
        if each.started_at <= run.began_at + _SLACK_S and tool in each.text
    ]
    return before[-1] if before else None
