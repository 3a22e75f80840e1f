"""Brings together what is seen of builds and what is reported, as one session knows them."""

import itertools
import os
from collections.abc import Collection, Sequence

from attendd.api import Focus, Neighbour, Report
from sensors.processes import words
from sensors.processes.story import Story
from sensors.processes.words import Run

_NOBODY = "a program outside any session"
_PERSON = "a person"
_SLACK_S = 2.0
"""How far a report and what the system shows of the same process may be apart."""


class Runs:
    """The builds that concern one session, each once."""

    def __init__(self) -> None:
        self._seen: dict[str, float] = {}
        self._home = ("", "")

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
        clients = {each.pid for each in neighbours if each.pid} | {focus.client_pid}
        seen, self._seen = self._seen, {}
        runs = []
        for report in reports:
            if not _is_part(report, reports, clients):
                story = _story_of(report, stories, focus) if report.lost else None
                run = self._of_report(report, story, neighbours, focus, seen)
                if run.ended is None:
                    self._seen[run.key] = focus.now
                runs.append(run)
        for story in stories:
            if not _is_reported(story, reports, focus):
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
        began = focus.now - max(0.0, focus.wall - report.began_at)
        ended: float | None
        if story is not None:
            last, ended, code, final = story.seen, story.ended, story.code, story.final
        else:
            last, ended, code, final = focus.now, None, report.code, True
            if report.ended_at is not None:
                last = ended = focus.now - max(0.0, focus.wall - report.ended_at)
            elif report.lost:
                last, ended = seen.get(report.key, began), focus.now
        return Run(
            key=report.key,
            called=report.command,
            where=self._where(report.folder, focus),
            by=by,
            mine=mine,
            wished=True,
            began=began,
            seen=last,
            ended=ended,
            code=code,
            final=final,
        )

    def _where(self, folder: str, focus: Focus) -> str:
        """Name a directory as seen from the session's own; ``''`` for that one."""
        workdir = str(focus.workdir)
        if folder == workdir:
            return ""
        if self._home[0] != workdir:
            self._home = (workdir, os.path.realpath(workdir))
        return words.where(folder, self._home[1])


def _is_part(
    report: Report, reports: Sequence[Report], clients: Collection[int | None]
) -> bool:
    """Whether another `attend build` runs this one, with no client in between."""
    above = set(itertools.takewhile(lambda pid: pid not in clients, report.above))
    return any(
        each is not report
        and each.pid in above
        and each.began_at <= report.began_at
        and (each.ended_at is None or each.ended_at >= report.began_at)
        for each in reports
    )


def _is_reported(story: Story, reports: Sequence[Report], focus: Focus) -> bool:
    """Whether a process is part of what `attend build` runs: pids are used again."""
    began_at = focus.wall - (focus.now - story.began)
    return any(
        not {each.pid, each.child}.isdisjoint((story.pid, *story.above))
        and each.began_at <= began_at + _SLACK_S
        and (each.ended_at is None or each.ended_at >= began_at)
        and (not each.lost or _is_child(story, each, began_at))
        for each in reports
    )


def _story_of(report: Report, stories: Sequence[Story], focus: Focus) -> Story | None:
    """Find what is seen of a command whose reporter ended without a word."""
    ahead_s = focus.wall - focus.now
    found = (each for each in stories if _is_child(each, report, each.began + ahead_s))
    return next(found, None)


def _is_child(story: Story, report: Report, began_at: float) -> bool:
    return story.pid == report.child and abs(began_at - report.began_at) < _SLACK_S
