"""Decides when to look at a repository, and who did what was seen."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import anyio
import anyio.to_thread
import msgspec

from attendd.api import Focus, Magnitude, Observation, Seconds, SensorConfig
from sensors.git import limits, when
from sensors.git.compare import (
    came,
    changed_files,
    compare,
    newly_changed,
    place_changed,
    replaced,
)
from sensors.git.look import Look, Repo, repo_at
from sensors.git.model import Change, Commits, Seen, Survey, Tree
from sensors.git.place import folders, survey_near
from sensors.git.whose import others

SHARED_S = 2.0
"""A look may be so old in any case: sessions that are touched together look once."""
AWAKE_LOOK_S = 300.0
"""How often the files of a work tree are looked at while nothing else calls for it."""

_CAVEAT = 2


class GitConfig(SensorConfig, frozen=True, kw_only=True):
    """``[sensors.git]``.

    Attributes:
        dirty_files: the burst of newly changed files that is worth a remark of its own.
        status_limit_s: how long ``git status`` may take; where it takes longer, files are not
            looked at and it is tried again after 10 min, then more and more rarely.
    """

    interval_s: Seconds = 30.0
    min_interval_s: Seconds = 10.0
    threshold: Magnitude = 2.0
    decay_threshold: int = 4
    dirty_files: Annotated[int, msgspec.Meta(ge=1)] = 20
    status_limit_s: Seconds = 5.0


class GitSensor:
    """Tells what happens in a session's repository and was not done by the session itself.

    A poll stats some twenty files. Git runs only when one of these changed, when the session
    has been at work since the last look, or every `AWAKE_LOOK_S` while it is awake.
    """

    def __init__(self, config: GitConfig) -> None:
        self._config = config
        self._seen: Seen | None = None
        self._looked_at: float | None = None
        self._repo: Repo | None = None
        self._workdir = Path("/")
        self._watches: Sequence[Path] = ()
        self._surveying = False
        self._gone = False

    async def poll(self, focus: Focus) -> Sequence[Observation]:
        """Compare the repository with the last look; the first look is the baseline."""
        found = await self._survey(focus.workdir)
        self._follow(focus.workdir, found)
        if found is None:
            return await self._without_repository(focus)
        look = await self._look(found, focus)
        if look is None:
            known = self._seen.tree if self._seen else None
            await self._watch(found, known.upstream if known else "")
            return []
        if await self._survey(focus.workdir) is None:  # it went while it was looked at
            return await self._without_repository(focus)
        told = [] if self._seen is None else await self._changes(self._seen, look, focus)
        told += self._caveat(look)
        self._watches = ()
        await self._watch(found, look.tree.upstream)
        said = self._seen.said if self._seen else ()
        self._seen = Seen(
            workdir=str(focus.workdir),
            tree=look.tree,
            stamps=look.stamps,
            wall=look.started_wall,
            said=(*said[-9:], look.caveat) if look.caveat not in ("", *said) else said,
            caveat=look.caveat,
        )
        self._looked_at = look.started
        return told

    def watches(self) -> Sequence[Path]:
        """Return the folders in which git keeps HEAD, refs and index."""
        return self._watches or (self._workdir / ".git",)

    def limits(self) -> str:
        """Say what it can't see, and what helps."""
        if self._seen is None:
            return ""
        if self._gone:
            return limits.of_gone(self._workdir)
        return limits.of_caveat(self._seen.caveat) if self._seen.tree else limits.NOWHERE

    def snapshot(self) -> Any:  # noqa: ANN401 - whatever JSON can hold
        """Return the last look; ``None`` before the first, and where a path is no text."""
        try:
            return msgspec.json.decode(msgspec.json.encode(self._seen))
        except UnicodeEncodeError:
            return None

    def restore(self, state: Any) -> None:  # noqa: ANN401 - what `snapshot` returned
        """Take up an earlier look.

        Raises:
            msgspec.ValidationError: it is not one.
        """
        self._seen = msgspec.convert(state, Seen | None)

    async def _survey(self, workdir: Path) -> Survey | None:
        if self._surveying:
            raise TimeoutError(f"the file system of {workdir} has not answered yet")
        known = self._seen.tree if self._seen else None
        begun: list[bool] = []

        def look_there() -> Survey | None:
            begun.append(True)
            try:
                self._gone = limits.gone(workdir)
                return survey_near(workdir, known)
            finally:
                self._surveying = False

        self._surveying = True
        try:
            return await anyio.to_thread.run_sync(look_there, abandon_on_cancel=True)
        finally:
            self._surveying = self._surveying and bool(begun)

    async def _look(self, found: Survey, focus: Focus) -> Look | None:
        """Look if it is time to, or take a newer look of another session; `None`: neither."""
        if self._repo is None or self._repo.place != found.place:
            self._repo = repo_at(found.place)
        self._repo.limit_s = self._config.status_limit_s
        old_s = self._may_be_old_s(found, focus)
        if old_s is None:
            return self._repo.newer(found, self._looked_at or focus.now)
        return await self._repo.look(found, focus.now, focus.wall, focus.now - old_s)

    async def _watch(self, found: Survey, upstream: str) -> None:
        if not self._watches:
            self._watches = await anyio.to_thread.run_sync(folders, found.place, upstream)

    def _follow(self, workdir: Path, found: Survey | None) -> None:
        """Forget a repository that the session has left: that is no change of it."""
        self._workdir = workdir
        seen = self._seen
        if seen and seen.workdir != str(workdir):
            same = seen.tree and found and seen.tree.place == found.place
            self._seen = seen if same else None

    def _may_be_old_s(self, found: Survey, focus: Focus) -> float | None:
        """Return how old a look may be that is taken now; `None` if it is not time for one."""
        seen = self._seen
        if seen is None or seen.tree is None or seen.tree.place != found.place:
            return SHARED_S
        if seen.stamps != found.stamps:
            return SHARED_S
        if self._looked_at is None:  # restored: another host looked
            self._looked_at = focus.now
        waited = focus.now - self._looked_at
        worked_at = focus.activity.worked_at or 0.0
        if worked_at > seen.wall and waited >= self._config.min_interval_s:
            return max(SHARED_S, focus.wall - worked_at)
        return AWAKE_LOOK_S if focus.activity.awake and waited >= AWAKE_LOOK_S else None

    async def _without_repository(self, focus: Focus) -> list[Observation]:
        seen = self._seen or Seen(wall=focus.wall)
        change = place_changed(seen.tree, None)
        told = []
        if change:
            window = when.Window(seen.wall, focus.wall, seen.stamps, {})
            told = [_observation(change, own=await self._own(focus, window.whole))]
        lost = seen.tree or seen.lost
        self._seen = Seen(str(focus.workdir), None, lost, {}, focus.wall, seen.said)
        self._watches = (Path(lost.place.gitdir),) if lost else ()
        return told

    def _caveat(self, look: Look) -> list[Observation]:
        if not look.caveat or (self._seen and look.caveat in self._seen.said):
            return []
        return [Observation(topic="git.caveat", text=look.caveat, magnitude=_CAVEAT)]

    async def _changes(self, seen: Seen, look: Look, focus: Focus) -> list[Observation]:
        window = when.Window(seen.wall, look.started_wall, seen.stamps, look.stamps)
        other = came(seen.tree, seen.lost, look.tree)
        if other or seen.tree is None:
            return await self._attributed([other] if other else [], window, look, focus)
        commits = await self._commits(seen.tree, look.tree)
        if (
            commits
            and commits.foreign
            and seen.stamps.get("config") != look.stamps.get("config")
        ):
            # made anew within the inode of the old one
            return await self._attributed([replaced(look.tree)], window, look, focus)
        place = look.tree.place
        commits = await others(commits, place, window, lambda times: self._own(focus, times))
        changes = compare(seen.tree, look.tree, commits)
        told = await self._attributed(changes, window, look, focus)
        return told + await self._files(seen.tree, window, look, focus)

    async def _commits(self, before: Tree, after: Tree) -> Commits | None:
        if self._repo is None or before.head == after.head:
            return None
        if before.branch != after.branch and not (before.head and after.head):
            return None
        return await self._repo.commits(before.head, after.head)

    async def _attributed(
        self, changes: Iterable[Change], window: when.Window, look: Look, focus: Focus
    ) -> list[Observation]:
        gitdir = Path(look.tree.place.gitdir)
        told = []
        for change in changes:
            times = await anyio.to_thread.run_sync(when.spans, window, change.about, gitdir)
            own = not change.theirs and await self._own(focus, times)
            told.append(_observation(change, own=own))
        return told

    async def _files(
        self, before: Tree, window: when.Window, look: Look, focus: Focus
    ) -> list[Observation]:
        """Say which files became uncommitted, the session's own and others' apart."""
        after, burst = look.tree.files, self._config.dirty_files
        if before.files is None or after is None:
            return []
        indices, count = newly_changed(before.files, after)
        if not count:
            return []
        if not indices:
            change = changed_files((), count, after, burst)
            return [_observation(change, own=await self._own(focus, window.whole))] * bool(
                count
            )
        paths = [look.paths[i] for i in indices]
        top = Path(look.tree.place.top)
        times = await anyio.to_thread.run_sync(when.file_spans, window, top, paths)
        verdicts = {
            span: await self._own(focus, [span])
            for span in when.merged(span for spans in times for span in spans)
        }
        told = []
        for own in (False, True):
            mine = tuple(
                after.names[i]
                for i, spans in zip(indices, times, strict=True)
                if _covered(spans, verdicts) is own
            )
            if mine:
                change = changed_files(mine, len(mine), after, burst)
                told.append(_observation(change, own=own))
        return told

    async def _own(self, focus: Focus, times: Iterable[when.Span]) -> bool:
        """Tell whether the session did all of it."""
        for since, until in when.merged(times):
            if not await focus.own_doing(since, until):
                return False
        return True


def _covered(spans: Iterable[when.Span], verdicts: dict[when.Span, bool]) -> bool:
    """Tell whether all these moments lie in joined ones that are the session's own."""
    joined = [max(whole for whole in verdicts if whole[0] <= start) for start, _ in spans]
    return all(verdicts[whole] for whole in joined)


def _observation(change: Change, *, own: bool) -> Observation:
    return Observation(
        topic=f"git.{change.about}", text=change.text, magnitude=change.magnitude, own=own
    )
