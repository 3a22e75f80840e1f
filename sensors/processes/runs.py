"""Brings together what is seen of builds and what is reported, as one session knows them."""

import itertools
import os
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

import anyio.to_thread

from attendd.api import Focus, Neighbour, Report
from sensors.processes import words
from sensors.processes.story import Story
from sensors.processes.walls import Walls
from sensors.processes.words import Run

_NOBODY = "a program outside any session"
_PERSON = "a person"
_SLACK_S = 2.0
"""How far a report and what the system shows of the same process may be apart in time."""


class Runs:
    """The builds that concern one session, each once; `settle` comes first."""

    def __init__(self) -> None:
        self._seen: dict[str, float] = {}
        self._walls = Walls()
        self._home = ("", "")

    async def settle(self, workdir: str) -> None:
        """See where the session's directory really lies; in a thread, its disk may be slow."""
        if self._home[0] != workdir:
            real = await anyio.to_thread.run_sync(os.path.realpath, workdir)
            self._home = (workdir, real)

    def all(
        self,
        stories: Sequence[Story],
        reports: Sequence[Report],
        neighbours: Sequence[Neighbour],
        focus: Focus,
    ) -> list[Run]:
        """Return every build as it concerns the session, what is reported first.

        Args:
            stories: what is seen.
            reports: what `attend build` says.
            neighbours: who may have started it.
            focus: the session.
        """
        self._walls.see(focus.now, focus.wall)
        clients = {each.pid for each in neighbours if each.pid} | {focus.client_pid}
        by_pid = defaultdict[int, list[Report]](list)
        for report in reports:
            for pid in {report.pid, report.child}:
                by_pid[pid].append(report)
        seen, self._seen = self._seen, {}
        runs = []
        for report in reports:
            if not _is_part(report, by_pid, clients):
                story = _story_of(report, stories) if report.lost else None
                run = self._of_report(report, story, neighbours, focus, seen)
                if run.ended is None:
                    self._seen[run.key] = focus.now
                runs.append(run)
        for story in stories:
            if not _is_reported(story, by_pid):
                found = self._of_story(story, neighbours, focus)
                runs += [found] if found else []
        return runs

    def _of_story(
        self, story: Story, neighbours: Sequence[Neighbour], focus: Focus
    ) -> Run | None:
        """Return a build as it concerns the session; ``None`` if it doesn't."""
        mine = focus.client_pid is not None and focus.client_pid in story.above
        if not mine and not focus.is_here(story.folder):
            return None
        by = "this session" if mine else _PERSON if story.terminal else _NOBODY
        if not mine:
            owner = next((n for n in neighbours if n.pid in story.above), None)
            by = words.who(neighbours, owner.session) if owner is not None else by
        return Run(
            key=f"{story.pid}:{story.start}",
            called=story.called,
            where=self._where(story.folder, focus),
            by=by,
            mine=mine,
            began=story.began,
            seen=story.seen,
            ended=story.ended,
            began_at=self._walls.at(story.began),
            seen_at=self._walls.at(story.seen),
            code=story.code,
            final=story.final,
        )

    def _of_report(
        self,
        report: Report,
        story: Story | None,
        neighbours: Sequence[Neighbour],
        focus: Focus,
        seen: dict[str, float],
    ) -> Run:
        mine = report.session == focus.session
        by = "this session" if mine else words.who(neighbours, report.session)
        if not report.session:
            by = "a session that is not known"
        elif not mine and report.session.startswith("tty:"):
            by = _PERSON if report.terminal else _NOBODY
        ended: float | None
        if story is not None:
            last, ended, code, final = story.seen, story.ended, story.code, story.final
        else:
            last, ended, code, final = focus.now, report.ended, report.code, True
            if ended is not None:
                last = ended
            elif report.lost:
                last, ended = seen.get(report.key, report.began), focus.now
        return Run(
            key=report.key,
            called=report.command,
            where=self._where(report.folder, focus),
            by=by,
            mine=mine,
            wished=True,
            began=report.began,
            seen=last,
            ended=ended,
            began_at=report.began_at,
            seen_at=self._walls.at(last) if report.ended_at is None else report.ended_at,
            code=code,
            final=final,
        )

    def _where(self, folder: str, focus: Focus) -> str:
        """Name a directory as seen from the session's own; ``''`` for that one."""
        return "" if folder == str(focus.workdir) else words.where(folder, self._home[1])


def _is_part(
    report: Report, by_pid: Mapping[int, Sequence[Report]], clients: Collection[int | None]
) -> bool:
    """Whether another `attend build` runs this one, with no client in between."""
    above = itertools.takewhile(lambda pid: pid not in clients, report.above)
    return any(
        each is not report and each.pid == pid and _ran(each, report.began, 0.0)
        for pid in above
        for each in by_pid.get(pid, ())
    )


def _is_reported(story: Story, by_pid: Mapping[int, Sequence[Report]]) -> bool:
    """Whether a process is part of what `attend build` runs: pids are used again."""
    return any(
        _is_child(story, each)
        if story.pid == each.child
        else not each.lost and _ran(each, story.began, _SLACK_S)
        for pid in (story.pid, *story.above)
        for each in by_pid.get(pid, ())
    )


def _ran(report: Report, moment: float, slack_s: float) -> bool:
    """Whether what is reported ran at a moment."""
    return report.began <= moment + slack_s and (report.ended is None or report.ended >= moment)


def _story_of(report: Report, stories: Sequence[Story]) -> Story | None:
    """Find what is seen of a command whose reporter ended without a word."""
    return next((each for each in stories if _is_child(each, report)), None)


def _is_child(story: Story, report: Report) -> bool:
    """Whether a process is the command that is reported, and no later one with its pid."""
    if story.pid != report.child:
        return False
    if report.child_start:
        return story.start == report.child_start
    if report.lost:
        return abs(story.began - report.began) < _SLACK_S
    return _ran(report, story.began, _SLACK_S)
