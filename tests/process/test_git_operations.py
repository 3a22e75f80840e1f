"""What is said about merges, rebases and the like, from their start to their end."""

from pathlib import Path

import pytest

from tests.repos import fresh_home
from tests.worlds import BY, OID, Case, Step, World, check, does, each, stops

pytestmark = pytest.mark.asyncio


def resolved(w: World) -> None:
    w.here.write("a.txt", "resolved\n")
    w.here.git("add", "a.txt")


def rebase_goes_on(w: World) -> None:
    resolved(w)
    w.here.git("-c", "core.editor=true", "rebase", "--continue")


def merge_goes_on(w: World) -> None:
    resolved(w)
    w.here.git("commit", "-q", "-m", "merged")


def mailbox(w: World) -> None:
    """Leave a patch that does not apply."""
    patch = w.here.git("format-patch", "-1", "side", "--stdout")
    (w.tmp / "patch").write_text(patch + "\n")


REBASE: Step = each(World.diverge, does("checkout", "-q", "side"))

CASES = [
    Case(
        "a merge in conflict",
        stops("merge", "-q", "side"),
        ["merge started, 1 file in conflict", r"1 file newly changed: a.txt .*"],
        World.diverge,
    ),
    Case(
        "a conflict resolved",
        resolved,
        ["conflicts resolved"],
        each(World.diverge, stops("merge", "side")),
    ),
    Case(
        "a merge completed",
        merge_goes_on,
        [
            f'merge ended on main: 2 new commits on main, newest: "merged" \\({OID}\\){BY}',
            "3 commits not pushed to origin/main",
            "work tree clean again",
        ],
        each(World.diverge, stops("merge", "side")),
    ),
    Case(
        "a merge given up",
        does("merge", "--abort"),
        [f"merge ended on main at {OID}", "work tree clean again"],
        each(World.diverge, stops("merge", "side")),
    ),
    Case(
        "a merge without conflict",
        does("merge", "-q", "--no-ff", "-m", "both", "side"),
        [f'2 new commits on main, newest: "both" \\({OID}\\){BY}', ".* not pushed .*"],
        each(
            does("checkout", "-q", "-b", "side"),
            lambda w: w.here.commit("s"),
            does("checkout", "-q", "main"),
        ),
    ),
    Case(
        "a rebase in conflict",
        stops("rebase", "main"),
        ["rebase of side started, 1 file in conflict", r"1 file newly changed: .*"],
        REBASE,
    ),
    Case(
        "a rebase completed",
        rebase_goes_on,
        [
            f"rebase ended on side: side was rewritten: 1 commit gone, 2 new commits, "
            f'newest: "other side" \\({OID}\\){BY}',
            "work tree clean again",
        ],
        each(REBASE, lambda w: w.here.git("checkout", "-q", "side"), stops("rebase", "main")),
    ),
    Case(
        "a rebase given up",
        does("rebase", "--abort"),
        [f"rebase ended on side at {OID}", "work tree clean again"],
        each(REBASE, stops("rebase", "main")),
    ),
    Case(
        "a cherry-pick in conflict",
        stops("cherry-pick", "side"),
        ["cherry-pick started, 1 file in conflict", r"1 file newly changed: .*"],
        World.diverge,
    ),
    Case(
        "a revert in conflict",
        stops("revert", "--no-edit", "HEAD~1"),
        ["revert started, 1 file in conflict", r"1 file newly changed: .*"],
        lambda w: [w.here.commit("a.txt", text) for text in ("two\n", "three\n")],
    ),
    Case(
        "a mailed patch that does not apply",
        lambda w: w.here.git("am", "-q", "../patch", check=False),
        ["am of main started"],
        each(World.diverge, mailbox),
    ),
    Case(
        "a bisection",
        each(does("bisect", "start"), does("bisect", "bad"), does("bisect", "good", "HEAD~2")),
        ["bisect started"],
        lambda w: [w.here.commit() for _ in range(3)],
    ),
    Case(
        "a bisection ended",
        does("bisect", "reset"),
        [f"bisect ended on main at {OID}"],
        each(
            lambda w: [w.here.commit() for _ in range(3)],
            does("bisect", "start"),
            does("bisect", "bad"),
            does("bisect", "good", "HEAD~2"),
        ),
    ),
    Case(
        "a stash that conflicts",
        stops("stash", "pop"),
        ["1 file in conflict", r"1 file newly changed: .*"],
        each(
            lambda w: w.here.write("a.txt", "stashed\n"),
            does("stash", "-q"),
            lambda w: w.here.commit("a.txt", "other\n"),
        ),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_what_somebody_does_is_said(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh_home(tmp_path, monkeypatch)
    await check(case, tmp_path)
