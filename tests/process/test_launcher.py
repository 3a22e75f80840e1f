"""The launcher finds interpreter and package wherever installers put them, and after upgrades."""

import os
import py_compile
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.process.box import DEADLINE_S, LAUNCHER
from tests.process.installing import environment

VERSION = f"python3.{sys.version_info.minor}"
BASE = Path(sys.executable).resolve()
SHELLS = [name for name in ("dash", "bash") if shutil.which(name)]
HOT = ["hook", "send", "reply", "run", "statusline"]
TELL = """\
import os, sys
print("{what}", sys.executable, __file__, os.getpid(), *sys.argv[1:], sep="|")
print(*(getattr(sys.flags, each) for each in (
    "isolated", "no_site", "ignore_environment", "safe_path", "utf8_mode")))
"""
HOT_FLAGS = "1 1 1 True 1"
FULL_FLAGS = "0 0 1 True 1"


class Place:
    """Somewhere to install attend, and to start it from."""

    def __init__(self, root: Path, shell: str) -> None:
        self.root = root
        self.shell = shell
        self.home = root / "home"
        self.home.mkdir(parents=True)
        self.env = {"PATH": "/nonexistent", "HOME": str(self.home)}
        self.cwd = root
        self.pid = 0

    def package(self, folder: Path, told: str = "") -> Path:
        """Put a package there that tells how it was started."""
        hot = folder / "attendd" / "hot"
        hot.mkdir(parents=True)
        (hot.parent / "__init__.py").write_text("")
        (hot / "main.py").write_text(TELL.format(what=told or "hot"))
        (hot.parent / "__main__.py").write_text(TELL.format(what=told or "full"))
        (folder / "msgspec.py").write_text("")
        return hot / "main.py"

    def installed(self, path: Path) -> tuple[Path, Path]:
        """Make an environment with attend in it; return launcher and interpreter."""
        environment(path)
        self.package(path / "lib" / VERSION / "site-packages")
        return self.launcher(path / "bin"), path / "bin" / VERSION

    def launcher(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(LAUNCHER, folder / "attend"))

    def start(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        command = [shutil.which(self.shell) or self.shell, *map(str, words)]
        with subprocess.Popen(
            command,
            cwd=self.cwd,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as started:
            self.pid = started.pid
            out, err = started.communicate(timeout=DEADLINE_S)
            return subprocess.CompletedProcess(command, started.returncode, out, err)

    def said(self, *words: str | Path) -> list[str]:
        """Start it; return kind, interpreter, file, flags and arguments."""
        done = self.start(*words)
        assert (done.returncode, done.stderr) == (0, "")
        told, flags = done.stdout.splitlines()
        kind, python, file, pid, *arguments = told.split("|")
        assert int(pid) == self.pid, "it is the very process that was started"
        assert flags == (HOT_FLAGS if kind == "hot" else FULL_FLAGS)
        return [kind, python, os.path.realpath(file), *arguments]


@pytest.fixture(params=SHELLS)
def place(tmp_path: Path, request: pytest.FixtureRequest) -> Place:
    return Place(tmp_path / "p", request.param)


def test_the_launcher_is_installed_with_the_package() -> None:
    assert os.access(LAUNCHER, os.X_OK)
    assert LAUNCHER.read_text().startswith("#!/bin/sh\n")


def test_hot_commands_see_no_site_packages_and_others_do(place: Place) -> None:
    attend, python = place.installed(place.root / "v")
    package = place.root / "v" / "lib" / VERSION / "site-packages" / "attendd"

    for name in HOT:
        words = [name, "a b", "", "*"]
        assert place.said(attend, *words) == [
            "hot",
            str(python),
            f"{package}/hot/main.py",
            *words,
        ]
    for words in (["status", "a b", "--x=*"], ["--version"], [], [""], ["sends"]):
        assert place.said(attend, *words) == [
            "full",
            str(python),
            f"{package}/__main__.py",
            *words,
        ]


def test_a_program_compiled_since_it_was_changed_is_started_as_it_is(place: Place) -> None:
    """Compiling it anew at each start takes a while; an old form would be another program."""
    attend, python = place.installed(place.root / "v")
    main = place.root / "v" / "lib" / VERSION / "site-packages" / "attendd" / "hot" / "main.py"
    compiled = Path(py_compile.compile(str(main), doraise=True) or "")

    assert place.said(attend, "hook") == ["hot", str(python), str(compiled), "hook"]
    assert place.said(attend, "status")[0] == "full"
    main.write_text(TELL.format(what="hot"))
    os.utime(compiled, (1, 1))
    assert place.said(attend, "hook") == ["hot", str(python), str(main), "hook"]


@pytest.mark.parametrize("name", ["with blanks", 'it\'s "$HOME" [a-z]* `x`', "日本", "-dash"])
def test_any_path_will_do(place: Place, name: str) -> None:
    attend, python = place.installed(place.root / name)

    assert place.said(attend, "hook")[1] == str(python)
    assert place.said(attend, "status")[1] == str(python)


def test_links_to_it_are_followed_as_pipx_and_uv_make_them(place: Place) -> None:
    attend, python = place.installed(place.root / "tools" / "attendd")
    local = place.home / ".local" / "bin"
    local.mkdir(parents=True)
    (local / "attend").symlink_to(attend)
    (place.root / "near").symlink_to("home/.local/bin/attend")
    (place.root / "folder").symlink_to(attend.parent)

    for link in (local / "attend", place.root / "near", place.root / "folder" / "attend"):
        assert os.path.realpath(place.said(link, "hook")[1]) == os.path.realpath(python)
        assert place.said(link, "status")[2].startswith(str(place.root / "tools"))


def test_it_is_found_by_name_and_by_a_relative_path(place: Place) -> None:
    attend, _ = place.installed(place.root / "v")
    place.env["PATH"] = str(attend.parent)

    assert place.said("-c", 'exec attend "$@"', "x", "hook")[0] == "hot"
    place.cwd = attend.parent
    assert place.said("attend", "hook")[0] == "hot"
    assert place.said("./attend", "hook")[0] == "hot"
    assert place.said("../bin/attend", "status")[0] == "full"


def test_it_needs_no_home_no_path_and_no_current_directory(place: Place) -> None:
    attend, _ = place.installed(place.root / "v")
    place.env = {}

    assert place.said(attend, "send")[0] == "hot"
    gone = place.root / "gone"
    gone.mkdir()
    go = f"cd '{gone}' && rmdir '{gone}' && exec {place.shell} '{attend}' \"$@\" 2>/dev/null"
    place.env = {"PATH": os.environ["PATH"]}
    assert place.said("-c", go, "x", "send")[0] == "hot"
    gone.mkdir()
    assert place.said("-c", go, "x", "status")[0] == "full"


def test_no_code_is_taken_from_the_current_directory_or_the_environment(place: Place) -> None:
    attend, python = place.installed(place.root / "v")
    trap = place.root / "trap"
    place.package(trap, told="trap")
    for name in ("sitecustomize", "usercustomize", "os", "posixpath"):
        (trap / f"{name}.py").write_text("print('trap')")
    place.cwd = trap
    place.env |= {"PYTHONPATH": f":{trap}:.", "PYTHONHOME": str(trap), "PYTHONSTARTUP": "os.py"}

    assert place.said(attend, "hook")[:2] == ["hot", str(python)]
    assert place.said(attend, "status")[:2] == ["full", str(python)]


def test_an_environment_upgraded_in_place_uses_what_works(place: Place) -> None:
    attend, python = place.installed(place.root / "v")
    for old in ("python3.10", "python3.99"):
        place.package(place.root / "v" / "lib" / old / "site-packages", told="old")
        (place.root / "v" / "bin" / old).symlink_to("/nonexistent/python")

    assert place.said(attend, "hook")[:2] == ["hot", str(python)]
    assert place.said(attend, "status")[:2] == ["full", str(python)]


def test_a_clone_runs_from_its_bin_and_from_its_environment(place: Place) -> None:
    clone = place.root / "clone"
    place.package(clone)
    python = environment(clone / ".venv") / "bin" / "python3"
    (clone / ".venv" / "lib" / VERSION / "site-packages" / "attendd.pth").write_text(str(clone))

    commands = ((["run"], "hot"), (["status"], "full"), (["run", "--help"], "full"))
    for attend in (place.launcher(clone / "bin"), place.launcher(clone / ".venv" / "bin")):
        for words, kind in commands:
            said = place.said(attend, *words)
            assert said[0] == kind
            assert Path(said[1]).parent.samefile(python.parent)


def test_an_editable_install_elsewhere_is_asked_once(place: Place) -> None:
    main = place.package(place.root / "clone")
    venv = environment(place.root / "v")
    link = venv / "lib" / VERSION / "site-packages" / "attendd.pth"
    link.write_text(str(place.root / "clone"))
    attend = place.launcher(venv / "bin")

    assert place.said(attend, "hook") == [
        "hot",
        str(venv / "bin" / "python3"),
        str(main),
        "hook",
    ]
    assert place.said(attend, "status")[0] == "full"
    link.unlink()
    assert place.said(attend, "hook")[0] == "hot", "the answer was kept"
    (answer,) = (place.home / ".cache" / "attend").iterdir()
    assert answer.stat().st_mode & 0o077 == 0
    assert answer.parent.stat().st_mode & 0o077 == 0


def test_an_answer_that_no_longer_holds_is_asked_for_again(place: Place) -> None:
    venv = environment(place.root / "v")
    link = venv / "lib" / VERSION / "site-packages" / "attendd.pth"
    attend = place.launcher(venv / "bin")
    for name in ("one", "two"):
        main = place.package(place.root / name)
        link.write_text(str(place.root / name))
        assert place.said(attend, "hook")[2] == str(main)
        shutil.rmtree(place.root / name)

    assert place.start(attend, "hook").stdout == ""


@pytest.mark.parametrize("cache", ["/proc/none", "relative", "{home}/file"])
def test_an_answer_that_cannot_be_kept_is_asked_for_each_time(place: Place, cache: str) -> None:
    main = place.package(place.root / "clone")
    venv = environment(place.root / "v")
    link = venv / "lib" / VERSION / "site-packages" / "attendd.pth"
    link.write_text(str(place.root / "clone"))
    (place.home / "file").write_text("")
    place.env["XDG_CACHE_HOME"] = cache.format(home=place.home)
    attend = place.launcher(venv / "bin")

    assert place.said(attend, "hook")[2] == str(main)
    assert place.said(attend, "status")[0] == "full"
    assert not (place.cwd / "relative").exists()


@pytest.mark.parametrize("packages", ["site-packages", "dist-packages"])
def test_a_prefix_without_an_interpreter_finds_the_one_it_is_for(
    place: Place, packages: str
) -> None:
    """As `pip install --user` and a distribution's own packages lie."""
    prefix = place.root / "usr" / "local"
    main = place.package(prefix / "lib" / VERSION / packages)
    attend = place.launcher(prefix / "bin")
    venv = environment(place.root / "v")
    link = venv / "lib" / VERSION / "site-packages" / "there.pth"
    link.write_text(str(main.parents[2]))
    place.env["PATH"] = str(venv / "bin")

    assert place.said(attend, "hook") == ["hot", str(venv / "bin" / VERSION), str(main), "hook"]
    place.env["PATH"] = "/nonexistent"
    assert place.said(attend, "status")[:2] == ["full", str(venv / "bin" / VERSION)]


def test_an_install_for_the_user_alone_sees_the_users_packages(place: Place) -> None:
    main = place.package(place.home / ".local" / "lib" / VERSION / "site-packages")
    attend = place.launcher(place.home / ".local" / "bin")
    place.env["PATH"] = str(BASE.parent)

    assert place.said(attend, "run")[2] == str(main)
    assert place.said(attend, "status")[0] == "full"
