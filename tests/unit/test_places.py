"""The folders are the user's alone, and found by everybody or by nobody."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from attendd.hot import folders, places
from tests.unit.homes import fresh_home, give_away, mode, short_folder


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of our own, and nothing said about anything else."""
    return fresh_home(tmp_path, monkeypatch)


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder with a path so short that sockets can be in it."""
    with short_folder() as found:
        yield found


def test_the_state_is_made_where_the_specification_says_and_private(home: Path) -> None:
    before = os.umask(0)
    try:
        found = places.state_dir()
    finally:
        os.umask(before)

    assert found == str(home / ".local/state/attend")
    assert [mode(found), mode(home / ".local/state"), mode(home / ".local")] == [0o700] * 3
    assert places.moved() == ""
    assert folders.put_right == []


def test_xdg_variables_are_followed_unless_they_are_relative(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", f"{tmp_path}/s")
    monkeypatch.setenv("XDG_CONFIG_HOME", f"{tmp_path}/c/")
    assert places.state_dir() == f"{tmp_path}/s/attend"
    assert places.config_file() == f"{tmp_path}/c/attend/config.toml"

    monkeypatch.setenv("XDG_STATE_HOME", "s")
    monkeypatch.setenv("XDG_CONFIG_HOME", "c")
    assert places.state_dir() == f"{home}/.local/state/attend"
    assert places.config_file() == f"{home}/.config/attend/config.toml"


def test_one_variable_moves_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTEND_HOME", f"{tmp_path}/all/")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(places, "NAME_ROOM", -1000)

    assert places.state_dir() == f"{tmp_path}/all/state"
    assert places.runtime_dir() == f"{tmp_path}/all/run"
    assert places.config_file() == f"{tmp_path}/all/config.toml"
    assert mode(f"{tmp_path}/all/run") == 0o700


def test_a_relative_home_of_attend_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTEND_HOME", "here")

    with pytest.raises(places.PlaceError, match="ATTEND_HOME is 'here'") as error:
        places.state_dir()

    assert error.value.hint == "set it to an absolute path"


def test_without_a_home_the_user_database_knows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    known = places.home()
    monkeypatch.delenv("HOME")

    assert places.home().startswith("/")
    assert places.home() != known


def test_the_client_is_looked_for_where_it_was_told_to_be(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert places.client_dir() == f"{home}/.claude"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/elsewhere")
    assert places.client_dir() == "/elsewhere"


@pytest.mark.parametrize("loose", [0o777, 0o755, 0o555, 0o000])
def test_a_folder_of_ours_that_is_open_to_others_is_closed_and_that_is_said(
    home: Path, loose: int
) -> None:
    path = home / ".local/state/attend"
    path.mkdir(parents=True)
    path.chmod(loose)

    assert places.state_dir() == str(path)
    assert mode(path) == 0o700
    assert folders.put_right == [f"{path} had mode {loose:04o} and was made private (0700)"]


def test_a_link_to_a_disk_of_ones_own_is_followed(home: Path, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir(mode=0o700)
    (home / ".local/state").mkdir(parents=True)
    (home / ".local/state/attend").symlink_to(tmp_path / "disk")

    assert places.state_dir() == f"{home}/.local/state/attend"


def test_the_runtime_folder_is_the_log_ins_or_else_beside_the_state(
    short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(short))
    assert places.runtime_dir() == f"{short}/attend"

    monkeypatch.setenv("XDG_RUNTIME_DIR", f"{short}/gone")
    monkeypatch.setenv("XDG_STATE_HOME", f"{short}/state")
    assert places.runtime_dir() == f"{short}/state/attend/run"
    assert not (short / "gone").exists()


def test_who_only_looks_finds_the_runtime_folder_and_makes_none(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = f"{home}/.local/state/attend/run"
    monkeypatch.setattr(places, "NAME_ROOM", -1000)
    assert places.known_runtime_dir() == beside
    assert list(home.iterdir()) == []
    assert places.runtime_dir() == beside

    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert places.known_runtime_dir() == beside
    assert places.runtime_dir() == places.known_runtime_dir() == f"{tmp_path}/attend"

    monkeypatch.setattr(places, "NAME_ROOM", 1000)
    assert places.known_runtime_dir() == places.runtime_dir() != f"{tmp_path}/attend"


def test_a_runtime_folder_that_vanished_is_made_again(
    short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(short))
    shutil.rmtree(places.runtime_dir())

    assert mode(places.runtime_dir()) == 0o700


def test_somebody_elses_runtime_folder_is_not_used(
    short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After `su` the variable still names the folder of who logged in."""
    give_away(short / "attend")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(short))
    monkeypatch.setenv("XDG_STATE_HOME", f"{short}/state")

    assert places.runtime_dir() == f"{short}/state/attend/run"


def test_a_path_too_long_for_sockets_is_stood_in_for_by_a_short_one(
    home: Path, short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "TMP", str(short))
    monkeypatch.setenv("ATTEND_HOME", f"{home}/{'long' * 30}")

    found = places.runtime_dir()

    assert found == places.runtime_dir()
    assert Path(found).parent == short / f"attend-{os.geteuid()}"
    assert mode(found) == mode(Path(found).parent) == 0o700
    assert len(found) + 1 + places.NAME_ROOM < 104
    monkeypatch.setenv("ATTEND_HOME", f"{home}/{'other' * 30}")
    assert places.runtime_dir() != found


def test_a_short_place_that_somebody_prepared_for_us_is_refused(
    home: Path, short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "TMP", str(short))
    monkeypatch.setenv("ATTEND_HOME", f"{home}/{'long' * 30}")
    (short / "trap").mkdir()
    (short / f"attend-{os.geteuid()}").symlink_to(short / "trap")

    with pytest.raises(places.PlaceError, match="is not a folder"):
        places.runtime_dir()

    assert list((short / "trap").iterdir()) == []


def test_texts_have_short_names_that_do_not_change_between_processes() -> None:
    assert places.digest("") == "cbf29ce484222325"
    assert places.digest("a") == "af63dc4c8601ec8c"
    assert len({places.digest(f"/home/u/{n}") for n in range(10_000)}) == 10_000


def test_a_pipe_in_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert folders.read(str(tmp_path / "pipe")) == ""


@pytest.mark.parametrize("name", ["plain", "日本", "line\nfeed", "x" * 200, "deep/" * 100])
def test_links_are_resolved_also_where_the_end_is_missing(tmp_path: Path, name: str) -> None:
    (tmp_path / "real" / name).mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")

    assert folders.real(f"{tmp_path}/link/{name}") == os.path.realpath(tmp_path / "real" / name)
    assert folders.real(f"{tmp_path}/link/gone/x") == os.path.realpath(tmp_path / "real/gone/x")
