"""Where the home can't hold the state, all processes move to one other place, and say so."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from attendd.hot import disks, places
from tests.process.box import ROOT
from tests.unit.homes import STRANGER, fresh_home, give_away, mode

SHARED = Path("/dev/shm")  # noqa: S108 - a file system that is on no disk

needs_unshare = pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare(1)")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of our own, and nothing said about anything else."""
    return fresh_home(tmp_path, monkeypatch)


def moved_to(shared: Path, usual: Path | str) -> str:
    """Name the place that stands for a usual one."""
    return f"{shared}/attend-{os.geteuid()}/{places.digest(str(usual))}"


def in_a_view(code: str, *, mount: str, env: dict[str, str]) -> str:
    """Run code where a file system is mounted that only it sees; return what it printed."""
    script = f"{mount} && exec '{sys.executable}' -I -S -c \"$1\""
    known = (
        f"import sys; sys.path.append({str(ROOT)!r}); from attendd.hot import places, folders\n"
    )
    done = subprocess.run(
        [
            "unshare",
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            script,
            "x",
            known + code,
        ],
        env={"PATH": os.environ["PATH"], **env},
        capture_output=True,
        text=True,
        check=False,
    )
    if "unshare failed" in done.stderr or "permission denied" in done.stderr.lower():
        pytest.skip("no namespaces here")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("link", [".local/state/attend", ".local/state", ".local"])
def test_where_a_link_leads_nowhere_the_state_moves(
    home: Path, tmp_path: Path, link: str
) -> None:
    at = home / link
    at.parent.mkdir(parents=True, exist_ok=True)
    at.symlink_to(tmp_path / "unplugged")

    assert places.closed() == ""
    moved = places.state_dir()

    assert moved.startswith(f"{places.VAR_TMP}/attend-")
    assert places.moved() == f"{at} is a link to {tmp_path}/unplugged, where nothing is"
    assert places.known_state_dir() == moved


def test_a_folder_of_somebody_else_is_left_alone_and_the_state_moves(
    home: Path, tmp_path: Path
) -> None:
    give_away(home / ".local/state/attend")

    found = places.state_dir()

    assert found == moved_to(tmp_path, home / ".local/state/attend")
    assert mode(found) == mode(Path(found).parent) == 0o700
    assert "belongs to somebody else (user " in places.moved()


def test_something_that_is_no_folder_moves_the_state(home: Path, tmp_path: Path) -> None:
    (home / ".local").mkdir()
    (home / ".local/state").write_text("a file")

    assert places.state_dir() == moved_to(tmp_path, home / ".local/state/attend")
    assert "Not a directory" in places.moved()


def test_the_place_it_moves_to_must_not_be_a_link_or_somebody_elses(
    home: Path, tmp_path: Path
) -> None:
    give_away(home / ".local/state/attend")
    other = tmp_path / f"attend-{os.geteuid()}"

    (tmp_path / "mine").mkdir()
    other.symlink_to(tmp_path / "mine")
    with pytest.raises(places.PlaceError, match="is not a folder") as error:
        places.state_dir()
    assert "ATTEND_HOME" in error.value.hint

    other.unlink()
    if os.geteuid() == 0:
        give_away(other)
        with pytest.raises(places.PlaceError, match="belongs to somebody else"):
            places.state_dir()
        assert other.stat().st_uid == STRANGER


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may write in the homes of others")
def test_root_leaves_nothing_in_the_home_of_a_user(home: Path, tmp_path: Path) -> None:
    os.chown(home, STRANGER, STRANGER)

    assert places.state_dir() == moved_to(tmp_path, home / ".local/state/attend")
    assert list(home.iterdir()) == []


def test_a_home_of_attend_that_was_asked_for_is_not_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTEND_HOME", str(tmp_path / "mine"))
    give_away(tmp_path / "mine" / "state")

    with pytest.raises(places.PlaceError, match="belongs to somebody else"):
        places.state_dir()


def test_what_began_elsewhere_stays_there_until_the_usual_place_has_a_store(
    home: Path,
) -> None:
    """A disk that was full for an hour must not split a user's sessions in two."""
    (home / ".local").mkdir()
    (home / ".local/state").write_text("in the way")
    moved = places.state_dir()
    (home / ".local/state").unlink()

    assert places.state_dir() == moved
    assert places.moved().startswith("it was begun here when ")

    (home / ".local/state/attend/attend.db").write_text("a store")
    assert places.state_dir() == f"{home}/.local/state/attend"
    assert places.moved() == ""


def test_two_homes_of_a_user_that_take_nothing_have_a_place_each(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for at in (home, tmp_path / "other"):
        (at / ".local").mkdir(parents=True)
        (at / ".local/state").write_text("in the way")
        monkeypatch.setenv("HOME", str(at))
        found.append(places.state_dir())
        assert places.known_state_dir() == found[-1]

    assert found[0] != found[1]
    assert Path(found[0]).parent == Path(found[1]).parent
    monkeypatch.setenv("HOME", str(home))
    assert places.state_dir() == places.known_state_dir() == found[0]


def test_what_another_home_moved_there_does_not_count(home: Path, tmp_path: Path) -> None:
    usual = f"{home}/.local/state/attend"
    other = Path(moved_to(tmp_path, usual))
    other.mkdir(mode=0o700, parents=True)
    (other / "stands-for").write_text("/home/another/.local/state/attend")

    assert places.state_dir() == places.known_state_dir() == usual


@pytest.mark.parametrize("depth", [0, 1])
def test_what_a_stranger_claims_there_does_not_count(
    home: Path, tmp_path: Path, depth: int
) -> None:
    usual = f"{home}/.local/state/attend"
    other = Path(moved_to(tmp_path, usual))
    trap = tmp_path / "trap"
    claimed = trap if depth else trap / other.name
    claimed.mkdir(parents=True)
    (claimed / "stands-for").write_text(usual)
    if depth:
        other.parent.mkdir(mode=0o700)
    (other if depth else other.parent).symlink_to(trap)

    assert places.state_dir() == places.known_state_dir() == usual


@needs_unshare
@pytest.mark.parametrize(
    ("options", "reason"), [("ro,mode=700", "is read-only"), ("size=512k,mode=700", "no room")]
)
def test_a_home_that_takes_nothing_moves_the_state(
    home: Path, tmp_path: Path, options: str, reason: str
) -> None:
    path = home / ".local/state/attend"
    path.mkdir(parents=True)
    code = f"places.VAR_TMP = {str(tmp_path)!r}\nprint(places.state_dir(), places.moved())"

    said = in_a_view(
        code, mount=f"mount -t tmpfs -o {options} x '{path}'", env={"HOME": str(home)}
    )

    assert said.startswith(f"{tmp_path}/attend-0/{places.digest(str(path))} {path} ")
    assert reason in said


@needs_unshare
@pytest.mark.parametrize(
    "env",
    [{"ATTEND_HOME": "{home}/.local"}, {"HOME": "{home}", "CLAUDE_PID": "4194000"}],
    ids=["asked for", "in a sandbox"],
)
def test_a_store_that_is_read_only_in_this_view_stays_where_it_is(
    home: Path, tmp_path: Path, env: dict[str, str]
) -> None:
    """A sandboxed tool sees read-only what everybody else writes: moving would lose its mail."""
    inner = "state" if "ATTEND_HOME" in env else "state/attend"
    path = home / ".local" / inner
    path.mkdir(parents=True, mode=0o700)
    path.chmod(0o700)
    (path / "attend.db").write_text("a store")
    code = (
        f"places.VAR_TMP = {str(tmp_path)!r}\nprint(places.state_dir() + '|' + places.moved())"
    )
    mount = f"mount --bind '{home}' '{home}' && mount -o remount,bind,ro '{home}'"

    said = in_a_view(code, mount=mount, env={k: v.format(home=home) for k, v in env.items()})

    assert said == f"{path}|"


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs a file system in memory")
def test_a_network_file_system_moves_the_state(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with tempfile.TemporaryDirectory(dir=SHARED) as shared:
        fd = os.open(shared, os.O_RDONLY)
        about = Path(f"/proc/self/fdinfo/{fd}").read_text()
        os.close(fd)
        mount = about.partition("mnt_id:")[2].split()[0]
        table = tmp_path / "mountinfo"
        table.write_text(
            f"1{mount} 1 0:9 / /other rw - ext4 /dev/x rw\n"
            f"{mount} 22 0:42 / /net\\040work rw,noatime shared:7 - nfs4 server:/x rw,vers=4.2\n"
        )
        monkeypatch.setattr(disks, "MOUNTINFO", str(table))
        monkeypatch.setenv("XDG_STATE_HOME", shared)

        moved = places.state_dir()
        assert moved == moved_to(tmp_path, f"{shared}/attend")
        assert places.moved() == f"{shared}/attend lies on a network file system (nfs4)"
        table.write_text(table.read_text().replace("nfs4", "tmpfs"))
        Path(moved, "stands-for").unlink()
        assert places.state_dir() == f"{shared}/attend"
