"""Environments with a stranger's plugin in them, well or broken."""

import json
import subprocess
import sys
import textwrap
import venv
from pathlib import Path

from tests.process.box import DEADLINE_S, ROOT, Box, Reading

_SENSOR = """\
import asyncio, os, sys, time
from pathlib import Path
from attendd.api import Observation, SensorConfig, SensorType, hookimpl

class Config(SensorConfig, frozen=True, kw_only=True):
    interval_s: float = 0.5
    min_interval_s: float = 0.2
    timeout_s: float = 0.5

class Sensor:
    def __init__(self, config):
        pass

{methods}
@hookimpl
def attend_sensors():
    return [SensorType("{name}", "is a stranger's", Config, Sensor)]
"""


class Plugged:
    """A box with an interpreter that has attend and some plugins.

    Attributes:
        box: the box.
        python: the interpreter.
    """

    def __init__(self, box: Box, plugins: dict[str, str]) -> None:
        """Install plugins, each a module with its code."""
        self.box = box
        folder = box.home / "strange"
        folder.mkdir()
        venv.create(folder / "env", symlinks=True)
        self.python = str(folder / "env" / "bin" / "python")
        (site,) = (folder / "env" / "lib").glob("python*/site-packages")
        ours = [path for path in sys.path if path.endswith("-packages")]
        (site / "ours.pth").write_text("\n".join([str(ROOT), *ours, str(folder), ""]))
        for name, code in plugins.items():
            (folder / f"{name}.py").write_text(code)
            about = folder / f"{name}-1.dist-info"
            about.mkdir()
            (about / "METADATA").write_text(
                f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n"
            )
            (about / "entry_points.txt").write_text(f"[attend]\n{name} = {name}\n")

    def reader(self, workdir: Path, *words: str) -> Reading:
        """Start `attend run` with the plugin."""
        return self.box.reader(workdir, *words, interpreter=self.python)

    def run(self, *words: str) -> str:
        """Run a command with the plugin; return what it printed."""
        done = subprocess.run(
            [self.python, "-P", "-m", "attendd", *words],
            cwd=self.box.home,
            env=self.box.env,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=True,
        )
        return done.stdout

    def failing(self) -> dict[str, str]:
        """Return what `attend status` says of each sensor that fails."""
        rows = json.loads(self.run("status", "--json"))["failing"]
        return {row["sensor"]: row["detail"] for row in rows}


def sensor(name: str, methods: str) -> str:
    """Write a plugin with one sensor that has these methods."""
    indented = textwrap.indent(textwrap.dedent(methods), "    ")
    return _SENSOR.replace("{name}", name).replace("{methods}", indented)
