"""The watcher against real files and the real inotify."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from attendd.watch import Watcher
from tests.process.reading import eventually

pytestmark = pytest.mark.asyncio
DEADLINE_S = 20


class Ear:
    """Collects what a running watcher reports."""

    def __init__(self, watcher: Watcher) -> None:
        self.watcher = watcher
        self._heard: set[Path] = set()
        self._more = asyncio.Event()

    def __call__(self, paths: set[Path]) -> None:
        self._heard |= paths
        self._more.set()

    async def hears(self, path: Path) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while path not in self._heard:
                self._more.clear()
                await self._more.wait()
        self._heard.discard(path)

    async def settles(self) -> None:
        """Wait until the watches are in force, and forget what was heard so far."""
        async with asyncio.timeout(DEADLINE_S):
            await self.watcher.settled()
        self._heard.clear()

    def heard(self, path: Path) -> bool:
        return path in self._heard


@asynccontextmanager
async def watching(*paths: Path) -> AsyncIterator[Ear]:
    watcher = Watcher()
    watcher.set_paths(paths)
    ear = Ear(watcher)
    task = asyncio.create_task(watcher.run(ear))
    try:
        await ear.settles()
        yield ear
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "repo" / ".git"
    (path / "logs").mkdir(parents=True)
    (path / "HEAD").write_text("ref: refs/heads/main\n")
    return path


async def test_a_changed_entry_is_reported_as_its_folder(folder: Path) -> None:
    async with watching(folder) as ear:
        (folder / "HEAD").write_text("ref: refs/heads/other\n")
        await ear.hears(folder)


async def test_a_file_replaced_by_rename_is_still_watched(folder: Path) -> None:
    """Git replaces HEAD and index so; a watch on the file itself would keep the old one."""
    head = folder / "HEAD"
    async with watching(head) as ear:
        for text in ("one", "two"):
            (folder / "HEAD.lock").write_text(text)
            (folder / "HEAD.lock").rename(head)
            await ear.hears(head)


async def test_a_neighbour_of_a_watched_file_is_not_reported(folder: Path) -> None:
    head = folder / "HEAD"
    async with watching(head) as ear:
        (folder / "index").write_text("x")
        head.write_text("y")
        await ear.hears(head)

        assert not ear.heard(folder)


async def test_paths_can_be_added_and_old_ones_lose_nothing(folder: Path) -> None:
    other = folder / "logs"
    async with watching(folder) as ear:
        ear.watcher.set_paths([folder, other])
        (folder / "index").write_text("x")
        await ear.hears(folder)
        await ear.settles()
        (other / "HEAD").touch()
        await ear.hears(other)


async def test_who_waits_for_watches_gets_through_when_others_are_wanted_meanwhile(
    folder: Path,
) -> None:
    async with watching(folder) as ear:
        ear.watcher.set_paths([folder, folder / "logs"])
        waiting = asyncio.create_task(ear.settles())
        await asyncio.sleep(0)
        ear.watcher.set_paths([folder / "logs"])

        await waiting


async def test_a_path_no_longer_wanted_is_not_reported(folder: Path) -> None:
    other = folder / "logs"
    async with watching(folder, other) as ear:
        ear.watcher.set_paths([folder])
        await ear.settles()
        (other / "HEAD").touch()
        (folder / "index").touch()
        await ear.hears(folder)

        assert not ear.heard(other)


async def test_a_path_that_does_not_exist_yet_is_noticed(folder: Path) -> None:
    merge = folder / "rebase-merge"
    async with watching(folder / "logs", merge) as ear:
        merge.mkdir()
        await ear.hears(merge)
        await ear.settles()
        (merge / "done").touch()
        await ear.hears(merge)


async def test_a_folder_deleted_and_made_again_is_watched_again(folder: Path) -> None:
    async with watching(folder) as ear:
        shutil.rmtree(folder)
        await ear.hears(folder)
        await ear.settles()
        make(folder)
        await ear.hears(folder)
        await ear.settles()
        (folder / "HEAD").touch()
        await ear.hears(folder)


async def test_a_folder_replaced_by_another_is_watched_in_its_place(folder: Path) -> None:
    async with watching(folder) as ear:
        replace(folder)
        await ear.hears(folder)
        await ear.settles()
        (folder / "HEAD").touch()
        await ear.hears(folder)


def make(folder: Path) -> None:
    folder.mkdir()


def replace(folder: Path) -> None:
    folder.rename(folder.with_name(".git-old"))
    folder.mkdir()


async def test_nothing_to_watch_is_no_failure() -> None:
    async with watching(Path("/nowhere/at/all")) as ear:
        assert ear.watcher.failed == ""


async def test_a_name_that_is_no_text_is_left_to_polling(tmp_path: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    make(odd)
    good = tmp_path / "good"
    make(good)
    async with watching(good, odd) as ear:
        (good / "x").touch()
        await ear.hears(good)


def read(folder: Path) -> None:
    list(folder.iterdir())
    (folder / "HEAD").read_text()


async def test_reading_is_no_change(folder: Path) -> None:
    """Attend must not wake itself by looking."""
    logs = folder / "logs"
    async with watching(folder, logs) as ear:
        read(folder)
        (logs / "HEAD").touch()
        await ear.hears(logs)

        assert not ear.heard(folder)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts in /proc")
async def test_cancelling_leaves_no_watch_behind(folder: Path) -> None:
    """Also when the scope is anyio's, which waits for its threads."""
    watcher = Watcher()
    watcher.set_paths([folder])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watcher.run, lambda _paths: None)
        await watcher.settled()
        held = inotify_instances()
        tasks.cancel_scope.cancel()

    assert held == 1
    eventually(lambda: inotify_instances() == 0)


def inotify_instances() -> int:
    links = [fd.readlink() for fd in Path("/proc/self/fd").iterdir() if fd.is_symlink()]
    return sum("inotify" in str(link) for link in links)


EXHAUSTED = """
import asyncio, sys
from pathlib import Path
from attendd.watch import Watcher

async def main():
    watcher = Watcher()
    watcher.set_paths([Path(sys.argv[1])])
    task = asyncio.create_task(watcher.run(lambda paths: None))
    await watcher.settled()
    print(watcher.failed)
    assert not task.done()
    task.cancel()

asyncio.run(main())
"""


def run(line: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(line, capture_output=True, text=True, check=False, timeout=DEADLINE_S)


def namespaces() -> bool:
    return (
        shutil.which("unshare") is not None and run(["unshare", "-Ur", "true"]).returncode == 0
    )


@pytest.mark.parametrize(
    ("limit", "knob"),
    [
        ("max_inotify_instances", "max_user_instances"),
        ("max_inotify_watches", "max_user_watches"),
    ],
)
async def test_no_watches_left_is_said_and_polling_goes_on(
    limit: str, knob: str, folder: Path
) -> None:
    """In a user namespace of its own, so that no other program of the machine is starved."""
    script = f'echo 0 > /proc/sys/user/{limit} && exec "$@"'
    line = [
        "unshare",
        "-Ur",
        "sh",
        "-c",
        script,
        "sh",
        sys.executable,
        "-c",
        EXHAUSTED,
        str(folder),
    ]
    if not namespaces():
        pytest.skip("no user namespaces here")
    done = run(line)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("watching failed (no inotify")
    assert knob in done.stdout
    assert "found by looking, within a minute" in done.stdout
