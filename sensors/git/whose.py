"""Tells which of some new commits the session made itself: by when git wrote each down."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path

import anyio.to_thread
import msgspec

from sensors.git.model import Commit, Commits, Place
from sensors.git.refs import made_here
from sensors.git.when import Span, Window, around


async def others(
    commits: Commits | None,
    place: Place,
    window: Window,
    own: Callable[[Iterable[Span]], Awaitable[bool]],
) -> Commits | None:
    """Leave out of what is counted and named the commits that are the session's own.

    Args:
        commits: what is new; returned as it is where all of them are somebody's, where they
            took others' place or were fetched, and where they are too many to look at each.
        place: where they were made.
        window: between which looks.
        own: whether the session did what happened in these spans.
    """
    if commits is None or commits.lost or commits.new != len(commits.each):
        return commits
    times = await anyio.to_thread.run_sync(_written, commits.each, place, window)
    pairs = zip(commits.each, times, strict=False)
    theirs = [commit for commit, span in pairs if not await own([span])]
    if not theirs or len(theirs) == commits.new:
        return commits
    return msgspec.structs.replace(
        commits,
        new=len(theirs),
        own=commits.new - len(theirs),
        each=tuple(theirs),
    )


def _written(commits: Sequence[Commit], place: Place, window: Window) -> list[Span]:
    """Return when each was written, by its file, which is there until git packs it.

    Nothing is returned where that does not say who made them.
    """
    log = window.before.get("logs/HEAD")
    made = made_here(Path(place.gitdir), log[1]) if log else set()
    if not all(commit.oid in made for commit in commits):
        return []
    objects = Path(place.commondir, "objects")
    try:
        stamps = [(objects / each.oid[:2] / each.oid[2:]).stat() for each in commits]
    except OSError:
        return []
    return [around(stamp.st_mtime) for stamp in stamps]
