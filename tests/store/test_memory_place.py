"""Whose memory it is, also after a project was moved."""

import shutil
from pathlib import Path

import pytest

from attendd.hot import db as hot
from attendd.hot import identity, memory_place
from tests.repos import Repository, fresh_home
from tests.store.given import WALL

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return fresh_home(tmp_path, monkeypatch)


def repository(path: Path) -> Repository:
    made = Repository(path)
    made.commit()
    return made


def number(db: hot.Connection, workdir: Path) -> int:
    return memory_place.of(db, identity.project_of(str(workdir)), 1.0)


def test_a_project_is_one_in_all_its_folders_and_work_trees(
    db: hot.Connection, tmp_path: Path
) -> None:
    repo = repository(tmp_path / "work")
    repo.write("deep/er/a.txt")
    repo.git("worktree", "add", "-q", str(tmp_path / "other"))

    found = {
        number(db, repo.path),
        number(db, repo.path / "deep/er"),
        number(db, tmp_path / "other"),
    }
    assert len(found) == 1


def test_a_repository_that_was_moved_is_the_same_project(
    db: hot.Connection, tmp_path: Path
) -> None:
    repo = repository(tmp_path / "work")
    before = number(db, repo.path)
    repo.path.rename(tmp_path / "elsewhere")

    place = identity.project_of(str(tmp_path / "elsewhere"))
    assert memory_place.find(db, place) == before
    assert number(db, tmp_path / "elsewhere") == before
    assert memory_place.find(db, str(tmp_path / "work" / ".git")) == 0


def test_one_that_was_cloned_anew_after_it_was_deleted_is_too(
    db: hot.Connection, tmp_path: Path
) -> None:
    origin = repository(tmp_path / "origin")
    for name in ("one", "two"):
        origin.git("clone", "-q", str(origin.path), str(tmp_path / name))
    before = number(db, tmp_path / "one")
    shutil.rmtree(tmp_path / "one")

    assert number(db, tmp_path / "two") == before


def test_a_copy_and_a_clone_are_projects_of_their_own(
    db: hot.Connection, tmp_path: Path
) -> None:
    repo = repository(tmp_path / "work")
    shutil.copytree(repo.path, tmp_path / "copy")
    repo.git("clone", "-q", str(repo.path), str(tmp_path / "clone"))

    assert len({number(db, tmp_path / name) for name in ("work", "copy", "clone")}) == 3


def test_a_new_repository_in_an_old_ones_place_has_none_of_its_memory(
    db: hot.Connection, tmp_path: Path
) -> None:
    before = number(db, repository(tmp_path / "work").path)
    (tmp_path / "work").rename(tmp_path / "elsewhere")
    after = number(db, repository(tmp_path / "work").path)

    assert after != before
    assert number(db, tmp_path / "elsewhere") == before


def test_a_repository_whose_log_git_has_cut_short_stays_what_it_is(
    db: hot.Connection, tmp_path: Path
) -> None:
    repo = repository(tmp_path / "work")
    repo.commit()
    before = number(db, repo.path)
    log = repo.path / ".git/logs/HEAD"
    log.write_text(log.read_text().partition("\n")[2])

    assert number(db, repo.path) == before


def test_a_project_may_begin_without_a_commit(db: hot.Connection, tmp_path: Path) -> None:
    repo = Repository(tmp_path / "work")
    before = number(db, repo.path)
    repo.commit()

    assert number(db, repo.path) == before
    repo.path.rename(tmp_path / "elsewhere")
    assert number(db, tmp_path / "elsewhere") == before


def test_plain_folders_are_known_by_where_they_are(db: hot.Connection, tmp_path: Path) -> None:
    for name in ("a", "b", "a b", "日本"):
        (tmp_path / name).mkdir()

    assert len({number(db, tmp_path / name) for name in ("a", "b", "a b", "日本")}) == 4


@pytest.mark.parametrize(
    ("configured", "wish", "on"),
    [
        (False, "", False),
        (True, "", True),
        (False, "on", True),
        (True, "off", False),
    ],
)
def test_what_a_person_says_of_a_project_wins_over_the_configuration(
    db: hot.Connection, tmp_path: Path, wish: str, *, configured: bool, on: bool
) -> None:
    project = number(db, tmp_path)
    hot.write(db, lambda db: db.execute("UPDATE memory_project SET wish = ?", (wish,)))

    assert memory_place.configure(db, project, WALL, configured=configured) is on
    assert memory_place.enabled(db, project) is on
