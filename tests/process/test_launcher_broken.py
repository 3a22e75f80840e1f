"""With its interpreter gone the launcher does what can still be done, and a hook stays silent."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.process.box import DEADLINE_S
from tests.process.test_launcher import BASE, SHELLS, VERSION, Place

OTHERS = (
    "mount -t tmpfs x '{home}' && for each in /usr/bin/python3* /usr/local/bin/python3* "
    "/opt/homebrew/bin/python3*; do "
    '[ -f "$each" ] && mount --bind /dev/null "$each"; done; '
)


@pytest.fixture(params=SHELLS)
def place(tmp_path: Path, request: pytest.FixtureRequest) -> Place:
    return Place(tmp_path / "p", request.param)


def broken(place: Place, path: Path) -> Path:
    """Install attend, and take its interpreter away, as an upgrade of the system's does."""
    attend, _ = place.installed(path)
    for each in (path / "bin").glob("python*"):
        each.unlink()
        each.symlink_to("/nonexistent/bin/python")
    return attend


def test_hot_commands_go_on_with_any_interpreter_and_remember_it(place: Place) -> None:
    attend = broken(place, place.root / "v")
    place.env["PATH"] = str(BASE.parent)

    for word in ("hook", "send", "run"):
        kind, python, file, *_ = place.said(attend, word)
        assert (kind, os.path.realpath(python)) == ("hot", str(BASE))
        assert file.startswith(str(place.root / "v"))
    place.env["PATH"] = "/nonexistent"
    assert place.said(attend, "hook")[0] == "hot"


def test_an_interpreter_that_came_back_is_used_again(place: Place) -> None:
    attend = broken(place, place.root / "v")
    place.env["PATH"] = str(BASE.parent)
    assert place.said(attend, "hook")[0] == "hot"

    shutil.rmtree(place.root / "v")
    attend, python = place.installed(place.root / "v")

    assert place.said(attend, "hook")[1] == str(python)


@pytest.mark.parametrize(
    ("where", "hint"),
    [
        ("pipx/venvs/attendd", "pipx reinstall attendd"),
        ("uv/tools/attendd", "uv tool upgrade --reinstall attendd"),
        ("v", "python3 -m pip install /path/to/the/clone, in an environment made anew"),
    ],
)
def test_the_full_program_says_what_is_gone_and_how_to_get_it_back(
    place: Place, where: str, hint: str
) -> None:
    attend = broken(place, place.root / where)

    done = place.start(attend, "status")

    gone = f"attend: the Python that it was installed with was not found ({VERSION})\n"
    assert (done.returncode, done.stdout) == (127, "")
    assert done.stderr == f"{gone}  hint: {hint}\n"


def test_another_install_is_not_run_in_its_place(place: Place) -> None:
    attend = broken(place, place.root / "v")
    place.package(place.home / ".local" / "lib" / VERSION / "site-packages", told="another")
    place.env["PATH"] = str(BASE.parent)

    assert place.start(attend, "status").returncode == 127
    assert place.said(attend, "hook")[2].startswith(str(place.root / "v"))


def test_without_a_package_a_hook_is_silent_and_the_rest_is_an_error(place: Place) -> None:
    attend = place.launcher(place.root / "bin")

    hook, send = place.start(attend, "hook"), place.start(attend, "send")

    assert (hook.returncode, hook.stdout, hook.stderr) == (0, "", "")
    assert send.returncode == 127
    assert send.stderr.startswith(
        f"attend: no Python has the package that {attend} belongs to\n"
    )


def test_without_any_interpreter_a_hook_is_silent_and_the_rest_is_an_error(
    place: Place,
) -> None:
    attend = broken(place, place.root / "v")
    hide = OTHERS.format(home=place.home)

    def start(word: str) -> subprocess.CompletedProcess[str]:
        script = f"{hide} exec env PATH=/nonexistent \"$0\" '{attend}' {word}"
        unshare = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script]
        return subprocess.run(
            [*unshare, shutil.which(place.shell) or place.shell],
            env={"HOME": str(place.home), "PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )

    if shutil.which("unshare") is None or "unshare" in start("hook").stderr:
        pytest.skip("no namespaces here")

    hook, send = start("hook"), start("send")

    assert (hook.returncode, hook.stdout, hook.stderr) == (0, "", "")
    assert send.returncode == 127
    assert send.stderr == (
        "attend: no Python 3.11 or later was found\n"
        "  hint: install one, or put the one there is on PATH\n"
    )


@pytest.mark.parametrize("content", ["#!/nonexistent/loader\n", "\x7fELF no program"])
def test_an_interpreter_that_cannot_be_started_fails_no_hook(
    place: Place, content: str
) -> None:
    attend, python = place.installed(place.root / "v")
    python.unlink()
    python.write_text(content)
    python.chmod(0o755)

    done = place.start(attend, "hook")

    assert (done.returncode, done.stderr) == (0, "")


def test_what_is_too_old_is_not_used(place: Place) -> None:
    attend = broken(place, place.root / "v")
    old = place.root / "old"
    old.mkdir()
    for name in ("python3", "python3.15", "python"):
        (old / name).write_text('#!/bin/sh\necho used >>"$0.log"\nexit 1\n')
        (old / name).chmod(0o755)
    place.env["PATH"] = f"{old}:{BASE.parent}"

    assert os.path.realpath(place.said(attend, "hook")[1]) == str(BASE)
    assert (old / "python3.15.log").exists()
