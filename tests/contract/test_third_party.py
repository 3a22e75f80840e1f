"""The documented example of a plugin is built, installed beside attend, and heard."""

import os
import re
import select
import signal
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "attend_freespace"
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
HEARD_WITHIN_S = 30
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
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give every process a home of its own, and no client."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    for name in [name for name in os.environ if name.startswith(("CLAUDE", "ATTEND", "XDG"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("ATTEND_HOME", str(home / "attend"))
    (home / "attend").mkdir(mode=0o700)
    return home


@pytest.fixture
def attended(python: Path, home: Path) -> Iterator["subprocess.Popen[bytes]"]:
    (home / "attend" / "config.toml").write_text(CONFIG)
    command = [str(python), "-m", "attendd", "run", "--as", "tester"]
    with subprocess.Popen(
        command, cwd=home, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as it:
        yield it
        it.send_signal(signal.SIGTERM)


def first_line(process: "subprocess.Popen[bytes]") -> str:
    """Read what is written first; a process that writes nothing is given up at a deadline."""
    assert process.stdout is not None
    deadline = time.monotonic() + HEARD_WITHIN_S
    said = b""
    while b"\n" not in said:
        ready, _, _ = select.select(
            [process.stdout], [], [], max(0, deadline - time.monotonic())
        )
        assert ready, f"nothing was heard in {HEARD_WITHIN_S} s"
        more = os.read(process.stdout.fileno(), 4096)
        assert more, f"it ended with {process.wait()}"
        said += more
    return said.decode().splitlines()[0]


def test_the_line_of_a_stranger_s_sensor_comes_out(
    attended: "subprocess.Popen[bytes]",
) -> None:
    line = first_line(attended)

    header = r"\[attend sensor=free-space priority=medium\]"
    assert re.fullmatch(rf"{header} free disk space fell to [\d.]+ GB", line)


def test_its_own_keys_are_checked_like_ours(python: Path, home: Path) -> None:
    (home / "attend" / "config.toml").write_text("[sensors.free-space]\nlow_mb = 1\n")

    done = subprocess.run(
        [python, "-m", "attendd", "config", "lint"],
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 3
    said = done.stdout + done.stderr
    assert "sensors.free-space.low_mb: unknown key" in said
    assert "did you mean 'low_gb'?" in said


def test_it_is_listed_beside_ours(python: Path, home: Path) -> None:
    code = "from attendd import registry; print(*registry.load().sensors)"

    listed = run(python, "-c", code).split()

    assert home.exists()
    assert "free-space" in listed
