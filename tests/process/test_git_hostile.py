"""A repository can be anybody's: no program of it runs because attend looked.

Each case first makes git itself run the program, to show that the trap is a trap.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repos import Trap, Watch, fresh_home

pytestmark = pytest.mark.asyncio


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


def filter_without_a_name(trap: Trap) -> None:
    trap.repo.write(".gitattributes", "*.bin filter=\n")
    with (trap.repo.path / ".git/config").open("a") as config:
        config.write(f'[filter ""]\nclean = "{trap.program}"\n')


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
    filter_without_a_name,
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
