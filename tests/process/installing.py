"""An attend of its own that a test may replace, break and take away, as upgrades do."""

import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

from tests.process.box import ROOT, Box, Reading

PACKAGES = ("attendd", "sensors", "disclosures")


class Installed:
    """An environment with a copy of attend in it.

    Attributes:
        path: the environment.
        python: its interpreter.
        package: the package in it.
    """

    def __init__(self, box: Box, source: Path = ROOT, name: str = "v") -> None:
        """Install what lies in a folder."""
        self._box = box
        self.path = box.home / name
        venv.create(self.path, symlinks=True)
        self.python = self.path / "bin" / f"python3.{sys.version_info.minor}"
        (self._site,) = (self.path / "lib").glob("python*/site-packages")
        self.package = self._site / "attendd"
        theirs = [path for path in sys.path if path.endswith("-packages")]
        (self._site / "theirs.pth").write_text("\n".join([*theirs, ""]))
        self.put(source)

    def put(self, source: Path) -> None:
        """Put the packages of a folder in the place of those that are there, as pip does."""
        for name in PACKAGES:
            shutil.rmtree(self._site / name, ignore_errors=True)
            unwanted = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source / name, self._site / name, ignore=unwanted)
        shutil.copy(source / "bin" / "attend", self.path / "bin" / "attend")
        project = tomllib.loads((source / "pyproject.toml").read_text())["project"]
        about = self._site / "attendd-0.dist-info"
        about.mkdir(exist_ok=True)
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: attendd\nVersion: 0\n")
        points = project["entry-points"]["attend"]
        lines = [f"{name} = {value}" for name, value in points.items()]
        (about / "entry_points.txt").write_text("\n".join(["[attend]", *lines, ""]))

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

    def reader(self, workdir: Path, *words: str) -> Reading:
        """Start `attend run` as installed here."""
        command = [str(self.path / "bin" / "attend"), "run", *words]
        return self.start(command, workdir)

    def daemon(self) -> Reading:
        """Start `attendd` as installed here."""
        return self.start([str(self.python), "-P", "-m", "attendd.daemon"], self._box.home)

    def start(self, command: list[str], workdir: Path) -> Reading:
        """Start something of it, to be ended with the box."""
        reading = Reading(
            subprocess.Popen(
                command,
                cwd=workdir,
                env=self._box.env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        )
        self._box.running.append(reading)
        return reading
