"""What is said about each change of a real repository, made by somebody else's git."""

import shutil
from pathlib import Path

import pytest

from tests.repos import fresh_home
from tests.worlds import BY, OID, Case, World, check, does, each

pytestmark = pytest.mark.asyncio


def new_commits(w: World) -> None:
    w.here.commit(message="one")
    w.here.commit(message="two: the 2nd")


def branch_and_commit(w: World) -> None:
    w.here.git("checkout", "-q", "-b", "feat/x")
    w.here.commit(message="on it")


def many_files(w: World) -> None:
    for number in range(20):
        w.here.write(f"new/{number}/x" if number < 3 else f"n{number}")


def pushed_there(w: World) -> None:
    there = w.there()
    there.commit(message="from there")
    there.git("push", "-q")


def fetched(w: World) -> None:
    pushed_there(w)
    w.here.git("fetch", "-q")


def rewritten_there(w: World) -> None:
    there = w.there()
    there.git("commit", "-q", "--amend", "-m", "again, better")
    there.git("push", "-q", "-f")
    w.here.git("fetch", "-q")


def replaced(w: World) -> None:
    shutil.rmtree(w.here.path / ".git")
    w.here.git("init", "-q")
    w.here.commit(message="afresh")


def deleted(w: World) -> None:
    shutil.rmtree(w.here.path / ".git")


CASES = [
    Case("nothing", lambda _w: None, []),
    Case(
        "a new branch",
        does("checkout", "-q", "-b", "feat/x"),
        ["branch changed: main → feat/x"],
    ),
    Case("a renamed branch", does("branch", "-m", "trunk"), ["branch changed: main → trunk"]),
    Case(
        "an orphan branch",
        does("checkout", "-q", "--orphan", "bare"),
        ["branch changed: main → bare", r"1 file newly changed: a.txt \(1 file uncommitted\)"],
    ),
    Case(
        "HEAD detached",
        does("checkout", "-q", "--detach"),
        [f"branch changed: main → detached HEAD at {OID}"],
    ),
    Case(
        "back on a branch",
        does("checkout", "-q", "main"),
        [f"branch changed: detached HEAD at {OID} → main"],
        does("checkout", "-q", "--detach"),
    ),
    Case(
        "a branch and a commit on it",
        branch_and_commit,
        [
            "branch changed: main → feat/x, which has 1 commit more, "
            f'newest: "on it" \\({OID}\\){BY}'
        ],
    ),
    Case(
        "new commits",
        new_commits,
        [
            f'2 new commits on main, newest: "two: the 2nd" \\({OID}\\){BY}',
            "2 commits not pushed to origin/main",
        ],
    ),
    Case(
        "a commit on a detached HEAD",
        lambda w: w.here.commit(message="loose"),
        [f'1 new commit on detached HEAD at {OID}, newest: "loose" \\({OID}\\){BY}'],
        does("checkout", "-q", "--detach"),
    ),
    Case(
        "an amended commit",
        does("commit", "-q", "--amend", "-m", "better"),
        [
            f'main was rewritten: 1 commit gone, 1 new commit, newest: "better" \\({OID}\\){BY}',
            "1 commit not pushed to origin/main",
        ],
    ),
    Case(
        "a branch moved back",
        does("reset", "-q", "--hard", "HEAD~1"),
        [f"main moved back by 1 commit to {OID}"],
        lambda w: w.here.commit(),
    ),
    Case(
        "a changed file",
        lambda w: w.here.write("a.txt", "changed\n"),
        [r"1 file newly changed: a.txt \(1 file uncommitted\)"],
    ),
    Case(
        "a deleted file",
        lambda w: (w.here.path / "a.txt").unlink(),
        [r"1 file newly changed: a.txt \(1 file uncommitted\)"],
    ),
    Case(
        "one more file",
        lambda w: w.here.write("c d"),
        [r'1 file newly changed: "c d" \(2 files uncommitted\)'],
        lambda w: w.here.write("b"),
    ),
    Case(
        "a renamed file",
        does("mv", "a.txt", "b.txt"),
        [r"2 files newly changed: a.txt and b.txt \(2 files uncommitted\)"],
    ),
    Case(
        "a file changed again",
        lambda w: w.here.write("b", "3"),
        [],
        lambda w: w.here.write("b"),
    ),
    Case("a file staged", does("add", "b"), [], lambda w: w.here.write("b")),
    Case(
        "a burst of files",
        many_files,
        [r"18 files newly changed: n10, n11, n12 and 15 more \(18 files uncommitted\)"],
    ),
    Case(
        "all committed",
        each(does("add", "-A"), does("commit", "-q", "-m", "all")),
        [
            f'1 new commit on main, newest: "all" \\({OID}\\){BY}',
            "1 commit not pushed to origin/main",
            "work tree clean again",
        ],
        lambda w: w.here.write("b"),
    ),
    Case(
        "an ignored file",
        lambda w: w.here.write("x.o"),
        [],
        lambda w: w.here.commit(".gitignore", "*.o\n"),
    ),
    Case("a fetch with news", fetched, [f"origin/main moved to {OID}: 1 commit to pull"]),
    Case("a fetch without news", does("fetch", "-q"), []),
    Case(
        "a fetch of a rewritten upstream",
        rewritten_there,
        [f"origin/main moved to {OID}: 1 commit to pull"],
        fetched,
    ),
    Case(
        "an upstream that goes its own way",
        fetched,
        [f"origin/main moved to {OID}: 1 commit to pull, 1 to push"],
        lambda w: w.here.commit(),
    ),
    Case(
        "a pull",
        does("pull", "-q"),
        [
            f'1 new commit on main, newest: "from there" \\({OID}\\){BY}',
            "commits of main were pushed to origin/main",
        ],
        pushed_there,
    ),
    Case(
        "a push",
        does("push", "-q"),
        ["commits of main were pushed to origin/main"],
        lambda w: w.here.commit(),
    ),
    Case(
        "an upstream deleted",
        does("update-ref", "-d", "refs/remotes/origin/main"),
        ["origin/main is gone"],
    ),
    Case(
        "an upstream back where it was",
        does("fetch", "-q"),
        [f"origin/main is there now, at {OID}"],
        does("update-ref", "-d", "refs/remotes/origin/main"),
    ),
    Case(
        "an upstream back with news",
        fetched,
        [f"origin/main is there now, at {OID}: 1 commit to pull"],
        does("update-ref", "-d", "refs/remotes/origin/main"),
    ),
    Case(
        "an upstream set",
        does("branch", "-q", "-u", "origin/main"),
        [],
        does("branch", "-q", "--unset-upstream"),
    ),
    Case(
        "a stash",
        does("stash", "-q"),
        ["changes were stashed, 1 in the stash", "work tree clean again"],
        lambda w: w.here.write("a.txt", "changed\n"),
    ),
    Case(
        "a second stash",
        each(lambda w: w.here.write("a.txt", "again\n"), does("stash", "-q")),
        ["changes were stashed, 2 in the stash"],
        each(lambda w: w.here.write("a.txt", "changed\n"), does("stash", "-q")),
    ),
    Case(
        "a stash applied",
        does("stash", "pop", "-q"),
        ["a stash was applied or dropped, 0 left", r"1 file newly changed: a.txt .*"],
        each(lambda w: w.here.write("a.txt", "changed\n"), does("stash", "-q")),
    ),
    Case(
        "a work tree added",
        does("worktree", "add", "-q", "-b", "wt", "../wt"),
        ["1 work tree added: .*/wt"],
    ),
    Case(
        "a work tree removed",
        does("worktree", "remove", "../wt"),
        ["1 work tree removed: .*/wt"],
        does("worktree", "add", "-q", "-b", "wt", "../wt"),
    ),
    Case("gc", does("gc", "-q", "--prune=now"), []),
    Case("refs packed", does("pack-refs", "--all", "--prune"), []),
    Case("maintenance", does("maintenance", "run", "--quiet"), []),
    Case(
        "somebody's status", each(lambda w: (w.here.path / "a.txt").touch(), does("status")), []
    ),
    Case("a tag and a branch elsewhere", each(does("tag", "v1"), does("branch", "other")), []),
    Case(".git deleted", deleted, ["the repository at .*/here is gone"]),
    Case(
        ".git replaced",
        replaced,
        ["the repository at .*/here was replaced by another, on main"],
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_what_somebody_does_is_said(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh_home(tmp_path, monkeypatch)
    await check(case, tmp_path)
