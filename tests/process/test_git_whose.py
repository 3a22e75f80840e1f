"""Whose doing a change was, and what the sensor remembers between two looks."""

import asyncio
import json
import os
import subprocess
from pathlib import Path

import msgspec
import pytest

from attendd.api import Activity, Status
from sensors.git import GitConfig, GitSensor
from tests.repos import Counter, Repository, Watch, fresh_home

pytestmark = pytest.mark.asyncio


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    fresh_home(tmp_path, monkeypatch)
    repo = Repository(tmp_path / "repo")
    repo.commit()
    return repo


@pytest.fixture
def counter(repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Counter:
    return Counter(tmp_path / "bin", monkeypatch)


async def test_the_last_look_outlives_its_host(repo: Repository, counter: Counter) -> None:
    """What changed during the hand-over is told, and nothing twice."""
    watch = Watch(repo.path)
    await watch.news()
    repo.write("b.txt")
    await watch.news()
    saved = json.dumps(watch.sensor.snapshot())
    counter.runs()

    heir = GitSensor(GitConfig())
    heir.restore(json.loads(saved))
    after = Watch(repo.path, heir)
    after.focus.activity = Activity(status=Status.IDLE, worked_at=0.0)
    assert await after.news(worked=False) == []
    assert counter.runs() == []
    assert heir.watches() == watch.sensor.watches()
    repo.commit(message="in between")

    said = await after.news(worked=False)
    assert len(said) == 1
    assert "in between" in said[0]


async def test_a_look_of_another_release_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        GitSensor(GitConfig()).restore({"tree": 3})


async def test_a_session_that_moves_elsewhere_takes_a_new_baseline(
    repo: Repository, tmp_path: Path
) -> None:
    other = Repository(tmp_path / "other")
    other.commit()
    watch = Watch(repo.path)
    await watch.news()
    watch.focus.workdir = other.path

    assert await watch.news() == []
    other.commit(message="over there")
    assert len(await watch.news()) == 1


async def test_own_and_others_doings_are_told_apart(repo: Repository) -> None:
    watch = Watch(repo.path)
    await watch.news()
    with watch.own_call():
        repo.write("mine.txt")
        repo.git("stash", "-q")
        repo.git("checkout", "-q", "-b", "mine")
        repo.commit("b.txt", message="mine")
    own = await watch.observe()
    repo.git("gc", "-q")
    repo.write("theirs.txt")
    repo.commit("c.txt", message="theirs")
    others = await watch.observe()

    assert [o.text for o in own if not o.own] == []
    assert any(o.text.startswith("branch changed: main → mine, which has 1") for o in own)
    assert [o.own for o in others] == [False, False]


async def test_files_of_both_are_told_apart_in_one_look(repo: Repository) -> None:
    watch = Watch(repo.path)
    await watch.news()
    with watch.own_call():
        repo.write("mine.txt")
    repo.git("gc", "-q")
    repo.write("theirs.txt")

    seen = {o.text.split()[4]: o.own for o in await watch.observe()}

    assert seen == {"mine.txt": True, "theirs.txt": False}


async def test_a_foreign_commit_before_an_own_one_is_not_hidden_by_it(repo: Repository) -> None:
    """Both lie between two looks; the reflog tells their times apart."""
    watch = Watch(repo.path)
    await watch.news()
    repo.commit("c.txt", message="theirs")
    last = (repo.path / ".git/logs/HEAD").read_text().rsplit("> ", 1)[1].split()[0]
    await until_second(int(last) + 2)
    with watch.own_call():
        repo.commit("b.txt", message="mine")

    seen = await watch.observe()

    assert [o.own for o in seen] == [False]
    assert seen[0].text.startswith("1 new commit on main, beside 1 of this session's own")


@pytest.mark.parametrize("own_first", [True, False])
async def test_of_commits_of_both_only_the_others_are_counted_and_named(
    repo: Repository, *, own_first: bool
) -> None:
    """One right after the other, in the same second of the reflog."""
    watch = Watch(repo.path)
    await watch.news()
    if not own_first:
        backdate(repo, repo.commit("t.txt", message="theirs"))
    with watch.own_call():
        repo.commit("a.txt", message="mine")
        repo.commit("b.txt", message="mine too")
    if own_first:
        repo.commit("t.txt", message="theirs")

    (said,) = await watch.news()

    assert said.startswith("1 new commit on main, beside 2 of this session's own, newest: ")
    assert '"theirs" (' in said


async def test_what_the_session_merges_itself_is_its_own_whoever_made_it(
    repo: Repository,
) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("s.txt", message="theirs, some time ago")
    repo.git("checkout", "-q", "main")
    watch = Watch(repo.path)
    await watch.news()
    with watch.own_call():
        repo.git("merge", "-q", "side")
        repo.commit("a.txt", message="mine")

    assert await watch.news() == []


def backdate(repo: Repository, oid: str) -> None:
    """Have a commit be a twentieth of a second old; stamps are no finer than a tick."""
    path = repo.path / ".git/objects" / oid[:2] / oid[2:]
    os.utime(path, (path.stat().st_mtime - 0.05,) * 2)


async def until_second(second: int) -> None:
    """Wait for the clock that git stamps by, which has whole seconds."""
    await asyncio.to_thread(
        subprocess.run,
        ["sh", "-c", f"while [ $(date +%s) -lt {second} ]; do :; done"],
        check=True,
    )
