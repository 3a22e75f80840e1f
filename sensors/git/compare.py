"""Says what happened between two looks at the same repository. Pure."""

from collections.abc import Iterator

from sensors.git.model import Change, Commit, Commits, Files, Tree
from sensors.git.words import names, place, plural, quoted, short

_REPLACED = 5
_MOVED = 3
_ASIDE = 2
_QUIET = 1


def compare(before: Tree, after: Tree, commits: Commits | None) -> list[Change]:
    """Return every change but newly changed files, which are judged one by one.

    Args:
        before: the earlier look.
        after: the later look.
        commits: what lies between their heads; ``None`` where unknown.
    """
    return [
        *_operation(before, after, commits),
        *_head(before, after, commits),
        *_upstream(before, after),
        *_aside(before, after),
        *_clean(before, after),
    ]


def place_changed(before: Tree | None, after: Tree | None) -> Change | None:
    """Say that a repository came, went or was replaced by another.

    Args:
        before: the last look; ``None`` where there was no repository.
        after: this look; ``None`` where there is none.
    """
    if before is None or after is None:
        return _came_or_went(before, after)
    if before.place.gitdir != after.place.gitdir:
        text = f"another repository took the place of {_where(before)}: {_where(after)}"
        return Change("place", text + _at(after), _REPLACED)
    if before.place == after.place or before.head == after.head:
        return None  # a copy put back in place is the same repository
    return replaced(after)


def replaced(after: Tree) -> Change:
    """Say that another repository lies where one lay before."""
    text = f"the repository at {_where(after)} was replaced by another{_at(after)}"
    return Change("place", text, _REPLACED)


def _came_or_went(before: Tree | None, after: Tree | None) -> Change | None:
    if before is not None:
        return Change("gone", f"the repository at {_where(before)} is gone", _REPLACED)
    if after is not None:
        return Change("place", f"a repository appeared at {_where(after)}{_at(after)}", _MOVED)
    return None


def came(known: Tree | None, lost: Tree | None, tree: Tree) -> Change | None:
    """Say that it is another repository, or one where there was none.

    Args:
        known: what was seen before; ``None`` where there was no repository.
        lost: what was last seen of a repository that is gone.
        tree: what is seen now.
    """
    if known:
        return place_changed(known, tree)
    if lost:
        return back(lost, tree) or place_changed(lost, tree) or place_changed(None, tree)
    return place_changed(None, tree)


def back(lost: Tree, after: Tree) -> Change | None:
    """Say that a repository which was gone is there again, if it is the same one."""
    if (lost.place.gitdir, lost.head) != (after.place.gitdir, after.head):
        return None
    return Change("place", f"the repository at {_where(after)} is back{_at(after)}", _MOVED)


def newly_changed(before: Files, after: Files) -> tuple[tuple[int, ...], int]:
    """Return which files became uncommitted, as indices into `after`, and how many did.

    There are no indices where not all of them are known by name.
    """
    if before.complete and after.complete:
        known = set(before.names)
        found = tuple(i for i, name in enumerate(after.names) if name not in known)
        return found, len(found)
    return (), max(0, after.count - before.count)


def changed_files(paths: tuple[str, ...], count: int, total: Files, burst: int) -> Change:
    """Say which files became uncommitted.

    Args:
        paths: their names; empty where only their number is known.
        count: their number.
        total: all that are uncommitted now.
        burst: from how many on it is worth a remark of its own.
    """
    some = f"{plural(count, 'file')} newly changed"
    which = f": {names(paths, count)}" if paths else ""
    pile = f"{plural(total.count, 'file', more=total.more)} uncommitted"
    magnitude = _MOVED if count >= burst else _ASIDE
    return Change("files", f"{some}{which} ({pile})", magnitude)


def _operation(before: Tree, after: Tree, commits: Commits | None) -> Iterator[Change]:
    on = f" of {after.branch}" if after.branch and after.operation in ("rebase", "am") else ""
    if before.operation != after.operation:
        if before.operation:
            yield Change("operation", _ended(before, after, commits), _MOVED)
        if after.operation:
            with_conflicts = f", {_in_conflict(after)}" if after.conflicts else ""
            text = f"{after.operation}{on} started{with_conflicts}"
            yield Change("operation", text, _MOVED)
    elif after.conflicts and not before.conflicts:
        where = f"{after.operation}{on}: " if after.operation else ""
        yield Change("operation", where + _in_conflict(after), _MOVED)
    elif before.conflicts and not after.conflicts and after.files is not None:
        yield Change("operation", "conflicts resolved", _QUIET)


def _ended(before: Tree, after: Tree, commits: Commits | None) -> str:
    text = f"{before.operation} ended on {_branch(after)}"
    if not after.head or before.head == after.head or before.branch != after.branch:
        return f"{text} at {short(after.head)}" if after.head else text
    return f"{text}: {_between(after, commits)}"


def _head(before: Tree, after: Tree, commits: Commits | None) -> Iterator[Change]:
    if _nameless(before) or _nameless(after):
        if not (_nameless(before) and _nameless(after)):
            yield Change("head", _whole(before, after), _MOVED)
        return
    if before.branch != after.branch:
        text = f"branch changed: {_branch(before)} → {_branch(after)}"
        theirs = bool(commits and commits.own)
        yield Change("head", text + _further(after, commits), _MOVED, theirs)
        return
    if before.head == after.head or before.operation or after.operation:
        return
    if not after.head:
        yield Change("head", f"{_branch(after)} has no commits any more", _MOVED)
    elif not before.head:
        about = f", newest: {_named(after, commits)}" if commits else ""
        yield Change("head", f"first commit on {_branch(after)}{about}", _MOVED)
    else:
        theirs = bool(commits and commits.own)
        yield Change("head", _between(after, commits), _MOVED, theirs)


def _between(after: Tree, commits: Commits | None) -> str:
    branch = _branch(after)
    if commits is None or commits.foreign:
        return f"{branch} moved to {short(after.head)}"
    new = plural(commits.new, "new commit", more=commits.more)
    if not commits.lost:
        return f"{new} on {branch}{_beside(commits)}, newest: {_named(after, commits)}"
    lost = plural(commits.lost, "commit", more=commits.more)
    if not commits.new:
        return f"{branch} moved back by {lost} to {short(after.head)}"
    return f"{branch} was rewritten: {lost} gone, {new}, newest: {_named(after, commits)}"


def _further(after: Tree, commits: Commits | None) -> str:
    """Say what a branch has that the one before it lacked, if it has all of that one."""
    if not after.head or commits is None or commits.lost or not commits.new:
        return ""
    more = plural(commits.new, "commit", more=commits.more)
    return f", which has {more} more{_beside(commits)}, newest: {_named(after, commits)}"


def _beside(commits: Commits) -> str:
    return f", beside {commits.own:,} of this session's own" if commits.own else ""


def _nameless(tree: Tree) -> bool:
    """Tell whether HEAD names neither a branch nor a commit, which git never writes."""
    return not tree.branch and not tree.head


def _whole(before: Tree, after: Tree) -> str:
    """Say that HEAD became unreadable, or readable again."""
    if _nameless(before):
        return f"HEAD can be read again: {_branch(after)}"
    return f"HEAD names neither a branch nor a commit any more; it was {_branch(before)}"


def _upstream(before: Tree, after: Tree) -> Iterator[Change]:
    same = before.branch == after.branch and before.upstream == after.upstream
    if not same or not after.upstream:
        return
    if before.behind is not None and after.behind is None and after.files is not None:
        yield Change("upstream", f"{after.upstream} is gone", _MOVED)
    elif _upstream_came(before, after):
        at = f", at {short(after.upstream_oid)}" if after.upstream_oid else ""
        yield Change("upstream", f"{after.upstream} is there now{at}{_apart(after)}", _MOVED)
    elif _upstream_moved(before, after):
        if after.behind or after.behind is None:
            text = f"{after.upstream} moved to {short(after.upstream_oid)}"
            yield Change("upstream", f"{text}{_apart(after)}", _MOVED)
        else:
            text = f"commits of {after.branch} were pushed to {after.upstream}"
            yield Change("upstream", text, _QUIET)
    elif after.ahead and before.ahead is not None and after.ahead > before.ahead:
        unpushed = f"{plural(after.ahead, 'commit')} not pushed to {after.upstream}"
        yield Change("head", unpushed, _QUIET)


def _upstream_came(before: Tree, after: Tree) -> bool:
    """Tell whether there was no upstream of that name, and not only nothing known of it."""
    missed = before.behind is None and not before.upstream_oid and before.files is not None
    return missed and after.behind is not None


def _upstream_moved(before: Tree, after: Tree) -> bool:
    if before.upstream_oid and after.upstream_oid:
        return before.upstream_oid != after.upstream_oid
    return before.head == after.head and (before.behind or 0) < (after.behind or 0)


def _apart(after: Tree) -> str:
    push = f"{after.ahead:,} to push" if after.ahead else ""
    pull = f"{plural(after.behind, 'commit')} to pull" if after.behind else ""
    both = ", ".join(part for part in (pull, push) if part)
    return f": {both}" if both else ""


def _aside(before: Tree, after: Tree) -> Iterator[Change]:
    """Stash and linked work trees."""
    if after.stashes > before.stashes:
        yield Change("stash", f"changes were stashed, {after.stashes} in the stash", _ASIDE)
    elif after.stashes < before.stashes:
        text = f"a stash was applied or dropped, {after.stashes} left"
        yield Change("stash", text, _ASIDE)
    added = tuple(path for path in after.worktrees if path not in before.worktrees)
    removed = tuple(path for path in before.worktrees if path not in after.worktrees)
    for paths, verb in ((added, "added"), (removed, "removed")):
        if paths:
            which = place(paths[0]) if len(paths) == 1 else names(paths, len(paths))
            text = f"{plural(len(paths), 'work tree')} {verb}: {which}"
            yield Change("worktrees", text, _ASIDE)


def _clean(before: Tree, after: Tree) -> Iterator[Change]:
    if before.files and after.files and before.files.count and not after.files.count:
        yield Change("clean", "work tree clean again", _QUIET)


def _branch(tree: Tree) -> str:
    if tree.branch:
        return tree.branch
    return f"detached HEAD at {short(tree.head)}" if tree.head else "detached HEAD"


def _named(tree: Tree, commits: Commits | None) -> str:
    newest = commits.each[0] if commits and commits.each else Commit(tree.head)
    if not newest.subject:
        return short(newest.oid or tree.head)
    by = f" by {newest.author[:40]}" if newest.author else ""
    return f"{quoted(newest.subject)} ({short(newest.oid or tree.head)}){by}"


def _in_conflict(tree: Tree) -> str:
    return f"{plural(tree.conflicts, 'file')} in conflict"


def _where(tree: Tree) -> str:
    return place(tree.place.top or tree.place.gitdir)


def _at(tree: Tree) -> str:
    return f", on {tree.branch}" if tree.branch else f", detached at {short(tree.head)}"
