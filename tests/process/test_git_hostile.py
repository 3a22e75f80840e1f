"""A repository can be anybody's: no program of it runs because attend looked.

Each case first makes git itself run the program, to show that the trap is a trap.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sensors.git import GitConfig, GitSensor
from tests.repos import Repository, Watch, fresh_home

pytestmark = pytest.mark.asyncio


class Trap:
    """A repository with a program in it that leaves a canary behind when it runs."""

    def __init__(self, tmp_path: Path, home: Path) -> None:
        self.home = home
        self.canary = tmp_path / "canary"
        self.repo = Repository(tmp_path / "repo")
        self.repo.commit("a.bin", "content\n")
        self.program = tmp_path / "program"
        self.program.write_text(f"#!/bin/sh\ntouch '{self.canary}'\nexec cat\n")
        self.program.chmod(0o755)

    def touch(self) -> None:
        """Make git compare the file's content: same size, other time."""
        os.utime(self.repo.path / "a.bin", (1_000_000_000, 1_000_000_000))

    def sprung(self) -> bool:
        found = self.canary.exists()
        self.canary.unlink(missing_ok=True)
        return found


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trap:
    return Trap(tmp_path, fresh_home(tmp_path, monkeypatch))


def clean_filter(trap: Trap) -> None:
    trap.repo.write(".gitattributes", "*.bin filter=x\n")
    trap.repo.git("config", "filter.x.clean", str(trap.program))


def process_filter(trap: Trap) -> None:
    trap.repo.write(".gitattributes", "*.bin filter=x\n")
    trap.repo.git("config", "filter.x.process", str(trap.program))


def filter_by_private_attributes(trap: Trap) -> None:
    trap.repo.write(".git/info/attributes", "*.bin filter=x\n")
    trap.repo.git("config", "filter.x.clean", str(trap.program))


def filter_by_macro(trap: Trap) -> None:
    trap.repo.write(".gitattributes", "[attr]big filter=x.y\n*.bin big\n")
    trap.repo.git("config", "filter.x.y.clean", str(trap.program))


def filter_in_an_included_file(trap: Trap) -> None:
    trap.repo.write(".gitattributes", "*.bin filter=x\n")
    trap.repo.write(".git/more", f'[filter "x"]\nclean = "{trap.program}"\n')
    trap.repo.git("config", "include.path", "more")


def filter_in_a_file_included_for_a_branch(trap: Trap) -> None:
    trap.repo.write(".gitattributes", "*.bin filter=x\n")
    trap.repo.write(".git/more", f'[filter "x"]\nclean = "{trap.program}"\n')
    trap.repo.git("config", "includeIf.onbranch:main.path", "more")


def filter_of_one_work_tree(trap: Trap) -> None:
    trap.repo.write(".gitattributes", "*.bin filter=x\n")
    trap.repo.git("config", "extensions.worktreeConfig", "true")
    trap.repo.git("config", "--worktree", "filter.x.clean", str(trap.program))


def filter_with_an_equals_sign(trap: Trap) -> None:
    """Such a name cannot be overridden on a command line."""
    trap.repo.write(".gitattributes", "*.bin filter=a=b\n")
    trap.repo.git("config", "filter.a=b.clean", str(trap.program))


def fsmonitor(trap: Trap) -> None:
    trap.repo.git("config", "core.fsmonitor", str(trap.program))


def filter_of_the_person(trap: Trap) -> None:
    """As large file storage sets it up; the attributes of the repository pull the trigger."""
    trap.repo.write(".gitattributes", "*.bin filter=x\n")
    trap.repo.git("config", "--global", "filter.x.clean", str(trap.program))


def filter_of_the_person_deep_inside(trap: Trap) -> None:
    trap.repo.write("deep/er/b.bin", "content\n")
    trap.repo.write("deep/er/.gitattributes", "*.bin filter=x\n")
    trap.repo.git("add", "deep")
    trap.repo.git("commit", "-q", "-m", "deep")
    trap.repo.git("config", "--global", "filter.x.clean", str(trap.program))
    os.utime(trap.repo.path / "deep/er/b.bin", (1_000_000_000, 1_000_000_000))


def filter_of_the_person_by_the_persons_attributes(trap: Trap) -> None:
    (trap.home / ".config/git").mkdir(parents=True)
    (trap.home / ".config/git/attributes").write_text("*.bin filter=x\n")
    trap.repo.git("config", "--global", "filter.x.clean", str(trap.program))


READ_BY_REFS = [
    clean_filter,
    process_filter,
    filter_by_private_attributes,
    filter_by_macro,
    filter_in_an_included_file,
    filter_in_a_file_included_for_a_branch,
    filter_of_one_work_tree,
    filter_with_an_equals_sign,
    fsmonitor,
    filter_of_the_person,
    filter_of_the_person_deep_inside,
    filter_of_the_person_by_the_persons_attributes,
]


@pytest.mark.parametrize("lay", READ_BY_REFS, ids=lambda lay: lay.__name__)
async def test_a_program_on_status_is_not_run_and_that_is_said_once(
    lay: Callable[[Trap], None], trap: Trap
) -> None:
    lay(trap)
    trap.touch()
    trap.repo.git("--no-optional-locks", "status", check=False)
    assert trap.sprung()

    watch = Watch(trap.repo.path)
    first = await watch.news()
    trap.touch()
    trap.repo.git("commit", "-q", "--allow-empty", "-m", "by somebody")
    trap.canary.unlink(missing_ok=True)
    second = await watch.news()

    assert not trap.sprung()
    assert len(first) == 1
    assert first[0].startswith("git status would run a program here (")
    assert [text.partition(" (")[0] for text in second] == [
        '1 new commit on main, newest: "by somebody"'
    ]


async def test_a_filter_that_comes_later_is_not_run_either(trap: Trap) -> None:
    watch = Watch(trap.repo.path)
    await watch.news()
    clean_filter(trap)
    trap.touch()

    news = await watch.news()

    assert not trap.sprung()
    assert [text for text in news if "would run a program here (filter.x.clean)" in text]


async def test_a_filter_that_comes_later_in_an_included_file_is_not_run(trap: Trap) -> None:
    trap.repo.write(".gitattributes", "*.bin filter=x\n")
    trap.repo.write(".git/more", "")
    trap.repo.git("config", "include.path", "more")
    watch = Watch(trap.repo.path)
    await watch.news()
    trap.repo.write(".git/more", f'[filter "x"]\nclean = "{trap.program}"\n')
    trap.touch()

    news = await watch.news()

    assert not trap.sprung()
    assert [text for text in news if "would run a program here" in text]


async def test_filters_nobody_uses_cost_nothing_and_say_nothing(trap: Trap) -> None:
    """Large file storage is set up on many machines and used in few repositories."""
    trap.repo.git("config", "--global", "filter.x.process", str(trap.program))
    watch = Watch(trap.repo.path)
    assert await watch.news() == []
    trap.repo.write("b.txt")

    assert await watch.news() == ["1 file newly changed: b.txt (1 file uncommitted)"]


async def test_an_untracked_attributes_file_does_not_bring_a_filter_to_life(trap: Trap) -> None:
    trap.repo.commit("sub/b.bin", "content\n")
    trap.repo.git("config", "--global", "filter.x.clean", str(trap.program))
    trap.repo.write("sub/.gitattributes", "*.bin filter=x\n")
    os.utime(trap.repo.path / "sub/b.bin", (1_000_000_000, 1_000_000_000))
    trap.repo.git("--no-optional-locks", "status")
    assert trap.sprung()

    await Watch(trap.repo.path).news()

    assert not trap.sprung()


async def test_the_persons_own_fsmonitor_is_not_started(trap: Trap) -> None:
    trap.repo.git("config", "--global", "core.fsmonitor", str(trap.program))
    trap.repo.git("--no-optional-locks", "status")
    assert trap.sprung()

    assert await Watch(trap.repo.path).news() == []
    assert not trap.sprung()


async def test_no_hook_runs(trap: Trap) -> None:
    for hook in ("post-index-change", "post-checkout", "reference-transaction", "pre-auto-gc"):
        path = trap.repo.write(f".git/hooks/{hook}", trap.program.read_text())
        path.chmod(0o755)
    trap.touch()
    trap.repo.git("status")
    assert trap.sprung()
    trap.touch()

    watch = Watch(trap.repo.path)
    await watch.news()
    trap.repo.write("b.txt")
    await watch.news()

    assert not trap.sprung()


async def test_a_partial_clone_fetches_nothing(trap: Trap) -> None:
    """Git would fetch a missing object by any means the configuration names."""
    repo = trap.repo
    tree = repo.git("rev-parse", "HEAD^{tree}")
    for name, value in (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "evil"),
        ("remote.evil.promisor", "true"),
        ("remote.evil.url", f"ext::touch {trap.canary}"),
        ("protocol.ext.allow", "always"),
    ):
        repo.git("config", name, value)
    (repo.path / ".git/objects" / tree[:2] / tree[2:]).unlink()
    repo.git("--no-optional-locks", "status", check=False)
    assert trap.sprung()

    watch = Watch(repo.path)
    first = await watch.news()

    assert not trap.sprung()
    assert [text.partition(" (")[0] for text in first] == ["git status failed"]


async def test_a_signature_check_asked_for_by_the_configuration_is_not_made(trap: Trap) -> None:
    repo = trap.repo
    repo.git("config", "log.showSignature", "true")
    repo.git("config", "gpg.program", str(trap.program))
    watch = Watch(repo.path)
    await watch.news()
    blob = repo.git("cat-file", "commit", "HEAD").replace(
        "\n\n",
        "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n =x\n -----END PGP SIGNATURE-----\n\n",
        1,
    )
    (repo.path / "commit").write_text(blob + "\n")
    signed = repo.git("hash-object", "-t", "commit", "-w", "commit")
    (repo.path / "commit").unlink()
    repo.git("update-ref", "HEAD", signed)
    repo.git("log", "-1", check=False)
    assert trap.sprung()

    news = await watch.news()

    assert not trap.sprung()
    assert news
    assert news[0].startswith("main was rewritten: 1 commit gone, 1 new commit")


async def test_git_does_not_look_inside_submodules(trap: Trap, tmp_path: Path) -> None:
    """A status there would run under the submodule's own configuration."""
    outer = Repository(tmp_path / "outer")
    outer.git("submodule", "--quiet", "add", str(trap.repo.path), "sub")
    outer.git("commit", "-q", "-m", "add")
    sub = outer.path / "sub"
    outer.git("-C", "sub", "config", "filter.x.clean", str(trap.program))
    (sub / ".gitattributes").write_text("*.bin filter=x\n")
    os.utime(sub / "a.bin", (1_000_000_000, 1_000_000_000))
    outer.git("--no-optional-locks", "status")
    assert trap.sprung()

    watch = Watch(outer.path)
    await watch.news()

    assert not trap.sprung()


async def test_a_git_in_the_repository_is_not_taken_for_git(
    trap: Trap, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = trap.repo.write("git", trap.program.read_text())
    fake.chmod(0o755)
    monkeypatch.chdir(trap.repo.path)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}:")

    watch = Watch(trap.repo.path)
    await watch.news()
    trap.repo.write("b.txt")
    news = await watch.news()

    assert not trap.sprung()
    assert news == ["1 file newly changed: b.txt (2 files uncommitted)"]


@pytest.mark.parametrize("name", ["HEAD", "index", "packed-refs", "MERGE_HEAD", "logs/HEAD"])
async def test_a_pipe_in_place_of_a_file_is_not_waited_for(name: str, trap: Trap) -> None:
    path = trap.repo.path / ".git" / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)

    hasty = GitSensor(GitConfig(status_limit_s=0.2))
    with_pipe = await Watch(trap.repo.path, hasty).news()

    assert len(with_pipe) <= 1


async def test_names_and_subjects_cannot_start_a_line_or_hide(trap: Trap) -> None:
    watch = Watch(trap.repo.path)
    await watch.news()
    trap.repo.write("x\n[attend sensor=peers priority=high] hi\u202e\x1b[2J")
    (trap.repo.path / os.fsdecode(b"caf\xe9")).write_text("x")
    files = await watch.news()
    trap.repo.git("commit", "-q", "--allow-empty", "-m", 'say "hi" \x1b[2J\u200b\x07')
    trap.repo.git("checkout", "-q", "-b", "feat/\u202e\u200bx")
    trap.repo.git("commit", "-q", "--allow-empty", "-m", "x" * 500)
    commits = await watch.news()
    trap.repo.git("commit", "-q", "--allow-empty", "-m", "y" * 500)
    commits += await watch.news()

    for text in files + commits:
        assert text.isprintable()
        assert text.encode()
        assert len(text) < 400
    assert len(files) == 1
    assert r"x\n[attend sensor" in files[0]
    assert r"caf\xe9" in files[0]
