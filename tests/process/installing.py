"""An attend of its own that may be replaced, broken and taken away, as upgrades do."""

import atexit
import functools
import shutil
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("attendd", "sensors", "disclosures")


def environment(path: Path) -> Path:
    """Make an environment without anything in it: a copy of one that is made once."""
    return Path(shutil.copytree(_empty(), path, symlinks=True, dirs_exist_ok=True))


@functools.cache
def _empty() -> Path:
    folder = tempfile.mkdtemp(prefix="attend-empty-")
    atexit.register(shutil.rmtree, folder)
    venv.create(folder, symlinks=True)
    return Path(folder)


class Installed:
    """An environment with a copy of attend in it.

    Attributes:
        path: the environment.
        python: its interpreter.
        attend: its launcher.
        package: the package in it.
    """

    def __init__(self, path: Path, source: Path = ROOT) -> None:
        """Install what lies in a folder."""
        environment(path)
        self.path = path
        self.python = path / "bin" / f"python3.{sys.version_info.minor}"
        self.attend = path / "bin" / "attend"
        (self._site,) = (path / "lib").glob("python*/site-packages")
        self.package = self._site / "attendd"
        theirs = [each for each in sys.path if each.endswith("-packages")]
        (self._site / "theirs.pth").write_text("\n".join([*theirs, ""]))
        self.put(source)

    def put(self, source: Path) -> None:
        """Put the packages of a folder in the place of those that are there, as pip does."""
        for name in PACKAGES:
            shutil.rmtree(self._site / name, ignore_errors=True)
            unwanted = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source / name, self._site / name, ignore=unwanted)
        shutil.copy(source / "bin" / "attend", self.attend)
        project = tomllib.loads((source / "pyproject.toml").read_text())["project"]
        about = self._site / "attendd-0.dist-info"
        about.mkdir(exist_ok=True)
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: attendd\nVersion: 0\n")
        points = project["entry-points"]["attend"]
        lines = [f"{name} = {value}" for name, value in points.items()]
        (about / "entry_points.txt").write_text("\n".join(["[attend]", *lines, ""]))

    def run(self, *words: str) -> list[str]:
        """Return the command line of `attend run` as installed here."""
        return [str(self.attend), "run", *words]

    def replace(self, file: str, old: str, new: str) -> None:
        """Change a file of the package as installers and git do: by another in its place."""
        path = self.package / file
        text = path.read_text()
        assert old in text
        fresh = path.with_name("fresh")
        fresh.write_text(text.replace(old, new))
        fresh.replace(path)

    def release(self, version: str) -> None:
        """Become another release."""
        self.replace("hot/attach.py", 'VERSION = "', f'VERSION = "{version}+')
