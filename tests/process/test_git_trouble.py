"""Repositories too large, broken or not ours, and a host in an odd environment."""

import asyncio
import os
import re
import shutil
import threading
from pathlib import Path, PosixPath
from typing import Self

import pytest

from sensors.git import GitConfig, GitSensor
from tests.repos import Repository, Watch, fresh_home, one_commit

pytestmark = pytest.mark.asyncio


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return fresh_home(tmp_path, monkeypatch)


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    repo = Repository(tmp_path / "repo")
    repo.commit(message="first")
    return repo


@pytest.mark.parametrize(
    "variables",
    [
        {"LANG": "de_DE.UTF-8", "LANGUAGE": "de", "LC_ALL": "de_DE.UTF-8"},
        {"LANG": "ja_JP.eucJP", "LC_ALL": "ja_JP.eucJP", "LANGUAGE": "ja"},
        {"GIT_DIR": "/elsewhere/.git", "GIT_WORK_TREE": "/elsewhere"},
        {"GIT_INDEX_FILE": "/elsewhere/index", "GIT_OBJECT_DIRECTORY": "/elsewhere"},
        {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "status.branch",
            "GIT_CONFIG_VALUE_0": "x",
        },
        {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CEILING_DIRECTORIES": "/"},
        {
            "GIT_TRACE": "1",
            "GIT_TRACE2": "1",
            "GIT_NAMESPACE": "x",
            "GIT_LITERAL_PATHSPECS": "1",
        },
        {"GIT_PAGER": "false", "PAGER": "false", "GIT_EDITOR": "false", "GIT_EXEC_PATH": "/x"},
    ],
    ids=lambda variables: next(iter(variables.values())) + next(iter(variables)),
)
async def test_the_environment_of_the_host_changes_nothing(
    variables: dict[str, str], repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = Watch(repo.path)
    with monkeypatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        first = await watch.news()
    repo.commit(message="seen")
    repo.write("b.txt")
    with monkeypatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        second = await watch.news()

    assert first == []
    assert one_commit(second[:1], "main", "seen")
    assert second[1:] == ["1 file newly changed: b.txt (1 file uncommitted)"]


@pytest.mark.parametrize("rubbish", ["garbage\n", ""])
async def test_a_head_that_is_rubbish_is_called_so_and_its_return_too(
    repo: Repository, rubbish: str
) -> None:
    watch = Watch(repo.path)
    await watch.news()
    head = repo.path / ".git" / "HEAD"
    whole = head.read_text()

    head.write_text(rubbish)
    broken = await watch.news()
    again = await watch.news()
    head.write_text(whole)
    restored = await watch.news()

    assert broken[0] == "HEAD names neither a branch nor a commit any more; it was main"
    assert [each[:17] for each in broken[1:]] == ["git status failed"]
    assert again == []
    assert restored == ["HEAD can be read again: main"]


async def test_a_hundred_thousand_untracked_files(repo: Repository) -> None:
    """The answer is read to its limit and no further, and that is said once."""
    for number in range(1000):
        (repo.path / f"file with a rather long name {number:04}").touch()
    few = await Watch(repo.path).news()
    name = "x" * 40
    for number in range(99_000):
        os.close(os.open(repo.path / f"{name}{number}", os.O_CREAT | os.O_WRONLY))
    watch = Watch(repo.path)
    first = await watch.news()
    again = await watch.news()
    repo.commit(message="still seen")
    commits = await watch.news()

    assert few == []
    assert len(first) == 1
    assert re.fullmatch(
        r"counting stopped at [12]\d,\d{3} changed or untracked files", first[0]
    )
    assert again == []
    assert one_commit(commits[:1], "main", "still seen")


async def test_a_status_that_takes_too_long_is_tried_more_rarely(
    repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "slow"
    slow.mkdir()
    real = shutil.which("git")
    script = f'case "$*" in *" status "*) exec sleep 1000;; esac; exec "{real}" "$@"'
    (slow / "git").write_text(f"#!/bin/sh\n{script}\n")
    (slow / "git").chmod(0o755)
    watch = Watch(repo.path, GitSensor(GitConfig(status_limit_s=0.5)))
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{slow}:{os.environ['PATH']}")
        first = await watch.news()
        repo.commit("b.txt", message="by refs")
        second = await watch.news()
    repo.write("c.txt")
    too_soon = await watch.news()
    later = await watch.news(after=600)
    repo.write("d.txt")

    assert first == ["git status takes longer than 0.5 s here, only refs are read"]
    assert one_commit(second, "main", "by refs")
    assert (too_soon, later) == ([], [])
    assert await watch.news() == ["1 file newly changed: d.txt (2 files uncommitted)"]


@pytest.mark.skipif(os.geteuid() != 0, reason="giving files away takes the superuser")
async def test_a_repository_of_another_user(repo: Repository) -> None:
    for path in [repo.path, *repo.path.rglob("*")]:
        os.chown(path, 12345, 12345)
    watch = Watch(repo.path)
    first = await watch.news()
    (repo.path / ".git/HEAD").write_text("ref: refs/heads/other\n")

    assert first == [
        "the repository belongs to another user and git refuses it, only refs are read"
    ]
    assert watch.sensor.limits().startswith(f"{first[0]}; git's safe.directory ")
    assert await watch.news() == ["branch changed: main → other"]


async def test_a_broken_configuration_is_said_and_refs_are_read(repo: Repository) -> None:
    watch = Watch(repo.path)
    await watch.news()
    with (repo.path / ".git/config").open("a") as config:
        config.write("[broken\n")

    said = await watch.news()
    assert len(said) == 1
    assert re.fullmatch(r"git config failed \(bad config .*\), only refs are read", said[0])
    assert watch.sensor.limits() == f"{said[0]}; `git config --list` there says it whole"
    assert await watch.news() == []


async def test_a_folder_that_is_gone_is_said_to_people(repo: Repository) -> None:
    folder = repo.path / "deep"
    folder.mkdir()
    watch = Watch(folder)
    await watch.news()
    assert watch.sensor.limits() == ""

    folder.rmdir()
    assert await watch.news() == []
    assert watch.sensor.limits().startswith(f"{folder} is gone; make it again, or ")

    folder.mkdir()
    await watch.news()
    assert watch.sensor.limits() == ""


async def test_a_git_older_than_supported_is_not_asked(
    repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "old"
    old.mkdir()
    (old / "git").write_text('#!/bin/sh\n[ "$1" = version ] && echo "git version 2.17.1"\n')
    (old / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{old}:{os.environ['PATH']}")

    watch = Watch(repo.path)
    first = await watch.news()

    assert first == ["git 2.17 is older than 2.30, only refs are read"]
    assert watch.sensor.limits() == f"{first[0]}; install a newer git"


async def test_no_repository_at_all_is_silence_and_people_see_why(tmp_path: Path) -> None:
    watch = Watch(tmp_path)

    assert await watch.news() == []
    assert watch.sensor.limits() == "no repository here"
    Repository(tmp_path)
    await watch.news()
    assert watch.sensor.limits() == ""
    assert await Watch(tmp_path / "nowhere").news() == []
    assert await Watch(Path("/proc/self")).news() == []


async def test_a_hung_file_system_holds_up_one_poll_and_no_thread_more(
    repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first poll is cancelled by its deadline; the next ones fail until it answers."""
    answered = threading.Event()
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()
    watch = Watch(repo.path)

    class Slow(PosixPath):
        def resolve(self, strict: bool = False) -> Self:  # noqa: FBT001, FBT002 - pathlib's
            loop.call_soon_threadsafe(begun.set)
            answered.wait(20)
            return super().resolve(strict)

    watch.focus.workdir = Slow(repo.path)
    poll = asyncio.create_task(watch.news())
    await asyncio.wait_for(begun.wait(), 20)
    poll.cancel()
    await asyncio.gather(poll, return_exceptions=True)
    with pytest.raises(TimeoutError, match="has not answered yet"):
        await watch.news()
    answered.set()
    await asyncio.sleep(0)


async def test_git_that_vanishes_is_said_and_refs_are_still_read(
    repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = Watch(repo.path)
    await watch.news()
    repo.commit(message="unseen")
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path / "nothing"))
        without = await watch.news()
    (repo.path / "b.txt").write_text("x")

    assert len(without) == 2
    assert without[0].startswith("main moved to ")
    assert without[1] == "git is not installed, only refs are read"
    assert watch.sensor.limits() == (
        "git is not installed, only refs are read;"
        " install git, or have it on the PATH of what runs attend's host"
    )
    heir = GitSensor(GitConfig())
    heir.restore(watch.sensor.snapshot())
    assert heir.limits() == watch.sensor.limits()
    await watch.news()
    assert watch.sensor.limits() == ""
    assert shutil.which("git")
