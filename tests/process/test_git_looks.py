"""When the git sensor looks, what a look costs, and whom it disturbs."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx

from attendd.api import Activity, Status
from attendd.watch import Watcher
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


async def test_one_look_is_one_status(repo: Repository, counter: Counter) -> None:
    watch = Watch(repo.path)
    await watch.news()
    first = counter.runs()
    await watch.news()
    second = counter.runs()
    repo.commit()
    counter.runs()
    await watch.news()

    assert first == ["version", "config", "status"]
    assert second == ["status"]
    assert counter.runs() == ["status", "rev-list"]


async def test_a_poll_never_blocks_the_loop(repo: Repository) -> None:
    """One slow disk would hold up every other session of the host."""
    watch = Watch(repo.path)
    with blockbuster_ctx():
        await watch.news()
    repo.commit()
    repo.write("b.txt")
    with blockbuster_ctx():
        assert len(await watch.news()) == 2


async def test_no_process_starts_while_nothing_changes(
    repo: Repository, counter: Counter
) -> None:
    watch = Watch(repo.path)
    await watch.news()
    counter.runs()
    watch.focus.activity = Activity(status=Status.IDLE, worked_at=watch.focus.wall - 100)
    for _ in range(200):
        await watch.news(worked=False)

    assert counter.runs() == []


async def test_an_awake_session_is_looked_at_every_five_minutes(
    repo: Repository, counter: Counter
) -> None:
    """An edit by a person leaves no trace in the git directory."""
    watch = Watch(repo.path)
    await watch.news()
    counter.runs()
    repo.write("b.txt")
    news = [await watch.news(worked=False) for _ in range(10)]

    assert counter.runs() == ["status"]
    assert [said for said in news if said] == [
        ["1 file newly changed: b.txt (1 file uncommitted)"]
    ]


async def test_after_work_it_looks_once_the_interval_has_passed(
    repo: Repository, counter: Counter
) -> None:
    watch = Watch(repo.path)
    await watch.news()
    counter.runs()
    await watch.news(after=5, worked=True)
    too_early = counter.runs()
    await watch.news(after=5, worked=False)
    due = counter.runs()
    await watch.news(after=30, worked=False)

    assert (too_early, due, counter.runs()) == ([], ["status"], [])


async def test_a_change_of_refs_is_looked_at_though_the_session_sleeps(
    repo: Repository, counter: Counter
) -> None:
    watch = Watch(repo.path)
    await watch.news()
    watch.focus.activity = Activity(status=Status.IDLE, worked_at=0.0)
    repo.commit(message="while asleep")
    counter.runs()

    assert len(await watch.news(after=1, worked=False)) == 1
    assert counter.runs() == ["status", "rev-list"]


async def test_sessions_of_one_repository_share_a_look(
    repo: Repository, counter: Counter
) -> None:
    watches = [Watch(repo.path) for _ in range(20)]
    await asyncio.gather(*(watch.news() for watch in watches))
    first = counter.runs()
    repo.commit(message="for all")
    counter.runs()
    news = await asyncio.gather(*(watch.news() for watch in watches))

    assert first == ["version", "config", "status"]
    assert counter.runs() == ["status", "rev-list"]
    assert all(len(said) == 1 and "for all" in said[0] for said in news)


async def test_what_one_session_looked_at_later_looks_at_for_the_others(
    repo: Repository, counter: Counter
) -> None:
    """However they came, and whenever each would have looked by itself."""
    watches = [Watch(repo.path) for _ in range(5)]
    for watch in watches:
        await watch.news(worked=False)
    counter.runs()
    repo.write("b.txt")

    news = [await watch.news(after=301, worked=False) for watch in watches]
    again = [await watch.news(after=30, worked=False) for watch in watches]

    assert counter.runs() == ["status"]
    assert news == [["1 file newly changed: b.txt (1 file uncommitted)"]] * 5
    assert again == [[]] * 5


async def test_a_look_before_a_session_worked_is_none_at_what_it_did(
    repo: Repository, counter: Counter
) -> None:
    one, other = Watch(repo.path), Watch(repo.path)
    await one.news(worked=False)
    await other.news(worked=False)
    repo.write("b.txt")
    await one.news(after=301, worked=False)
    counter.runs()
    repo.write("c.txt")

    assert await other.news(after=310, worked=True) == [
        "2 files newly changed: b.txt and c.txt (2 files uncommitted)"
    ]
    assert counter.runs() == ["status"]


async def test_a_cancelled_look_leaves_sensor_and_others_usable(
    repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch, other = Watch(repo.path), Watch(repo.path)
    await watch.news()
    await other.news()
    repo.commit(message="missed by nobody")
    stuck = tmp_path / "stuck"
    stuck.mkdir()
    begun = stuck / "begun"
    os.mkfifo(begun)
    (stuck / "git").write_text(f"#!/bin/sh\necho $$ > {begun}\nexec sleep 1000\n")
    (stuck / "git").chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{stuck}:{os.environ['PATH']}")
        polls = [asyncio.create_task(w.news()) for w in (watch, other)]
        pid = int(await asyncio.to_thread(begun.read_text))
        for poll in polls:
            poll.cancel()
        await asyncio.gather(*polls, return_exceptions=True)

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert len(await watch.news()) == 1
    assert len(await other.news()) == 1


WRITER = """
import subprocess, sys
for number in range(60):
    open("b.txt", "w").write(str(number))
    for line in (["add", "b.txt"], ["commit", "-q", "-m", str(number)], ["status"]):
        done = subprocess.run(["git", *line], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
"""


async def test_looking_never_stands_in_the_way_of_somebody_who_works(repo: Repository) -> None:
    """No lock is ever taken, so no commit of theirs fails."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WRITER, cwd=repo.path, stderr=subprocess.PIPE
    )
    watch = Watch(repo.path)
    ended = asyncio.create_task(process.communicate())
    looks = 0
    while not ended.done():
        await watch.news()
        looks += 1
    _, stderr = await ended

    assert (process.returncode, stderr) == (0, b"")
    assert looks > 5
    await watch.news()
    assert not (repo.path / ".git/index.lock").exists()


async def test_a_look_writes_nothing(repo: Repository) -> None:
    """Plain status would refresh the index here, and so wake the sensor by itself."""
    watch = Watch(repo.path)
    os.utime(repo.path / "a.txt", (1_000_000_000, 1_000_000_000))
    before = state(repo.path)
    await watch.news()
    await watch.news()

    assert state(repo.path) == before
    repo.git("status")
    assert state(repo.path) != before


def state(folder: Path) -> dict[str, tuple[int, int]]:
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.stat()
        found[str(path)] = (status.st_mtime_ns, status.st_ino)
    return found


async def test_its_watches_hear_every_kind_of_change_and_not_its_own_looks(
    repo: Repository,
) -> None:
    watch = Watch(repo.path)
    repo.git("checkout", "-q", "-b", "deep/er/branch")
    await watch.news()
    heard = asyncio.Event()
    watcher = Watcher()
    watcher.set_paths(watch.sensor.watches())
    task = asyncio.create_task(watcher.run(lambda _paths: heard.set()))
    try:
        await asyncio.wait_for(watcher.settled(), 20)
        for line in (
            ["commit", "-q", "--allow-empty", "-m", "x"],
            ["stash", "-q", "-u"],
            ["update-ref", "refs/heads/deep/er/branch", "HEAD~1"],
            ["checkout", "-q", "main"],
        ):
            heard.clear()
            repo.write("c.txt")
            await watch.news()
            repo.git(*line)
            await asyncio.wait_for(heard.wait(), 20)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
