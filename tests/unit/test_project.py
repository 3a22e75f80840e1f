"""A project is one for all its worktrees, and another for every other folder."""

import os
import subprocess
from pathlib import Path

import pytest

from attendd.hot import identity


def git(path: Path, *words: str) -> None:
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    env |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    allow = ["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"]
    subprocess.run(
        ["git", *who, *allow, *words], cwd=path, env=env, check=True, capture_output=True
    )


def repository(path: Path) -> Path:
    path.mkdir(parents=True)
    git(path, "init", "-q")
    git(path, "commit", "-q", "--allow-empty", "-m", "First")
    return path


def test_a_repository_is_its_git_directory_seen_from_anywhere_in_it(tmp_path: Path) -> None:
    path = repository(tmp_path / "p")
    (path / "deep" / "er").mkdir(parents=True)

    for place in (path, path / "deep" / "er", path / ".git", path / ".git" / "refs"):
        assert identity.project_of(str(place)) == f"{path}/.git"


def test_all_worktrees_are_one_project_also_after_they_are_deleted(tmp_path: Path) -> None:
    path = repository(tmp_path / "p")
    git(path, "worktree", "add", "-q", "../other", "-b", "other")
    git(path, "worktree", "add", "-q", "inner", "-b", "inner")

    assert identity.project_of(str(tmp_path / "other")) == f"{path}/.git"
    assert identity.project_of(str(path / "inner")) == f"{path}/.git"
    assert identity.project_of(str(path / "inner" / "gone")) == f"{path}/.git"


def test_worktrees_of_a_bare_repository_belong_to_it(tmp_path: Path) -> None:
    path = repository(tmp_path / "p")
    git(tmp_path, "clone", "-q", "--bare", "p", "bare.git")
    git(tmp_path / "bare.git", "worktree", "add", "-q", "../w", "-b", "w")

    assert identity.project_of(str(tmp_path / "bare.git")) == f"{tmp_path}/bare.git"
    assert identity.project_of(str(tmp_path / "w")) == f"{tmp_path}/bare.git"
    assert identity.project_of(str(path)) == f"{path}/.git"


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    repository(tmp_path / "part")
    whole = repository(tmp_path / "whole")
    git(whole, "submodule", "add", "-q", "../part", "part")

    assert identity.project_of(str(whole / "part")) == f"{whole}/.git/modules/part"


def test_a_repository_without_a_commit_is_one(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    git(tmp_path / "p", "init", "-q")

    assert identity.project_of(str(tmp_path / "p")) == f"{tmp_path}/p/.git"


def test_what_the_environment_says_of_git_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = repository(tmp_path / "p"), repository(tmp_path / "q")
    monkeypatch.setenv("GIT_DIR", f"{other}/.git")
    monkeypatch.setenv("GIT_COMMON_DIR", f"{other}/.git")

    assert identity.project_of(str(path)) == f"{path}/.git"


def test_links_lead_to_one_project(tmp_path: Path) -> None:
    path = repository(tmp_path / "p")
    (tmp_path / "link").symlink_to("p")

    assert identity.project_of(f"{tmp_path}/link") == f"{path}/.git"


NAMES = ["a/b", "a_b", "a.b", "a-b", "A-b", "日本", "中文", "line\nfeed", " ", "gitdir: x", "e\u0301",
         "\u00e9", "x" * 250, "/".join(["y" * 100] * 4)]  # fmt: skip


@pytest.mark.parametrize("tracked", [False, True])
def test_names_that_look_alike_stay_apart(tmp_path: Path, tracked: bool) -> None:  # noqa: FBT001
    for name in NAMES:
        path = tmp_path / name
        if tracked:
            repository(path)
        else:
            path.mkdir(parents=True)
    end = "/.git" if tracked else ""

    keys = [identity.project_of(str(tmp_path / name)) for name in NAMES]

    assert keys == [f"{tmp_path}/{name}{end}" for name in NAMES]


def test_worktrees_with_newlines_in_their_names_find_home(tmp_path: Path) -> None:
    path = repository(tmp_path / "line\nfeed")
    git(path, "worktree", "add", "-q", "../an\nother", "-b", "other")

    assert identity.project_of(str(tmp_path / "an\nother")) == f"{path}/.git"


def test_names_that_are_no_text_stay_apart_and_can_be_stored(tmp_path: Path) -> None:
    names = [b"\xff", b"\xfe", b"\xff\n", rb"\xff"]
    for name in names:
        os.mkdir(os.fsencode(tmp_path) + b"/" + name)  # noqa: PTH102 - a path that is no text

    keys = [identity.project_of(f"{tmp_path}/{os.fsdecode(name)}") for name in names]

    assert len(set(keys)) == len(names)
    assert [key.encode() for key in keys]
    assert keys[0] == f"bytes:{(os.fsencode(tmp_path) + b'/' + names[0]).hex()}"


def test_a_broken_or_hostile_git_file_hangs_nobody(tmp_path: Path) -> None:
    for name, text in [("empty", ""), ("lost", "gitdir: ../gone/x\n"), ("odd", "gitdir: \0\n")]:
        (tmp_path / name).mkdir()
        (tmp_path / name / ".git").write_text(text)
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / ".git")

    assert identity.project_of(f"{tmp_path}/empty") == f"{tmp_path}/empty"
    assert identity.project_of(f"{tmp_path}/lost") == f"{tmp_path}/gone/x"
    assert identity.project_of(f"{tmp_path}/odd") == f"{tmp_path}/odd"
    assert identity.project_of(f"{tmp_path}/pipe") == f"{tmp_path}/pipe"


def test_a_projects_file_is_the_nearest_within_its_work_tree(tmp_path: Path) -> None:
    (tmp_path / ".attend.toml").write_text("")
    path = repository(tmp_path / "p")
    inner = path / "a" / "b"
    inner.mkdir(parents=True)

    assert identity.project_file(str(inner)) == ""
    (path / ".attend.toml").write_text("")
    assert identity.project_file(str(inner)) == f"{path}/.attend.toml"
    (path / "a" / ".attend.toml").write_text("")
    assert identity.project_file(str(inner)) == f"{path}/a/.attend.toml"
    assert identity.project_file(str(path)) == f"{path}/.attend.toml"


def test_outside_a_repository_only_the_folder_itself_may_say_something(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / ".attend.toml").write_text("")

    assert identity.project_file(str(tmp_path / "a" / "b")) == ""
    assert identity.project_file(str(tmp_path)) == f"{tmp_path}/.attend.toml"
