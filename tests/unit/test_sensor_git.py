"""The pure parts of the git sensor: what git's answers mean, and what two looks say."""

from hypothesis import given
from hypothesis import strategies as st

from sensors.git import words
from sensors.git.compare import changed_files, compare, newly_changed
from sensors.git.model import Commit, Commits, Files, Place, Tree
from sensors.git.porcelain import NAMES, parse, parse_commits

PLACE = Place("/r", "/r/.git", "/r/.git", "1:2")
OID = "a" * 40

STATUS = b"\0".join(
    [
        b"# branch.oid " + OID.encode(),
        b"# branch.head feat/x",
        b"# branch.upstream origin/feat/x",
        b"# branch.ab +2 -3",
        b"# stash 4",
        b"1 .M N... 100644 100644 100644 "
        + b"b" * 40
        + b" "
        + b"b" * 40
        + b" a file\nwith a line",
        b"1 A. N... 000000 100644 100644 " + b"0" * 40 + b" " + b"b" * 40 + b" added",
        b"u UU N... 100644 100644 100644 100644 " + b" ".join([b"c" * 40] * 3) + b" torn",
        b"? caf\xe9/",
        b"! ignored",
        b"",
    ]
)


def test_a_status_is_read() -> None:
    status = parse(STATUS)

    assert (status.head, status.branch, status.upstream) == (OID, "feat/x", "origin/feat/x")
    assert (status.ahead, status.behind, status.stashes, status.conflicts) == (2, 3, 4, 1)
    assert status.files == Files((r"a file\nwith a line", "added", "torn", r"caf\xe9/"), 4)
    assert status.paths == (b"a file\nwith a line", b"added", b"torn", b"caf\xe9/")


def test_an_unborn_and_a_detached_head_are_empty() -> None:
    unborn = parse(b"# branch.oid (initial)\0# branch.head main\0")
    detached = parse(b"# branch.oid " + OID.encode() + b"\0# branch.head (detached)\0")

    assert (unborn.head, unborn.branch, unborn.ahead) == ("", "main", None)
    assert (detached.head, detached.branch, detached.stashes) == (OID, "", None)


@given(st.integers(0, len(STATUS)))
def test_a_status_cut_anywhere_names_only_what_is_whole(length: int) -> None:
    status = parse(STATUS[:length], cut=True)

    assert set(status.paths) <= set(parse(STATUS).paths)
    assert status.files.more
    assert not status.files.complete


@given(st.binary(max_size=300))
def test_whatever_git_writes_can_be_read_and_shown(out: bytes) -> None:
    status = parse(out)

    for text in (status.branch, status.upstream, *status.files.names):
        assert text.isprintable()
        text.encode()


def test_names_are_bounded_and_the_count_is_not() -> None:
    status = parse(b"".join(b"? f%d\0" % number for number in range(NAMES + 10)))

    assert (len(status.files.names), status.files.count) == (NAMES, NAMES + 10)
    assert not status.files.complete


def test_commits_are_counted_by_side_and_the_newest_is_named() -> None:
    out = b"commit <aa\n<\0Old\0gone\ncommit >bb\n>\0Juno\0newest\ncommit >cc\n>\0Ada\0older\n"

    each = (Commit("bb", "Juno", "newest"), Commit("cc", "Ada", "older"))
    assert parse_commits(out, 1000) == Commits(2, 1, each=each)
    assert parse_commits(out, 3) == Commits(2, 1, more=True, each=each)
    assert parse_commits(b"", 1000) is None


@given(st.binary(max_size=200))
def test_any_list_of_commits_can_be_read(out: bytes) -> None:
    commits = parse_commits(out, 10)

    for each in commits.each if commits else ():
        assert (each.oid + each.subject + each.author).isprintable()


names = st.lists(st.text("abc", min_size=1, max_size=3), unique=True, max_size=8).map(tuple)


@given(names, names)
def test_newly_changed_files_are_those_that_were_not_there(
    before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    found, count = newly_changed(Files(before, len(before)), Files(after, len(after)))

    assert {after[i] for i in found} == set(after) - set(before)
    assert count == len(found)


@given(st.integers(0, 999), st.integers(0, 999))
def test_where_names_are_missing_only_numbers_are_compared(before: int, after: int) -> None:
    found, count = newly_changed(Files((), before + 1), Files((), after + 1))

    assert (found, count) == ((), max(0, after - before))


def test_a_burst_weighs_more() -> None:
    total = Files((), 40, more=True)

    assert changed_files((), 19, total, 20).magnitude == 2
    assert changed_files((), 20, total, 20).magnitude == 3
    assert changed_files((), 20, total, 20).text == (
        "20 files newly changed (more than 40 files uncommitted)"
    )


trees = st.builds(
    Tree,
    place=st.just(PLACE),
    head=st.sampled_from(["", OID, "b" * 40]),
    branch=st.sampled_from(["", "main", "feat/x"]),
    upstream=st.sampled_from(["", "origin/main"]),
    upstream_oid=st.sampled_from(["", OID]),
    ahead=st.sampled_from([None, 0, 2]),
    behind=st.sampled_from([None, 0, 3]),
    operation=st.sampled_from(["", "merge", "rebase"]),
    conflicts=st.integers(0, 2),
    stashes=st.integers(0, 2),
    worktrees=st.sampled_from([(), ("/w",)]),
    files=st.sampled_from([None, Files(), Files(("a",), 1)]),
)
between = st.sampled_from(
    [
        None,
        Commits(1),
        Commits(0, 2),
        Commits(3, 1, more=True, each=(Commit("bb", subject="s"),)),
    ]
)


@given(trees, between)
def test_an_unchanged_repository_says_nothing(tree: Tree, commits: Commits | None) -> None:
    assert compare(tree, tree, commits) == []


@given(trees, trees, between)
def test_any_two_looks_can_be_compared(
    before: Tree, after: Tree, commits: Commits | None
) -> None:
    for change in compare(before, after, commits):
        assert 1 <= change.magnitude <= 5
        assert change.text.isprintable()
        assert "None" not in change.text
        assert not change.text.endswith((".", " ", ":"))


def test_odd_names_are_quoted_and_long_ones_keep_their_end() -> None:
    assert words.names(("a.py",), 1) == "a.py"
    assert words.names(("a b", 'c"d', "e,f"), 3) == r'"a b", "c\"d" and "e,f"'
    assert words.names(("a", "b", "c", "d"), 1234) == "a, b, c and 1,231 more"
    assert words.name("x/" * 100 + "end.py").endswith("x/end.py")
    assert len(words.name("x" * 500)) == 61


@given(st.text(), st.binary())
def test_anything_written_is_visible(text: str, raw: bytes) -> None:
    assert words.visible(text).isprintable()
    assert words.text_of(raw).isprintable()
