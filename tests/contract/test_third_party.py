"""The documented example of a plugin is built, installed beside attend, and heard."""

import re
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process.box import Box, boxed
from tests.process.reading import Reading

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "attend_freespace"
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
CONFIG = """
[sensors.free-space]
low_gb = 1e9  # more than any disk has

[sensors.disclosure]
enabled = false
[sensors.git]
enabled = false
[sensors.context]
enabled = false
"""


def run(*command: str | Path) -> str:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of an environment that has the example, and sees ours."""
    folder = tmp_path_factory.mktemp("stranger")
    offline = ("--no-index", "--no-deps", "--no-build-isolation")
    run(*PIP, "wheel", *offline, "--wheel-dir", folder, EXAMPLE)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "env", symlinks=True)
    python = folder / "env" / "bin" / "python"
    site = Path(
        run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    )
    run(*PIP, "install", *offline, "--target", site, wheel)
    (site / "ours.pth").write_text(f"{sysconfig.get_path('purelib')}\n{ROOT}\n")
    return python


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with boxed(tmp_path / "h") as found:
        (found.home / "attend").mkdir(mode=0o700)
        yield found


def configure(box: Box, text: str) -> None:
    (box.home / "attend" / "config.toml").write_text(text)


def test_the_line_of_a_stranger_s_sensor_comes_out(python: Path, box: Box) -> None:
    configure(box, CONFIG)
    reading = Reading(
        subprocess.Popen(
            [str(python), "-P", "-m", "attendd", "run", "--as", "tester"],
            cwd=box.home,
            env=box.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    )
    try:
        line = reading.out.line()
    finally:
        reading.end()

    header = r"\[attend sensor=free-space priority=medium\]"
    assert re.fullmatch(rf"{header} free disk space fell to [\d.]+ GB", line)


def test_its_own_keys_are_checked_like_ours(python: Path, box: Box) -> None:
    configure(box, "[sensors.free-space]\nlow_mb = 1\n")

    done = subprocess.run(
        [python, "-P", "-m", "attendd", "config", "lint"],
        cwd=box.home,
        env=box.env,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 3, done.stderr
    assert "sensors.free-space.low_mb: unknown key" in done.stdout
    assert "did you mean 'low_gb'?" in done.stdout


def test_it_is_found_beside_ours(python: Path) -> None:
    code = "from attendd import registry; print(*registry.load().sensors)"

    assert "free-space" in run(python, "-c", code).split()
