"""How `make` sets itself up: which Python it takes, and what it says where there is none."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci" / "venv"
REAL = getattr(sys, "_base_executable", sys.executable)

BROKEN = "#!/bin/sh\necho 'no version is chosen' >&2\nexit 127\n"
OLD = '#!/bin/sh\nexit 1\n# every question of .ci/venv, "are you new enough?" first, fails\n'
MAKES = f"""#!/bin/sh
[ "$1" = -m ] && set -- "$@" --without-pip # which takes its time
exec '{REAL}' "$@"
"""
BARE = f"""#!/bin/sh
[ "$1" = -c ] || exit 1
exec '{REAL}' -c "import sys; sys.modules['ensurepip'] = None; $2"
"""


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """Return a folder of commands that has all that the script needs but a Python."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("sh", "rm"):
        found = shutil.which(tool)
        assert found
        (folder / tool).symlink_to(found)
    return folder


def put(shelf: Path, name: str, script: str) -> Path:
    path = shelf / name
    path.write_text(script)
    path.chmod(0o755)
    return path


def set_up(shelf: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run the script in an empty folder, with nothing but these commands."""
    work = shelf.parent / "work"
    work.mkdir()
    return subprocess.run(
        [SCRIPT],
        cwd=work,
        env={"PATH": str(shelf), "HOME": str(shelf), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_python_without_venv_names_the_package_that_brings_it(shelf: Path) -> None:
    put(shelf, "python3", BARE)

    done = set_up(shelf)

    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert done.returncode == 1
    assert done.stderr == (
        "attend: python3 cannot make a virtual environment; on Debian and Ubuntu install "
        f"python3-venv (or python{version}-venv) and try again\n"
    )


def test_a_python_that_is_too_old_is_not_taken(shelf: Path) -> None:
    put(shelf, "python3", OLD)

    done = set_up(shelf)

    assert done.returncode == 1
    assert done.stderr.startswith("attend: no Python of version 3.11 or later was found;")


def test_a_python_that_was_named_and_does_not_fit_is_named_again(shelf: Path) -> None:
    old = put(shelf, "old-python", OLD)

    done = set_up(shelf, PYTHON=str(old))

    assert done.returncode == 1
    assert done.stderr == f"attend: PYTHON={old} is not a Python of version 3.11 or later\n"


def test_the_first_python_that_works_is_taken(shelf: Path) -> None:
    """A version manager's stand-in for a Python that is not chosen is on the path, and fails."""
    put(shelf, "python3", BROKEN)
    put(shelf, "python3.14", BARE)
    put(shelf, "python3.12", MAKES)

    done = set_up(shelf)

    made = shelf.parent / "work" / ".venv" / "bin" / "python"
    assert (done.returncode, done.stderr) == (0, "")
    assert os.access(made, os.X_OK)
