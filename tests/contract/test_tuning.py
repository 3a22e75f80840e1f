"""docs/tuning.md has a word on every number that there is."""

import re
from pathlib import Path

import pytest

from attendd.api import SensorConfig
from attendd.config import describe
from attendd.engine.settings import EngineSettings, Lines, Pace
from docs import generate

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/tuning.md").read_text()
GENERATED = re.compile(r"\[\[\[cog.*?\[\[\[end\]\]\]", re.DOTALL)
SECTIONS = {part.name: part for part in describe.sections(generate.builtin_sensors())}
COMMON = set(SensorConfig.__struct_fields__)
FIXED = [*Pace.__struct_fields__, *Lines.__struct_fields__]


def prose(title: str) -> str:
    """Return what was written by hand below a heading."""
    section = TEXT.partition(f"\n## {title}")[2].partition("\n## ")[0]
    assert section, f"docs/tuning.md has no section {title}"
    return GENERATED.sub("", section)


def explained(section: str) -> set[str]:
    """Return the keys that a list's entries begin with."""
    heads = re.findall(r"^- (.*?): ", section, re.MULTILINE | re.DOTALL)
    return {key for head in heads for key in re.findall(r"`(\w+)`", head)}


@pytest.mark.parametrize("name", SECTIONS)
def test_every_key_of_the_configuration_is_explained(name: str) -> None:
    keys = {field.name for field in SECTIONS[name].fields}
    wanted = keys - COMMON if name.startswith("sensors.") else keys
    found = explained(prose(f"[{name}]"))

    assert wanted - found == set()
    assert found - keys == set()


def test_the_keys_of_every_sensor_are_explained_once() -> None:
    assert explained(prose("Every sensor")) == COMMON


def test_the_numbers_that_no_file_sets_are_explained_too() -> None:
    assert explained(prose("What can't be set")) == set(FIXED)
    assert set(EngineSettings.__struct_fields__) == {
        "governor",
        "messages",
        "engagement",
        "pace",
        "lines",
    }


@pytest.mark.parametrize("name", SECTIONS)
def test_every_default_is_in_the_generated_table(name: str) -> None:
    assert generate.defaults(name) in TEXT
