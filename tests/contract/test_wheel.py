"""What is built is whole: a wheel, installed elsewhere, has every file and runs."""

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("attendd", "sensors", "disclosures")
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
OFFLINE = ("--no-index", "--no-deps", "--no-build-isolation")


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    words = [*map(str, command)]
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(*PIP, "wheel", *OFFLINE, "--wheel-dir", folder, ROOT)
    (built,) = folder.glob("*.whl")
    return built


def test_every_file_of_the_packages_is_in_the_wheel(wheel: Path) -> None:
    ours = {
        str(path.relative_to(ROOT))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    inside = set(zipfile.ZipFile(wheel).namelist())

    units = {"attendd/units/attend.service", "attendd/units/attend.socket"}
    assert (ours | units) - inside == set()
    tops = {name.split("/")[0] for name in inside} - set(PACKAGES)
    assert all(top.endswith((".dist-info", ".data")) for top in tops), tops


def test_an_installed_wheel_runs(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", symlinks=True)
    python = tmp_path / "env" / "bin" / "python"
    run(*PIP, "--python", python, "install", *OFFLINE, wheel)
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    (Path(site) / "ours.pth").write_text(f"{sysconfig.get_path('purelib')}\n")

    said = run(tmp_path / "env" / "bin" / "attend", "--version", cwd=tmp_path)
    listed = run(python, "-c", "import attendd; print(attendd.__file__)", cwd=tmp_path)

    assert said.startswith("attend 0.")
    assert listed.startswith(str(tmp_path))
