"""Every kind of repository, and places where there is none."""

import os
import shutil
from pathlib import Path

import pytest

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


async def test_a_linked_work_tree_has_its_own_head(repo: Repository, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", "-b", "feat/wt", str(tmp_path / "wt"))
    linked = Repository(tmp_path / "wt")
    here, there = Watch(repo.path), Watch(linked.path)
    await here.news()
    await there.news()
    linked.commit(message="in the other")

    assert one_commit(await there.news(worked=False), "feat/wt", "in the other")
    assert await here.news(worked=False) == []


async def test_a_rebase_in_a_linked_work_tree_is_its_own(
    repo: Repository, tmp_path: Path
) -> None:
    repo.git("branch", "side")
    repo.commit("a.txt", "main\n")
    repo.git("worktree", "add", "-q", str(tmp_path / "wt"), "side")
    linked = Repository(tmp_path / "wt")
    linked.commit("a.txt", "side\n")
    here, there = Watch(repo.path), Watch(linked.path)
    await here.news()
    await there.news()
    linked.git("rebase", "main", check=False)

    assert (await there.news())[0] == "rebase of side started, 1 file in conflict"
    assert await here.news() == []


async def test_a_submodule_is_a_repository_of_its_own(repo: Repository, tmp_path: Path) -> None:
    outer = Repository(tmp_path / "outer")
    outer.git("submodule", "--quiet", "add", str(repo.path), "sub")
    outer.git("commit", "-q", "-m", "add")
    sub = Repository(outer.path / "sub")
    inside, outside = Watch(sub.path), Watch(outer.path)
    await inside.news()
    await outside.news()
    sub.commit("b.txt", message="inside")

    assert one_commit((await inside.news())[:1], "main", "inside")
    assert await outside.news() == ["1 file newly changed: sub (1 file uncommitted)"]


async def test_a_subdirectory_sees_the_whole_repository(repo: Repository) -> None:
    (repo.path / "deep/er").mkdir(parents=True)
    watch = Watch(repo.path / "deep/er")
    await watch.news()
    repo.write("b.txt")

    assert await watch.news() == ["1 file newly changed: b.txt (1 file uncommitted)"]


async def test_a_bare_repository_tells_of_pushes(repo: Repository, tmp_path: Path) -> None:
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    watch = Watch(tmp_path / "bare")
    assert await watch.news() == []
    repo.commit(message="pushed")
    repo.git("push", "-q", str(tmp_path / "bare"), "main")

    assert one_commit(await watch.news(worked=False), "main", "pushed")


async def test_work_trees_around_a_bare_repository(repo: Repository, tmp_path: Path) -> None:
    """A common layout: ``.git`` names a bare repository beside its work trees."""
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "proj/.bare"))
    (tmp_path / "proj/.git").write_text("gitdir: ./.bare\n")
    repo.git("-C", str(tmp_path / "proj"), "worktree", "add", "-q", "main")
    linked = Repository(tmp_path / "proj/main")
    around, inside = Watch(tmp_path / "proj"), Watch(linked.path)
    assert await around.news() == []
    await inside.news()
    linked.commit("b.txt", message="inside")

    assert one_commit(await inside.news(), "main", "inside")
    assert one_commit(await around.news(), "main", "inside")


async def test_an_unborn_branch_and_its_first_commit(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "new")
    watch = Watch(repo.path)
    assert await watch.news() == []
    repo.write("a.txt")
    assert await watch.news() == ["1 file newly changed: a.txt (1 file uncommitted)"]
    repo.commit(message="born")

    said = await watch.news()
    assert said[0].startswith('first commit on main, newest: "born" (')
    assert said[1:] == ["work tree clean again"]


async def test_a_repository_that_appears(tmp_path: Path) -> None:
    folder = tmp_path / "later"
    folder.mkdir()
    watch = Watch(folder)
    assert await watch.news() == []
    assert watch.sensor.watches() == (folder / ".git",)
    Repository(folder)

    assert await watch.news() == [f"a repository appeared at {folder}, on main"]


async def test_a_repository_that_goes_and_comes_back(repo: Repository, tmp_path: Path) -> None:
    watch = Watch(repo.path)
    await watch.news()
    shutil.move(repo.path / ".git", tmp_path / "aside")
    gone = await watch.news()
    still = await watch.news()
    shutil.move(tmp_path / "aside", repo.path / ".git")

    assert (gone, still) == ([f"the repository at {repo.path} is gone"], [])
    assert await watch.news() == [f"the repository at {repo.path} is back, on main"]
    repo.commit(message="as ever")
    assert one_commit(await watch.news(), "main", "as ever")


async def test_a_repository_that_goes_while_it_is_looked_at_is_gone_and_nothing_else(
    repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = Watch(repo.path)
    await watch.news()
    repo.commit(message="second")
    git = tmp_path / "bin" / "git"
    git.parent.mkdir()
    git.write_text(f"#!/bin/sh\nrm -f '{repo.path}/.git/HEAD'\nexit 128\n")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", f"{git.parent}:{os.environ['PATH']}")

    assert await watch.news() == [f"the repository at {repo.path} is gone"]


async def test_a_repository_that_goes_and_comes_back_as_another(repo: Repository) -> None:
    watch = Watch(repo.path)
    await watch.news()
    shutil.rmtree(repo.path)
    await watch.news()
    Repository(repo.path).commit(message="other")

    said = await watch.news()
    assert len(said) == 1
    assert "repository" in said[0]


async def test_a_new_repository_around_the_session_is_another(repo: Repository) -> None:
    sub = repo.path / "sub"
    sub.mkdir()
    watch = Watch(sub)
    await watch.news()
    Repository(sub)

    expected = f"another repository took the place of {repo.path}: {sub}, on main"
    assert await watch.news() == [expected]


async def test_a_session_whose_folder_was_deleted_still_hears_of_its_repository(
    repo: Repository,
) -> None:
    sub = repo.path / "sub"
    sub.mkdir()
    watch = Watch(sub)
    await watch.news()
    sub.rmdir()
    assert await watch.news() == []
    repo.commit(message="after")

    assert one_commit(await watch.news(), "main", "after")


async def test_a_deleted_project_is_said_once_and_is_no_failure(repo: Repository) -> None:
    watch = Watch(repo.path)
    await watch.news()
    shutil.rmtree(repo.path)

    assert await watch.news() == [f"the repository at {repo.path} is gone"]
    assert await watch.news() == []


async def test_a_shallow_clone(repo: Repository, tmp_path: Path) -> None:
    repo.commit(message="second")
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.path}", str(tmp_path / "shallow"))
    shallow = Repository(tmp_path / "shallow")
    watch = Watch(shallow.path)
    assert await watch.news() == []
    repo.commit(message="third")
    shallow.git("pull", "-q")

    assert (await watch.news())[0].startswith('1 new commit on main, newest: "third" (')


async def test_a_repository_with_long_object_names(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "long", "--object-format=sha256")
    repo.commit()
    watch = Watch(repo.path)
    assert await watch.news() == []
    repo.commit(message="long")
    repo.git("pack-refs", "--all")

    assert one_commit(await watch.news(), "main", "long")
