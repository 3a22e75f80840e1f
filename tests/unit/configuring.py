"""What the tests of the configuration share: two kinds of sensor, and a way to write files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from attendd import config
from attendd.api import Focus, Observation, SensorConfig, SensorType


class GitConfig(SensorConfig, frozen=True, kw_only=True):
    """``[sensors.git]`` of these tests.

    Attributes:
        dirty_files: the pile of changes worth a remark.
        ignore: names that are never counted.
    """

    dirty_files: Annotated[int, msgspec.Meta(ge=1)] = 20
    ignore: list[str] = []  # noqa: RUF012 - msgspec makes each struct its own


class ContextConfig(SensorConfig, frozen=True, kw_only=True):
    """``[sensors.context]`` of these tests."""

    interval_s: float = 5.0
    min_interval_s: float = 2.0


class Nothing:
    async def poll(self, focus: Focus) -> Sequence[Observation]:
        return []


TYPES = {
    "git": SensorType("git", "what happens in the repository", GitConfig, lambda _: Nothing()),
    "context": SensorType(
        "context", "how full the window is", ContextConfig, lambda _: Nothing()
    ),
}


def write(path: Path, text: str) -> None:
    """Replace a file as an editor does, so that its inode tells."""
    fresh = path.with_suffix(".new")
    fresh.write_text(text)
    fresh.replace(path)


def git(loaded: config.Loaded) -> GitConfig:
    found = loaded.sensor_config("git")
    assert isinstance(found, GitConfig)
    return found
