"""One look at a repository, shared by every session that attends to it."""

import os
from pathlib import Path
from weakref import WeakValueDictionary

import anyio
import anyio.to_thread
import msgspec

from sensors.git import child, refs, safety
from sensors.git.model import Commits, Place, Stamps, Survey, Tree
from sensors.git.place import upstream_stamp
from sensors.git.porcelain import REV_LIST_FORMAT, Status, parse, parse_commits
from sensors.git.words import visible

_REST = 4
_LONGEST_REST_S = 2.0
"""While a repository changes all the time, a fifth of one processor may go into looking."""

_STATUS = (
    "-c",
    "status.submoduleSummary=false",
    "status",
    "--porcelain=v2",
    "--branch",
    "--show-stash",
    "--no-renames",
    "--ignore-submodules=dirty",  # a look inside would run git there, under its configuration
    "-z",
)
_SHORT_LIMIT_S = 2.0
_COMMITS_MOST = 1000
_FIRST_PAUSE_S = 600.0
_LONGEST_PAUSE_S = 4 * 3600.0


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen, and when.

    Attributes:
        tree: the repository.
        stamps: its files' stamps, taken before.
        paths: the uncommitted files that `tree` names, as the file system has them.
        caveat: why less than everything was seen, in a short sentence; empty where nothing
            was left out, or where there is no work tree.
        started: seconds on the focus' clock.
        started_wall: the same moment on the wall clock.
    """

    tree: Tree
    stamps: Stamps
    paths: tuple[bytes, ...] = ()
    caveat: str = ""
    started: float
    started_wall: float


class _Verdict(msgspec.Struct, frozen=True):
    """Whether git may be asked about files, and how long that holds.

    Attributes:
        caveat: why not; empty if it may.
        options: git's own options for asking.
        upstreams: what each branch follows, by the configuration.
        indexed: whether tracked attribute files were considered, which the index lists.
        lasting: whether unchanged files mean that it still holds.
    """

    caveat: str = ""
    options: tuple[str, ...] = ()
    upstreams: dict[str, str] = {}
    indexed: bool = False
    lasting: bool = True


class Repo:
    """A repository as all its sessions look at it: one look at a time, and not each its own.

    Attributes:
        place: where it lies.
        limit_s: how long ``git status`` may take.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self.limit_s = 5.0
        self._lock = anyio.Lock()
        self._last: Look | None = None
        self._judged: tuple[Stamps, _Verdict] | None = None
        self._program: str | None = None
        self._version: tuple[str, tuple[int, int]] = ("", (0, 0))
        self._rest_until = 0.0
        self._slow_until = 0.0
        self._slow_pause_s = 0.0
        self._between: tuple[str, str, Commits | None] | None = None

    async def look(self, survey: Survey, now: float, wall: float, after: float) -> Look:
        """Look, or return a look that is as good, whichever session it was made for.

        Args:
            survey: taken just before.
            now: when the look was wanted, in seconds on the focus' clock.
            wall: the same moment on the wall clock.
            after: what began after this moment is as good.
        """
        async with self._lock:
            if last := self.newer(survey, after):
                return last
            await anyio.sleep_until(self._rest_until)
            begun = anyio.current_time()
            self._last = await self._look(survey, now, wall)
            ended = anyio.current_time()
            self._rest_until = ended + min(_REST * (ended - begun), _LONGEST_REST_S)
            return self._last

    def newer(self, survey: Survey, after: float) -> Look | None:
        """Return the last look, if it began after a moment and no file changed since."""
        last = self._last
        as_now = last and last.started > after and _same(last.stamps, survey.stamps)
        return last if as_now else None

    async def commits(self, old: str, new: str) -> Commits | None:
        """Return what lies between two commits; ``None`` where it cannot be known."""
        async with self._lock:
            if self._between is None or self._between[:2] != (old, new):
                self._between = (old, new, await self._commits(old, new))
            return self._between[2]

    async def _look(self, survey: Survey, now: float, wall: float) -> Look:
        verdict = await self._judge(survey)
        status: Status | None = None
        caveat = verdict.caveat if self.place.top else ""
        if self.place.top and not caveat:
            status, caveat = await self._status(verdict, now)
        known = status.upstream if status else ""
        tree = await anyio.to_thread.run_sync(self._tree, status, verdict, known)
        late = {}
        if tree.upstream and "@upstream" not in survey.stamps:
            late = await anyio.to_thread.run_sync(upstream_stamp, self.place, tree.upstream)
        # one that may have changed during the look is left out: it then differs next time
        late = {key: stamp for key, stamp in late.items() if stamp[0] < (wall - 1) * 1e9}
        return Look(
            tree=tree,
            stamps=survey.stamps | late,
            paths=status.paths if status else (),
            caveat=caveat,
            started=now,
            started_wall=wall,
        )

    def _tree(self, status: Status | None, verdict: _Verdict, upstream: str) -> Tree:
        """Join what git says with what its files say."""
        seen = refs.tree(self.place, upstream)
        if status is None:
            follows = verdict.upstreams.get(seen.branch, "")
            return refs.tree(self.place, follows) if follows else seen
        returns = bool(seen.operation and seen.branch and not status.branch)
        return msgspec.structs.replace(
            seen,
            head=seen.head if returns else status.head,
            branch=seen.branch if returns else status.branch,
            ahead=status.ahead,
            behind=status.behind,
            conflicts=status.conflicts,
            stashes=seen.stashes if status.stashes is None else status.stashes,
            files=status.files,
        )

    async def _status(self, verdict: _Verdict, now: float) -> tuple[Status | None, str]:
        if now < self._slow_until:
            return None, self._too_slow()
        ran = await self._git((*verdict.options, *_STATUS), limit_s=self.limit_s)
        if ran.late:
            self._slow_pause_s = min(
                max(2 * self._slow_pause_s, _FIRST_PAUSE_S), _LONGEST_PAUSE_S
            )
            self._slow_until = now + self._slow_pause_s
            return None, self._too_slow()
        self._slow_pause_s = 0.0
        if ran.code == 0 or ran.cut:
            status = parse(ran.out, cut=ran.cut)
            count = f"counting stopped at {status.files.count:,} changed or untracked files"
            return status, count if ran.cut else ""
        return None, await anyio.to_thread.run_sync(_refusal, self.place, ran.problem)

    def _too_slow(self) -> str:
        return f"git status takes longer than {self.limit_s:g} s here, only refs are read"

    async def _judge(self, survey: Survey) -> _Verdict:
        """Decide anew where git, its configuration or the attributes may have changed."""
        self._program = await child.find()
        if self._program is None:
            return _Verdict("git is not installed, only refs are read")
        stamps = await anyio.to_thread.run_sync(_config_stamps, self.place, self._program)
        index = {"index": survey.stamps.get("index", (0, 0, 0))}
        if self._judged:
            known, verdict = self._judged
            if verdict.lasting and known == stamps | (index if verdict.indexed else {}):
                return verdict
        verdict = await self._verdict(self._program)
        self._judged = (stamps | (index if verdict.indexed else {}), verdict)
        return verdict

    async def _verdict(self, program: str) -> _Verdict:
        if self._version[0] != program or self._version[1] < child.OLDEST:
            self._version = (program, await child.version(program))
        if self._version[1] < child.OLDEST:
            seen, oldest = (".".join(map(str, v)) for v in (self._version[1], child.OLDEST))
            return _Verdict(f"git {seen} is older than {oldest}, only refs are read")
        ran = await self._git(safety.LIST_CONFIG, limit_s=self._short_s)
        if ran.code != 0:
            return _Verdict(_failed("config", ran.problem), lasting=False)
        config = safety.parse_config(ran.out)
        why = config.programs[0] if config.programs else await self._filter_in_use(config)
        caveat = (
            f"git status would run a program here ({why}), only refs are read" if why else ""
        )
        return _Verdict(
            caveat=caveat,
            options=tuple(safety.overrides(config)),
            upstreams=config.upstreams,
            indexed=bool(config.filters),
            lasting=not config.includes,
        )

    async def _filter_in_use(self, config: safety.Config) -> str:
        if not config.filters or not self.place.top:
            return ""
        files = safety.attribute_files(self.place, config)
        ran = await self._git(safety.LIST_ATTRIBUTES, limit_s=self._short_s)
        files += safety.nested(self.place, ran.out)
        used = await anyio.to_thread.run_sync(safety.used_filter, config, files)
        return used and f"filter {used}"

    async def _commits(self, old: str, new: str) -> Commits | None:
        if self._program is None or not new:
            return None
        span = f"{old}...{new}" if old else new
        args = ("rev-list", "--left-right", f"--max-count={_COMMITS_MOST}", REV_LIST_FORMAT)
        ran = await self._git((*args, span, "--"), limit_s=self._short_s)
        if ran.code == 0:
            return parse_commits(ran.out, _COMMITS_MOST)
        there = await self._git(("cat-file", "-e", f"{old}^{{commit}}"), limit_s=self._short_s)
        return Commits(0, foreign=True) if old and there.code else None

    @property
    def _short_s(self) -> float:
        return min(_SHORT_LIMIT_S, self.limit_s)

    async def _git(self, args: tuple[str, ...], *, limit_s: float) -> child.Ran:
        folder = self.place.top or self.place.gitdir
        return await child.run(self._program or "git", folder, args, limit_s=limit_s)


_repos: "WeakValueDictionary[Place, Repo]" = WeakValueDictionary()


def repo_at(place: Place) -> Repo:
    """Return the one `Repo` of a place, for as long as somebody holds it."""
    return _repos.setdefault(place, Repo(place))


def _same(one: Stamps, other: Stamps) -> bool:
    """Compare but for the upstream, which not everybody knows of yet."""
    return one | {"@upstream": (0, 0, 0)} == other | {"@upstream": (0, 0, 0)}


def _config_stamps(place: Place, program: str) -> Stamps:
    named = safety.config_files(place)
    named += [Path(place.top, ".gitattributes"), Path(place.commondir, "info/attributes")]
    found: Stamps = {}
    for path in (Path(program), *named):
        try:
            status = path.stat()
        except OSError:
            continue
        found[str(path)] = (status.st_mtime_ns, status.st_size, status.st_ino)
    return found


def _refusal(place: Place, problem: str) -> str:
    """Say why git would not answer; empty where there is no work tree to speak of."""
    if "must be run in a work tree" in problem:
        return ""
    try:
        owners = {Path(path).stat().st_uid for path in (place.top, place.gitdir)}
    except OSError:
        owners = set()
    if owners - {os.geteuid()}:
        return "the repository belongs to another user and git refuses it, only refs are read"
    return _failed("status", problem)


def _failed(command: str, problem: str) -> str:
    reason = visible(problem.removeprefix("fatal: "))[:120] or "it was stopped"
    return f"git {command} failed ({reason}), only refs are read"
