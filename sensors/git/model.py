"""What the git sensor knows of a repository at one moment."""

import msgspec

Stamp = tuple[int, int, int]
"""A file's modification time in nanoseconds, its size and its inode."""

EACH = 16
"""New commits that are told apart."""

Stamps = dict[str, Stamp]
"""Stamps by name below the git directory; ``@branch``, ``@upstream`` are refs by role."""


class Place(msgspec.Struct, frozen=True):
    """Where a repository lies.

    Attributes:
        top: the folder of the work tree that holds ``.git``; empty where there is none.
        gitdir: the git directory of this very work tree.
        commondir: the one that all work trees of the repository share.
        identity: device and inode of `gitdir`: another one is another repository.
    """

    top: str
    gitdir: str
    commondir: str
    identity: str


class Survey(msgspec.Struct, frozen=True):
    """What can be seen without git: where the repository is, and the stamps of its files."""

    place: Place
    stamps: Stamps


class Files(msgspec.Struct, frozen=True):
    """The files of a work tree that differ from its commit, untracked ones included.

    Attributes:
        names: at most `NAMES` of them as text that can be shown.
        count: how many there are; at least so many where `more` is set.
        more: whether counting was broken off.
    """

    names: tuple[str, ...] = ()
    count: int = 0
    more: bool = False

    @property
    def complete(self) -> bool:
        """Whether every one of them is named."""
        return not self.more and len(self.names) == self.count


class Tree(msgspec.Struct, frozen=True, kw_only=True):
    """A repository at one moment.

    Attributes:
        place: where it lies.
        head: the commit that `branch` is at, or HEAD while detached; empty before the first.
        branch: the branch it is on, during a rebase or bisection the one it will return to;
            empty while detached.
        upstream: the short name of what the branch follows; empty if it follows nothing.
        upstream_oid: the commit that is at; empty where unknown.
        ahead: commits that the upstream lacks; ``None`` where unknown.
        behind: commits that the branch lacks; ``None`` where unknown.
        operation: ``rebase``, ``am``, ``merge``, ``cherry-pick``, ``revert``, ``bisect``,
            or empty.
        conflicts: files in conflict.
        stashes: entries of the stash.
        worktrees: folders of the linked work trees.
        files: what is uncommitted; ``None`` where only refs were read.
    """

    place: Place
    head: str = ""
    branch: str = ""
    upstream: str = ""
    upstream_oid: str = ""
    ahead: int | None = None
    behind: int | None = None
    operation: str = ""
    conflicts: int = 0
    stashes: int = 0
    worktrees: tuple[str, ...] = ()
    files: Files | None = None


class Commit(msgspec.Struct, frozen=True):
    """One commit: its name, who wrote it, and the first line of its message."""

    oid: str
    author: str = ""
    subject: str = ""


class Commits(msgspec.Struct, frozen=True):
    """What lies between two commits.

    Attributes:
        new: how many the later one has that the earlier one lacks.
        lost: how many the earlier one has that the later one lacks.
        more: whether counting was broken off.
        each: the new ones, newest first; at most `EACH` of them.
        own: how many new ones of the session's own are left out.
        foreign: whether the earlier one does not exist here at all.
    """

    new: int
    lost: int = 0
    more: bool = False
    each: tuple[Commit, ...] = ()
    own: int = 0
    foreign: bool = False


class Change(msgspec.Struct, frozen=True):
    """Something that differs between two looks.

    Attributes:
        about: what changed, which also says whose time stamps tell when.
        text: what to say.
        magnitude: see `attendd.api.Observation`.
        theirs: whether it is known to be others' doing in part.
    """

    about: str
    text: str
    magnitude: float
    theirs: bool = False


class Seen(msgspec.Struct, frozen=True):
    """The look that the next one is compared with.

    Attributes:
        workdir: the session's folder at that time.
        tree: what was seen; ``None`` where there was no repository.
        lost: what was last seen of a repository that is gone.
        stamps: its files' stamps.
        wall: when, on the wall clock.
        said: the caveats told so far.
        caveat: what that look could not do.
    """

    workdir: str = ""
    tree: Tree | None = None
    lost: Tree | None = None
    stamps: Stamps = {}
    wall: float = 0.0
    said: tuple[str, ...] = ()
    caveat: str = ""
