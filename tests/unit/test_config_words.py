"""What is said about the configuration: the default file, the effective one, the meanings."""

import resource
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd import config
from attendd.errors import AttendError, ConfigError
from tests.unit.configuring import TYPES, ContextConfig, GitConfig


def test_the_default_file_is_valid_and_changes_nothing(user: Path) -> None:
    config.write_default(user, TYPES)

    loaded = config.load(TYPES)

    assert (loaded.problems, loaded.config) == ([], config.Config())
    with pytest.raises(ConfigError, match="exists already"):
        config.write_default(user, TYPES)


def test_a_default_file_that_finds_no_room_leaves_nothing_behind(user: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        with pytest.raises(AttendError, match="cannot be written: File too large"):
            config.write_default(user, TYPES)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert not user.exists()


def test_every_default_in_the_default_file_is_right(user: Path) -> None:
    """Taken out of their comments, the lines say what is in force without them."""
    keys = [
        line.removeprefix("# ") if " = " in line and not line.startswith("#   ") else line
        for line in config.default_text(TYPES).splitlines()
        if not line.startswith("# attend's")
    ]
    user.write_text("\n".join(keys))

    loaded = config.load(TYPES)

    assert loaded.problems == []
    assert loaded.config.context == config.Context()
    assert loaded.sensors == {"git": GitConfig(), "context": ContextConfig()}


def test_every_key_says_what_it_means() -> None:
    unsaid = [
        f"{part.name}.{field.name}"
        for part in config.sections(TYPES)
        for field in part.fields
        if not field.meaning
    ]

    assert unsaid == []


def test_what_is_in_force_can_be_shown_as_a_file(user: Path) -> None:
    user.write_text(
        "[sensors.git]\nignore = ['a\"b', 'é\u200b']\n[context]\ncommand = 'a\\b'\n"
    )
    loaded = config.load(TYPES)

    shown = config.as_toml(config.effective(loaded.config, loaded.sensors))
    user.write_text(shown)

    again = config.load(TYPES)
    assert again.problems == []
    assert (again.sensors, again.config.context) == (loaded.sensors, loaded.config.context)


def test_the_engine_gets_its_part(user: Path) -> None:
    loaded = config.load(TYPES)

    settings = config.engine_settings(loaded.config)

    assert settings.governor == loaded.config.governor
    assert not user.exists()


@given(table=st.dictionaries(st.text(min_size=1), st.text() | st.booleans() | st.integers()))
def test_what_is_written_as_toml_reads_the_same(table: dict[str, Any]) -> None:
    assert tomllib.loads(config.as_toml({"a": table, "b": table})).get("a", {}) == table
